-- Standing: patterns that were found in what somebody said, and the scores of each day that was weighed. One text for SQLite
-- and PostgreSQL. agent_id comes first in every key.
CREATE TABLE standing_evidence (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    message_id BYTEA  NOT NULL,
    pattern    TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    dimension  TEXT   NOT NULL,
    direction  TEXT   NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    saw        TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    -- The day it was said on.
    day        BIGINT NOT NULL,
    PRIMARY KEY (agent_id, message_id, pattern)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX standing_evidence_by_day ON standing_evidence (agent_id, dimension, day);
CREATE INDEX standing_evidence_by_time ON standing_evidence (agent_id, at);
CREATE TABLE standing_score (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    dimension  TEXT   NOT NULL,
    day        BIGINT NOT NULL,
    subject    TEXT   NOT NULL,
    score      DOUBLE PRECISION NOT NULL,
    change     DOUBLE PRECISION NOT NULL,
    trajectory TEXT   NOT NULL,
    -- The patterns, with what each added.
    reason     TEXT   NOT NULL,
    PRIMARY KEY (agent_id, dimension, day)
) /* sqlite: WITHOUT ROWID */;
