-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('intention', 'intention', '500 500 1 1'),
    ('intention', 'intention_by_time', '500 500 200 1');
ANALYZE sqlite_schema;
