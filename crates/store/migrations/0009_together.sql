-- Memories that were given in one answer, and how often: one of them brings the other to mind.
CREATE TABLE given_together (
    agent_id BIGINT NOT NULL REFERENCES agent,
    one      BIGINT NOT NULL,
    other    BIGINT NOT NULL CHECK (one < other),
    times    BIGINT NOT NULL CHECK (times > 0),
    PRIMARY KEY (agent_id, one, other)
) /* sqlite: WITHOUT ROWID */;
