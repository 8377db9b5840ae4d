-- Beliefs: what is held true, what speaks for and against it, and the ledger of every change.
-- One text for SQLite and PostgreSQL. agent_id comes first in every key.
CREATE TABLE belief (
    agent_id             BIGINT NOT NULL REFERENCES agent,
    number               BIGINT NOT NULL,
    belief_id            BYTEA  NOT NULL,
    kind                 TEXT   NOT NULL CHECK (kind IN ('operator_preference', 'project_state', 'world_fact', 'self_model', 'relationship_fact', 'tooling_state', 'identity', 'commitment', 'runtime_state')),
    subject_type         TEXT   NOT NULL CHECK (subject_type IN ('entity', 'project', 'tool', 'agent', 'global')),
    subject_id           TEXT   NOT NULL,
    -- What it is about, and what it says of that. Neither ever changes: what says something else is another belief.
    canonical_key        TEXT   NOT NULL CHECK (canonical_key <> ''),
    value                TEXT   NOT NULL CHECK (value <> ''),
    summary              TEXT   NOT NULL CHECK (summary <> ''),
    detail               TEXT   NOT NULL,
    tags                 TEXT   NOT NULL,
    lane                 TEXT   NOT NULL CHECK (lane IN ('candidate', 'verified')),
    status               TEXT   NOT NULL CHECK (status IN ('active', 'stale', 'superseded', 'invalidated', 'retracted')),
    -- How well it is supported, and the six parts of that as JSON; how current it is.
    confidence           DOUBLE PRECISION NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    confidence_parts     TEXT   NOT NULL,
    freshness            DOUBLE PRECISION NOT NULL CHECK (freshness BETWEEN 0 AND 1),
    last_supported_at    BIGINT NOT NULL,
    last_contradicted_at BIGINT,
    revalidation_due_at  BIGINT NOT NULL,
    privacy              TEXT   NOT NULL CHECK (privacy IN ('open', 'personal', 'private')),
    -- The belief of the same key that stood before it: the only way from one belief to another.
    supersedes           BIGINT,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL,
    PRIMARY KEY (agent_id, number),
    FOREIGN KEY (agent_id, supersedes) REFERENCES belief,
    CHECK (supersedes IS NULL OR supersedes < number)
);
CREATE UNIQUE INDEX belief_by_id ON belief (agent_id, belief_id);
CREATE UNIQUE INDEX belief_one_is_active ON belief (agent_id, canonical_key) WHERE status = 'active';
CREATE UNIQUE INDEX belief_one_stands ON belief (agent_id, canonical_key) WHERE status IN ('active', 'stale');
CREATE UNIQUE INDEX belief_one_follows ON belief (agent_id, supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX belief_by_key ON belief (agent_id, canonical_key, number);
CREATE INDEX belief_by_kind ON belief (agent_id, kind, status);
CREATE INDEX belief_by_due ON belief (agent_id, revalidation_due_at);
CREATE INDEX belief_by_rank ON belief (agent_id, confidence DESC, freshness DESC);

-- What a belief rests on: memories, which rest on words, and the entity it is about. There is no way to cite a belief.
CREATE TABLE belief_evidence (
    agent_id    BIGINT NOT NULL,
    belief      BIGINT NOT NULL,
    place       BIGINT NOT NULL,
    memory      BIGINT,
    entity_id   BIGINT,
    stance      TEXT   NOT NULL CHECK (stance IN ('support', 'contradict', 'context')),
    weight      DOUBLE PRECISION NOT NULL CHECK (weight >= 0),
    role        TEXT   NOT NULL,
    excerpt     TEXT   NOT NULL,
    quote_hash  TEXT   NOT NULL,
    -- Echoes of one source have one root, and count once.
    root        TEXT   NOT NULL,
    -- When the words were said, and when they were linked.
    said_at     BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, belief, place),
    FOREIGN KEY (agent_id, belief) REFERENCES belief,
    FOREIGN KEY (agent_id, memory) REFERENCES memory,
    FOREIGN KEY (agent_id, entity_id) REFERENCES entity,
    CHECK ((memory IS NULL) <> (entity_id IS NULL)),
    CHECK (memory IS NOT NULL OR stance = 'context')
);
CREATE INDEX belief_evidence_by_memory ON belief_evidence (agent_id, memory);

-- Memories that changed after they were looked at for beliefs; new ones are known by their number.
CREATE TABLE belief_queue (
    agent_id BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    PRIMARY KEY (agent_id, number),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);

-- The ledger: append-only, each entry holds the hash of the one before it.
CREATE TABLE receipt (
    agent_id    BIGINT NOT NULL REFERENCES agent,
    number      BIGINT NOT NULL CHECK (number > 0),
    at          BIGINT NOT NULL,
    actor       TEXT   NOT NULL CHECK (actor <> ''),
    action      TEXT   NOT NULL,
    subject     TEXT   NOT NULL,
    -- The hash of what it tells, which is kept apart: that may quote somebody, and can be erased without breaking the chain.
    told        BYTEA  NOT NULL,
    previous    BYTEA  NOT NULL,
    hash        BYTEA  NOT NULL,
    PRIMARY KEY (agent_id, number)
);
CREATE INDEX receipt_by_subject ON receipt (agent_id, subject, number);

-- From what, to what and why, as JSON.
CREATE TABLE receipt_detail (
    agent_id BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    detail   TEXT   NOT NULL,
    PRIMARY KEY (agent_id, number),
    FOREIGN KEY (agent_id, number) REFERENCES receipt
);
