-- What is long is kept under a number and found by short keys beside it. Without a rowid every step of a search compares whole
-- rows, for which SQLite reads the pages that a long row overflows into, and a full page is shared out among its neighbours
-- where a new one behind the last would do.
DROP VIEW exchange;
CREATE TABLE message_with_rowid (
    agent_id       BIGINT NOT NULL,
    seq            BIGINT NOT NULL,
    message_id     BYTEA  NOT NULL,
    source_id      TEXT,
    session_id     BIGINT NOT NULL,
    thread_id      BIGINT,
    mode           TEXT   NOT NULL CHECK (mode IN ('chat', 'code', 'booth', 'robot')),
    role           TEXT   NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    speaker        TEXT   NOT NULL,
    said_at        BIGINT NOT NULL,
    recorded_at    BIGINT NOT NULL,
    text           TEXT   NOT NULL,
    text_fnv       BIGINT NOT NULL,
    metadata       TEXT,
    previous_seq   BIGINT,
    exchange_seq   BIGINT NOT NULL,
    exchange_index BIGINT NOT NULL,
    archive_day    BIGINT NOT NULL,
    archive_offset BIGINT NOT NULL,
    archive_bytes  BIGINT NOT NULL,
    archive_line   BIGINT NOT NULL,
    PRIMARY KEY (agent_id, seq),
    FOREIGN KEY (agent_id, session_id) REFERENCES session,
    FOREIGN KEY (agent_id, thread_id) REFERENCES thread
);
INSERT INTO message_with_rowid SELECT agent_id, seq, message_id, source_id, session_id, thread_id, mode, role, speaker, said_at,
    recorded_at, text, text_fnv, metadata, previous_seq, exchange_seq, exchange_index, archive_day, archive_offset,
    archive_bytes, archive_line FROM message ORDER BY agent_id, seq;
DROP TABLE message;
ALTER TABLE message_with_rowid RENAME TO message;
CREATE UNIQUE INDEX message_by_id ON message (agent_id, message_id);
CREATE INDEX message_by_session ON message (agent_id, session_id, seq);
CREATE TRIGGER message_is_never_changed BEFORE UPDATE ON message
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER message_is_never_taken_away BEFORE DELETE ON message
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE VIEW exchange AS
    SELECT opening.agent_id, opening.seq AS exchange_seq, opening.message_id AS exchange_id, opening.exchange_index,
           opening.session_id, opening.thread_id, opening.said_at AS created_at
    FROM message AS opening
    WHERE opening.seq = opening.exchange_seq;

CREATE TABLE formed_with_rowid (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    message_id BYTEA  NOT NULL,
    formed_at  BIGINT NOT NULL,
    decisions  TEXT   NOT NULL,
    PRIMARY KEY (agent_id, message_id)
);
INSERT INTO formed_with_rowid SELECT agent_id, message_id, formed_at, decisions FROM formed ORDER BY formed_at;
DROP TABLE formed;
ALTER TABLE formed_with_rowid RENAME TO formed;

-- Figures: see 0001_statistics.
DELETE FROM sqlite_stat1 WHERE tbl IN ('message', 'formed');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('message', 'sqlite_autoindex_message_1', '250000 250000 1'),
    ('message', 'message_by_id', '250000 250000 1'),
    ('message', 'message_by_session', '250000 250000 12 1'),
    ('formed', 'sqlite_autoindex_formed_1', '250000 250000 1');
ANALYZE sqlite_schema;
