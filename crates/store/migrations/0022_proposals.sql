-- Proposals: changes of identity files that wait for an operator. One text for SQLite and PostgreSQL. agent_id comes first in
-- every key.
CREATE TABLE proposal (
    agent_id       BIGINT NOT NULL REFERENCES agent,
    proposal_id    BYTEA  NOT NULL,
    origin         TEXT   NOT NULL,
    -- The name of the file, the passage that goes if one does, and the new one.
    file           TEXT   NOT NULL,
    replaces       TEXT,
    text           TEXT   NOT NULL,
    reason         TEXT   NOT NULL,
    -- Refs with the words that were quoted of them, as JSON.
    evidence       TEXT   NOT NULL,
    proposed_at    BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    status         TEXT   NOT NULL,
    deferred_until BIGINT,
    -- The receipt of the last decision.
    receipt        BIGINT,
    PRIMARY KEY (agent_id, proposal_id)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX proposal_by_time ON proposal (agent_id, proposed_at);
