-- What was written in the diary stays as it is; only that it was taken in is noted.
CREATE TRIGGER diary_entry_is_never_changed BEFORE UPDATE ON diary_entry
WHEN OLD.sealed <> NEW.sealed OR OLD.key_id <> NEW.key_id OR OLD.entry_id <> NEW.entry_id OR OLD.written_at <> NEW.written_at
BEGIN SELECT RAISE(ABORT, 'the diary is append-only'); END;
CREATE TRIGGER diary_entry_is_never_taken_away BEFORE DELETE ON diary_entry
BEGIN SELECT RAISE(ABORT, 'the diary is append-only'); END;

-- One more kind of digest: stretches. A check cannot be changed here, so that the table is made anew around its rows.
CREATE TABLE digest_with_stretches (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    number     BIGINT NOT NULL,
    digest_id  BYTEA  NOT NULL,
    kind       TEXT   NOT NULL CHECK (kind IN ('day', 'week', 'month', 'retrospective', 'current', 'future', 'profile', 'category', 'stretch')),
    scope      TEXT   NOT NULL,
    span_from  BIGINT NOT NULL,
    span_until BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    newest     BIGINT NOT NULL CHECK (newest IN (0, 1)),
    text       TEXT   NOT NULL,
    inputs     TEXT   NOT NULL,
    made_by    TEXT   NOT NULL,
    made_at    BIGINT NOT NULL,
    PRIMARY KEY (agent_id, number)
);
INSERT INTO digest_with_stretches SELECT agent_id, number, digest_id, kind, scope, span_from, span_until, version, newest, text,
    inputs, made_by, made_at FROM digest;
CREATE TABLE digest_source_kept AS SELECT agent_id, number, place, source FROM digest_source;
DROP TABLE digest_source;
DROP TABLE digest;
ALTER TABLE digest_with_stretches RENAME TO digest;
CREATE UNIQUE INDEX digest_by_id ON digest (agent_id, digest_id, version);
CREATE INDEX digest_by_kind ON digest (agent_id, kind, newest, scope, span_from);
CREATE TABLE digest_source (
    agent_id BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    place    BIGINT NOT NULL,
    source   TEXT   NOT NULL,
    PRIMARY KEY (agent_id, number, place),
    FOREIGN KEY (agent_id, number) REFERENCES digest
);
INSERT INTO digest_source SELECT agent_id, number, place, source FROM digest_source_kept;
DROP TABLE digest_source_kept;
CREATE TRIGGER digest_is_never_changed BEFORE UPDATE ON digest
WHEN OLD.text <> NEW.text OR OLD.inputs <> NEW.inputs OR OLD.version <> NEW.version
BEGIN SELECT RAISE(ABORT, 'digests have versions'); END;

-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('diary_entry', 'sqlite_autoindex_diary_entry_1', '2000 2000 1'),
    ('diary_entry', 'diary_entry_by_id', '2000 2000 1'),
    ('diary_memory', 'sqlite_autoindex_diary_memory_1', '4000 4000 2 1'),
    ('digest', 'sqlite_autoindex_digest_1', '5000 5000 1'),
    ('digest', 'digest_by_id', '5000 5000 2 1'),
    ('digest', 'digest_by_kind', '5000 5000 700 400 20 2'),
    ('digest_source', 'sqlite_autoindex_digest_source_1', '50000 50000 10 1');
ANALYZE sqlite_schema;
