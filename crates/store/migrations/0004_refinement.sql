-- Messages that were formed by rules and that a language model may say more clearly, if there is one.
CREATE TABLE refinement (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    message_id BYTEA  NOT NULL,
    state      TEXT   NOT NULL CHECK (state IN ('waiting', 'done', 'withheld', 'given_up')),
    -- How often a model was asked about it.
    tries      BIGINT NOT NULL,
    -- When it was formed, and when its state last changed.
    queued_at  BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- What came of it, in a few words.
    outcome    TEXT   NOT NULL,
    PRIMARY KEY (agent_id, message_id)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX refinement_by_state ON refinement (agent_id, state, tries, queued_at);

INSERT INTO refinement (agent_id, message_id, state, tries, queued_at, updated_at, outcome)
    SELECT agent_id, message_id, 'waiting', 0, formed_at, formed_at, '' FROM formed WHERE decisions LIKE '%"ref":%';
