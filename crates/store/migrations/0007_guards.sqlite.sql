-- What a digest said is never changed; only that a newer version has taken its place. Figures: see 0001_statistics.
CREATE TRIGGER digest_is_never_changed BEFORE UPDATE ON digest
WHEN OLD.text <> NEW.text OR OLD.inputs <> NEW.inputs OR OLD.version <> NEW.version
BEGIN SELECT RAISE(ABORT, 'digests have versions'); END;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('memory', 'memory_by_beginning', '25000 25000 2'),
    ('digest', 'sqlite_autoindex_digest_1', '5000 5000 1'),
    ('digest', 'digest_by_id', '5000 5000 2 1'),
    ('digest', 'digest_by_kind', '5000 5000 700 400 20 2'),
    ('digest_source', 'sqlite_autoindex_digest_source_1', '50000 50000 10 1'),
    ('topic', 'sqlite_autoindex_topic_1', '5000 5000 1');
ANALYZE sqlite_schema;
