-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('message', 'message_by_thread', '125000 125000 1000 1'),
    ('handoff', 'handoff', '20 20 1');
ANALYZE sqlite_schema;
