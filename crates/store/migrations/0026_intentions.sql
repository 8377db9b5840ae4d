-- Intentions: what a message asks to be told later, or promises. Derived from messages while they are formed; the words are those
-- of the message. One text for SQLite and PostgreSQL. agent_id comes first in every key.
CREATE TABLE intention (
    agent_id      BIGINT NOT NULL REFERENCES agent,
    message_id    BYTEA  NOT NULL,
    -- Which of the intentions of the message it is.
    place         BIGINT NOT NULL,
    role          TEXT   NOT NULL,
    said_at       BIGINT NOT NULL,
    words         TEXT   NOT NULL,
    -- What makes it due: of which kind it is, the person, file or topic, and the day (20261115) with a minute on it.
    kind          TEXT   NOT NULL,
    subject       TEXT   NOT NULL,
    due_day       BIGINT,
    due_minute    BIGINT,
    -- Open, done or dropped, and the message that told that it is done.
    decision      TEXT   NOT NULL,
    decided_at    BIGINT,
    closed_by     BYTEA,
    snoozed_until BIGINT,
    -- Sessions that were told of it, each as a hash: the newest few.
    told          TEXT   NOT NULL,
    PRIMARY KEY (agent_id, message_id, place)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX intention_by_time ON intention (agent_id, decision, said_at);
