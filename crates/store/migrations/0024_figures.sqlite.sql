-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('standing_evidence', 'standing_evidence', '2000 2000 2 1'),
    ('standing_evidence', 'standing_evidence_by_day', '2000 2000 500 5 1'),
    ('standing_evidence', 'standing_evidence_by_time', '2000 2000 2 1'),
    ('standing_score', 'standing_score', '1000 1000 250 1');
ANALYZE sqlite_schema;
