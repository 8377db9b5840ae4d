-- What an operator decides: what is erased and stays so, how beliefs are trusted, what waits for another look.
-- One text for SQLite and PostgreSQL. agent_id comes first in every key.

-- A tombstone holds a keyed hash of an id or of words, so that nobody can guess from it what was said. A receipt whose
-- words were erased has one as well.
ALTER TABLE tombstone RENAME COLUMN message_id TO mark;
CREATE TABLE erasure_key (
    agent_id BIGINT NOT NULL PRIMARY KEY REFERENCES agent,
    secret   BYTEA  NOT NULL
);

-- What is being erased at the moment: the guards let these rows go and nothing else. Lines of the archive stay in this list
-- until they are blank, so that whoever opens the memory after a crash finishes what was begun.
CREATE TABLE erasing (
    agent_id BIGINT NOT NULL REFERENCES agent,
    kind     TEXT   NOT NULL CHECK (kind IN ('message', 'memory', 'related', 'belief', 'orphan', 'receipt', 'line')),
    item     TEXT   NOT NULL,
    PRIMARY KEY (agent_id, kind, item)
);

-- What an operator has set, and the receipt that tells why.
CREATE TABLE protected_setting (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    name       TEXT   NOT NULL,
    value      TEXT   NOT NULL,
    receipt    BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, name),
    FOREIGN KEY (agent_id, receipt) REFERENCES receipt
);

-- Candidates that an operator wants to see again later.
CREATE TABLE deferral (
    agent_id BIGINT NOT NULL,
    belief   BIGINT NOT NULL,
    until    BIGINT NOT NULL,
    receipt  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, belief),
    FOREIGN KEY (agent_id, belief) REFERENCES belief,
    FOREIGN KEY (agent_id, receipt) REFERENCES receipt
);
