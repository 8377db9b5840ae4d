-- The ground: what was said, where it stands in the archive, and what is under way.
-- One text for SQLite and PostgreSQL. agent_id comes first in every key.

CREATE TABLE agent (
    agent_id    BIGINT NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    -- Moves when messages are renumbered or analysed anew, so that derived index files know they are stale.
    index_epoch BIGINT NOT NULL
);

CREATE TABLE thread (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    thread_id  BIGINT NOT NULL,
    name       TEXT   NOT NULL,
    PRIMARY KEY (agent_id, thread_id),
    UNIQUE (agent_id, name)
);

CREATE TABLE session (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    session_id BIGINT NOT NULL,
    name       TEXT   NOT NULL,
    title      TEXT,
    PRIMARY KEY (agent_id, session_id),
    UNIQUE (agent_id, name)
);

-- One verbatim utterance. Append-only. Wide on purpose: one row and two small index entries are all that
-- an acknowledgement writes.
CREATE TABLE message (
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
    -- Derived: the message before it in its session, and the exchange it belongs to.
    previous_seq   BIGINT,
    exchange_seq   BIGINT NOT NULL,
    exchange_index BIGINT NOT NULL,
    -- Where its line stands in the archive.
    archive_day    BIGINT NOT NULL,
    archive_offset BIGINT NOT NULL,
    archive_bytes  BIGINT NOT NULL,
    archive_line   BIGINT NOT NULL,
    PRIMARY KEY (agent_id, seq),
    FOREIGN KEY (agent_id, session_id) REFERENCES session,
    FOREIGN KEY (agent_id, thread_id) REFERENCES thread
) /* sqlite: WITHOUT ROWID */;

CREATE UNIQUE INDEX message_by_id ON message (agent_id, message_id);
CREATE INDEX message_by_session ON message (agent_id, session_id, seq);

-- An exchange is the messages of one turn: derived, never stored as text of its own.
CREATE VIEW exchange AS
    SELECT opening.agent_id, opening.seq AS exchange_seq, opening.message_id AS exchange_id, opening.exchange_index,
           opening.session_id, opening.thread_id, opening.said_at AS created_at
    FROM message AS opening
    WHERE opening.seq = opening.exchange_seq;

-- A finished archive file and its hash.
CREATE TABLE archive_seal (
    agent_id    BIGINT NOT NULL REFERENCES agent,
    archive_day BIGINT NOT NULL,
    bytes       BIGINT NOT NULL,
    sha256      TEXT   NOT NULL,
    sealed_at   BIGINT NOT NULL,
    PRIMARY KEY (agent_id, archive_day)
);

-- What was erased stays erased: its words are gone, its id is not taken again.
CREATE TABLE tombstone (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    message_id BYTEA  NOT NULL,
    erased_at  BIGINT NOT NULL,
    actor      TEXT   NOT NULL,
    reason     TEXT   NOT NULL,
    PRIMARY KEY (agent_id, message_id)
);

-- Background work: how far it came, who has it in hand and until when.
CREATE TABLE job (
    agent_id    BIGINT NOT NULL REFERENCES agent,
    name        TEXT   NOT NULL,
    watermark   BIGINT NOT NULL,
    holder      TEXT,
    lease_until BIGINT,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, name)
);
