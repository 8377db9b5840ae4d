-- Cognitive dynamics: numbers of the newest turns, and what was learned from them. No word is in them. One text for SQLite and
-- PostgreSQL. agent_id comes first in every key.
CREATE TABLE dynamics_turn (
    agent_id    BIGINT NOT NULL REFERENCES agent,
    turn        BIGINT NOT NULL,
    -- The message that opens the exchange.
    exchange_id BYTEA  NOT NULL,
    session     TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    -- The newest message that was counted, and when it was said.
    last_seq    BIGINT NOT NULL,
    last_at     BIGINT NOT NULL,
    -- The turn before it: of its session, or else of the agent.
    previous    BIGINT,
    -- Counted numbers: 32-bit floats, little endian, NaN for what is not known.
    features    BYTEA  NOT NULL,
    -- The rest is there once the turn is over, and is made anew of the features after an erasure.
    is_over     BIGINT NOT NULL,
    state       BYTEA,
    frozen      DOUBLE PRECISION,
    learned     DOUBLE PRECISION,
    loss        DOUBLE PRECISION,
    updates     BIGINT,
    PRIMARY KEY (agent_id, turn)
) /* sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX dynamics_turn_by_exchange ON dynamics_turn (agent_id, exchange_id);
CREATE INDEX dynamics_turn_by_session ON dynamics_turn (agent_id, session, turn);
CREATE INDEX dynamics_turn_open ON dynamics_turn (agent_id, turn) WHERE is_over = 0;
CREATE TABLE dynamics_learner (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    -- Grows whenever something was learned: whoever learned from an older state does so again.
    version    BIGINT NOT NULL,
    -- Grows whenever words were erased: nothing learned before is kept.
    generation BIGINT NOT NULL,
    -- What was learned; none after an erasure.
    numbers    BYTEA,
    PRIMARY KEY (agent_id)
) /* sqlite: WITHOUT ROWID */;
