-- Inquiries: what did not fit, the passes over it and the growth vectors that came of it. One text for SQLite and PostgreSQL.
-- agent_id comes first in every key.
CREATE TABLE inquiry (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    inquiry_id BYTEA  NOT NULL,
    source     TEXT   NOT NULL,
    -- The terms it is about, by which the same is known again.
    topic      TEXT   NOT NULL,
    question   TEXT   NOT NULL,
    -- Refs with the words that were quoted of them, as JSON.
    evidence   TEXT   NOT NULL,
    opened_at  BIGINT NOT NULL,
    -- How often it came up, and when last.
    seen       BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    -- Passes that are done, and when the next one is due.
    passes     BIGINT NOT NULL,
    due_at     BIGINT,
    PRIMARY KEY (agent_id, inquiry_id)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX inquiry_by_due ON inquiry (agent_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX inquiry_by_time ON inquiry (agent_id, opened_at);
CREATE TABLE contemplation (
    agent_id   BIGINT NOT NULL,
    inquiry_id BYTEA  NOT NULL,
    pass       TEXT   NOT NULL,
    made_at    BIGINT NOT NULL,
    text       TEXT   NOT NULL,
    evidence   TEXT   NOT NULL,
    PRIMARY KEY (agent_id, inquiry_id, pass),
    FOREIGN KEY (agent_id, inquiry_id) REFERENCES inquiry
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX contemplation_by_time ON contemplation (agent_id, made_at);
CREATE TABLE growth_vector (
    agent_id    BIGINT NOT NULL,
    inquiry_id  BYTEA  NOT NULL,
    text        TEXT   NOT NULL,
    evidence    TEXT   NOT NULL,
    made_at     BIGINT NOT NULL,
    -- The proposal that it became part of.
    proposal    TEXT,
    PRIMARY KEY (agent_id, inquiry_id),
    FOREIGN KEY (agent_id, inquiry_id) REFERENCES inquiry
) /* sqlite: WITHOUT ROWID */;
