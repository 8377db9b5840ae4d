-- Handoffs: where the last session and each thread stood, as Markdown. Derived from messages and memories; only the count of
-- compactions is not. One text for SQLite and PostgreSQL. agent_id comes first in every key.
CREATE TABLE handoff (
    agent_id    BIGINT NOT NULL REFERENCES agent,
    -- 'session', or 'thread:' and its name.
    scope       TEXT   NOT NULL,
    session     TEXT   NOT NULL,
    written_at  BIGINT NOT NULL,
    reason      TEXT   NOT NULL,
    -- Exchanges of the session when it was written.
    exchanges   BIGINT NOT NULL,
    -- How often the conversation was shortened since the thread was last begun anew.
    compactions BIGINT NOT NULL,
    -- When a later session began with it.
    consumed_at BIGINT,
    -- Empty if what it quoted was erased.
    text        TEXT   NOT NULL,
    -- What a language model made of its lines; empty if that was refused, none while nobody has asked one.
    prose       TEXT,
    PRIMARY KEY (agent_id, scope)
) /* sqlite: WITHOUT ROWID */;
-- What was said last in a thread; what belongs to none is not looked for.
CREATE INDEX message_by_thread ON message (agent_id, thread_id, seq) WHERE thread_id IS NOT NULL;
