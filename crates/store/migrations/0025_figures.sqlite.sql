-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('proposal', 'proposal_unfinished', '1 1 1');
ANALYZE sqlite_schema;
