-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('attachment', 'attachment', '200 200 1'),
    ('attachment_turn', 'attachment_turn', '300 300 2 1'),
    ('attachment_part', 'attachment_part', '8000 8000 1'),
    ('attachment_part', 'attachment_part_by_attachment', '8000 8000 40 1'),
    ('attachment_term', 'attachment_term', '300000 300000 30 1'),
    ('attachment_term', 'attachment_term_by_part', '300000 300000 40 1');
ANALYZE sqlite_schema;
