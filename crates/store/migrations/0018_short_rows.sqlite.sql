-- A row that is hardly longer than its key is kept in the key itself: otherwise every one is written twice, and found in two
-- steps. What is long keeps its number (see 0012).
CREATE TABLE statement_by_key (
    agent_id   BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    place      BIGINT NOT NULL,
    subject    TEXT   NOT NULL,
    attribute  TEXT   NOT NULL,
    value      TEXT   NOT NULL,
    negated    BIGINT NOT NULL,
    single     BIGINT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    pending    BIGINT NOT NULL,
    message_id BYTEA,
    PRIMARY KEY (agent_id, number, place),
    FOREIGN KEY (agent_id, number) REFERENCES memory
) WITHOUT ROWID;
INSERT INTO statement_by_key SELECT agent_id, number, place, subject, attribute, value, negated, single, confidence, pending,
    message_id FROM statement ORDER BY agent_id, number, place;
DROP TABLE statement;
ALTER TABLE statement_by_key RENAME TO statement;
CREATE INDEX statement_by_subject ON statement (agent_id, subject, attribute, number);

CREATE TABLE relation_by_key (
    agent_id    BIGINT NOT NULL,
    from_number BIGINT NOT NULL,
    to_number   BIGINT NOT NULL,
    kind        TEXT   NOT NULL CHECK (kind = 'supersedes' OR kind = 'contradicts' OR kind = 'causes' OR kind = 'elaborates' OR kind = 'same_entity' OR kind = 'related_to'),
    confidence  DOUBLE PRECISION NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    made_by     TEXT   NOT NULL,
    reason      TEXT   NOT NULL,
    made_at     BIGINT NOT NULL,
    PRIMARY KEY (agent_id, from_number, to_number, kind),
    FOREIGN KEY (agent_id, from_number) REFERENCES memory,
    FOREIGN KEY (agent_id, to_number) REFERENCES memory,
    CHECK (from_number <> to_number)
) WITHOUT ROWID;
INSERT INTO relation_by_key SELECT agent_id, from_number, to_number, kind, confidence, made_by, reason, made_at FROM relation
    ORDER BY agent_id, from_number, to_number, kind;
DROP TABLE relation;
ALTER TABLE relation_by_key RENAME TO relation;
CREATE INDEX relation_by_end ON relation (agent_id, to_number);

CREATE TABLE mention_by_key (
    agent_id  BIGINT NOT NULL,
    entity_id BIGINT NOT NULL,
    number    BIGINT NOT NULL,
    PRIMARY KEY (agent_id, entity_id, number),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entity,
    FOREIGN KEY (agent_id, number) REFERENCES memory
) WITHOUT ROWID;
INSERT INTO mention_by_key SELECT agent_id, entity_id, number FROM mention ORDER BY agent_id, entity_id, number;
DROP TABLE mention;
ALTER TABLE mention_by_key RENAME TO mention;
CREATE INDEX mention_by_memory ON mention (agent_id, number);

CREATE TABLE cooccurrence_by_key (
    agent_id BIGINT NOT NULL,
    one      BIGINT NOT NULL,
    other    BIGINT NOT NULL,
    times    BIGINT NOT NULL,
    PRIMARY KEY (agent_id, one, other),
    CHECK (one < other)
) WITHOUT ROWID;
INSERT INTO cooccurrence_by_key SELECT agent_id, one, other, times FROM cooccurrence ORDER BY agent_id, one, other;
DROP TABLE cooccurrence;
ALTER TABLE cooccurrence_by_key RENAME TO cooccurrence;

CREATE TABLE synaptic_tag_by_key (
    agent_id  BIGINT NOT NULL,
    number    BIGINT NOT NULL,
    session   TEXT   NOT NULL,
    tagged_at BIGINT NOT NULL,
    ttl_ms    BIGINT NOT NULL,
    captured  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, number),
    FOREIGN KEY (agent_id, number) REFERENCES memory
) WITHOUT ROWID;
INSERT INTO synaptic_tag_by_key SELECT agent_id, number, session, tagged_at, ttl_ms, captured FROM synaptic_tag
    ORDER BY agent_id, number;
DROP TABLE synaptic_tag;
ALTER TABLE synaptic_tag_by_key RENAME TO synaptic_tag;
CREATE INDEX synaptic_tag_by_session ON synaptic_tag (agent_id, session);

CREATE TABLE working_memory_by_key (
    agent_id    BIGINT NOT NULL,
    session     TEXT   NOT NULL,
    number      BIGINT NOT NULL,
    accesses    BIGINT NOT NULL,
    added_at    BIGINT NOT NULL,
    accessed_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, session, number),
    FOREIGN KEY (agent_id, number) REFERENCES memory
) WITHOUT ROWID;
INSERT INTO working_memory_by_key SELECT agent_id, session, number, accesses, added_at, accessed_at FROM working_memory
    ORDER BY agent_id, session, number;
DROP TABLE working_memory;
ALTER TABLE working_memory_by_key RENAME TO working_memory;

-- Figures: see 0001_statistics.
DELETE FROM sqlite_stat1 WHERE idx = 'memory_by_access' OR tbl IN
    ('statement', 'relation', 'mention', 'cooccurrence', 'synaptic_tag', 'working_memory');
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('memory', 'memory_pinned', '50 50 1'),
    ('memory', 'memory_by_access', '5000 5000 2'),
    ('statement', 'statement', '25000 25000 2 1'),
    ('statement', 'statement_by_subject', '25000 25000 500 3 1'),
    ('relation', 'relation', '50000 50000 3 1 1'),
    ('relation', 'relation_by_end', '50000 50000 3'),
    ('mention', 'mention', '50000 50000 5 1'),
    ('mention', 'mention_by_memory', '50000 50000 2'),
    ('cooccurrence', 'cooccurrence', '30000 30000 3 1'),
    ('synaptic_tag', 'synaptic_tag', '20000 20000 1'),
    ('synaptic_tag', 'synaptic_tag_by_session', '20000 20000 10'),
    ('working_memory', 'working_memory', '9000 9000 9 1');
ANALYZE sqlite_schema;
