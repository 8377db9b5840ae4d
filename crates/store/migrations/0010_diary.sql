-- The diary: entries and what came of them, sealed with a key that lies outside the database. What can be read here is when
-- something was written and how much came of it, nothing else. One text for SQLite and PostgreSQL.
CREATE TABLE diary_entry (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    number     BIGINT NOT NULL,
    entry_id   BYTEA  NOT NULL,
    written_at BIGINT NOT NULL,
    -- Which key seals it, and what it sealed.
    key_id     TEXT   NOT NULL,
    sealed     BYTEA  NOT NULL,
    -- When intake read it, if it has.
    taken_at   BIGINT,
    PRIMARY KEY (agent_id, number)
);
CREATE UNIQUE INDEX diary_entry_by_id ON diary_entry (agent_id, entry_id);

-- The private memories that came of an entry.
CREATE TABLE diary_memory (
    agent_id BIGINT NOT NULL,
    entry    BIGINT NOT NULL,
    place    BIGINT NOT NULL,
    sealed   BYTEA  NOT NULL,
    PRIMARY KEY (agent_id, entry, place),
    FOREIGN KEY (agent_id, entry) REFERENCES diary_entry
);
