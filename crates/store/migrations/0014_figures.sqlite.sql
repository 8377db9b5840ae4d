-- Figures for the planner: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('digest_source', 'digest_by_source', '50000 50000 4 1');
ANALYZE sqlite_schema;
