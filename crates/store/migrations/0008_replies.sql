-- Writes that came with a key of the caller's own, and what they were answered: sent again, they are answered alike and
-- change nothing.
CREATE TABLE reply (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    name       TEXT   NOT NULL,
    -- Its place in the order of coming: the oldest of very many are let go.
    number     BIGINT NOT NULL,
    -- The hash of what was asked.
    asked      BYTEA  NOT NULL,
    -- When it was first asked, and until when somebody is at it.
    claimed_at BIGINT NOT NULL,
    busy_until BIGINT NOT NULL,
    answer     TEXT,
    PRIMARY KEY (agent_id, name)
) /* sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX reply_by_number ON reply (agent_id, number);
