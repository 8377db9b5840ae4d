-- Coherence: the entropy of each exchange, with what it was found in. Derived from messages while they are formed; one row an
-- exchange. One text for SQLite and PostgreSQL. agent_id comes first in every key.
CREATE TABLE coherence (
    agent_id    BIGINT NOT NULL REFERENCES agent,
    -- The message that opens the exchange.
    exchange_id BYTEA  NOT NULL,
    session     TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    entropy     DOUBLE PRECISION NOT NULL,
    -- Its contributions, as JSON.
    parts       TEXT   NOT NULL,
    PRIMARY KEY (agent_id, exchange_id)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX coherence_by_session ON coherence (agent_id, session, at);
CREATE INDEX coherence_by_time ON coherence (agent_id, at);
