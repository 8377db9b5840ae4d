-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('coherence', 'coherence', '60000 60000 1'),
    ('coherence', 'coherence_by_session', '60000 60000 30 1'),
    ('coherence', 'coherence_by_time', '60000 60000 1');
ANALYZE sqlite_schema;
