-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('inquiry', 'inquiry', '200 200 1'),
    ('inquiry', 'inquiry_by_due', '20 20 1'),
    ('inquiry', 'inquiry_by_time', '200 200 1'),
    ('contemplation', 'contemplation', '600 600 3 1'),
    ('contemplation', 'contemplation_by_time', '600 600 1'),
    ('growth_vector', 'growth_vector', '200 200 1');
ANALYZE sqlite_schema;
