-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('proposal', 'proposal', '50 50 1'),
    ('proposal', 'proposal_by_time', '50 50 1');
ANALYZE sqlite_schema;
