-- Memories: what of the words was worth keeping, how strongly, what it rests on and what it belongs to.
-- One text for SQLite and PostgreSQL. agent_id comes first in every key. Messages are named by their id, never by their
-- number, which a rebuild may change; sessions and threads by their names.

-- Numbers that are still free, and a count of all that ever changed: whoever decided on an older one decides again.
CREATE TABLE memory_state (
    agent_id      BIGINT NOT NULL PRIMARY KEY REFERENCES agent,
    version       BIGINT NOT NULL,
    next_number   BIGINT NOT NULL,
    next_revision BIGINT NOT NULL,
    next_entity   BIGINT NOT NULL
);

CREATE TABLE memory (
    agent_id          BIGINT NOT NULL REFERENCES agent,
    number            BIGINT NOT NULL,
    memory_id         BYTEA  NOT NULL,
    -- What it says now: the text of this revision.
    revision          BIGINT NOT NULL,
    form              TEXT   NOT NULL CHECK (form IN ('fact', 'episode', 'lesson', 'reflection', 'theme', 'pattern', 'procedure', 'plan', 'summary')),
    category          TEXT   NOT NULL CHECK (category IN ('preference', 'fact', 'decision', 'correction', 'plan', 'entity', 'pattern', 'procedure', 'other')),
    status            TEXT   NOT NULL CHECK (status IN ('new', 'current', 'deprecated', 'superseded')),
    tier              TEXT   NOT NULL CHECK (tier IN ('working', 'episodic', 'semantic', 'dormant')),
    layer             TEXT   NOT NULL,
    session           TEXT,
    thread            TEXT,
    mode              TEXT   NOT NULL CHECK (mode IN ('chat', 'code', 'booth', 'robot')),
    -- When it holds, and when it was written down.
    temporal_type     TEXT   NOT NULL CHECK (temporal_type IN ('persistent', 'time_bounded')),
    valid_from        BIGINT NOT NULL,
    valid_until       BIGINT,
    recorded_at       BIGINT NOT NULL,
    superseded_by     BIGINT,
    -- Where it comes from and who may see it.
    write_source      TEXT   NOT NULL CHECK (write_source IN ('observer', 'formation', 'dream', 'manual')),
    data_source       TEXT   NOT NULL CHECK (data_source IN ('user_message', 'assistant_message', 'system', 'federation', 'file', 'task', 'feed')),
    source_confidence DOUBLE PRECISION NOT NULL CHECK (source_confidence BETWEEN 0 AND 1),
    source_hash       TEXT,
    privacy           TEXT   NOT NULL CHECK (privacy IN ('open', 'personal', 'private')),
    -- What holds against every rhythm.
    pinned            BIGINT NOT NULL CHECK (pinned IN (0, 1)),
    immutable         BIGINT NOT NULL CHECK (immutable IN (0, 1)),
    flashbulb         BIGINT NOT NULL CHECK (flashbulb IN (0, 1)),
    -- How strong it is.
    importance        DOUBLE PRECISION NOT NULL CHECK (importance BETWEEN 0 AND 1),
    utility           DOUBLE PRECISION NOT NULL CHECK (utility BETWEEN 0 AND 1),
    utility_at        BIGINT NOT NULL,
    storage           DOUBLE PRECISION NOT NULL CHECK (storage BETWEEN 1 AND 10),
    stability         DOUBLE PRECISION NOT NULL CHECK (stability > 0),
    accesses          BIGINT NOT NULL,
    accessed_at       BIGINT NOT NULL,
    surfaced          BIGINT NOT NULL,
    -- How it felt.
    valence           DOUBLE PRECISION NOT NULL,
    arousal           DOUBLE PRECISION NOT NULL,
    emotion           TEXT,
    -- How many terms its text has.
    length            BIGINT NOT NULL,
    -- Every step that led to it, as JSON.
    reasons           TEXT   NOT NULL,
    PRIMARY KEY (agent_id, number),
    CHECK (valid_until IS NULL OR temporal_type = 'time_bounded' OR status = 'superseded')
);
CREATE UNIQUE INDEX memory_by_id ON memory (agent_id, memory_id);
CREATE UNIQUE INDEX memory_by_revision ON memory (agent_id, revision);
CREATE INDEX memory_by_session ON memory (agent_id, session, number);
CREATE INDEX memory_by_source ON memory (agent_id, source_hash);

-- What a memory says and said. Append-only: an update writes one more.
CREATE TABLE memory_revision (
    agent_id   BIGINT NOT NULL,
    revision   BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    text       TEXT   NOT NULL,
    verdict    TEXT   NOT NULL,
    reason     TEXT   NOT NULL,
    written_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, revision),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);
CREATE INDEX memory_revision_by_number ON memory_revision (agent_id, number, revision);

-- What a record rests on.
CREATE TABLE evidence (
    agent_id    BIGINT NOT NULL REFERENCES agent,
    owner_kind  TEXT   NOT NULL,
    owner       BIGINT NOT NULL,
    place       BIGINT NOT NULL,
    -- A ref: msg_…, file:PATH#L1-L9. A message also by its id.
    source      TEXT   NOT NULL,
    message_id  BYTEA,
    stance      TEXT   NOT NULL CHECK (stance IN ('support', 'contradict', 'context')),
    weight      DOUBLE PRECISION NOT NULL,
    role        TEXT   NOT NULL,
    excerpt     TEXT   NOT NULL,
    quote_hash  TEXT   NOT NULL,
    -- Echoes of one source have one root, and count once.
    root        TEXT   NOT NULL,
    recorded_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, owner_kind, owner, place)
);
CREATE INDEX evidence_by_message ON evidence (agent_id, message_id);

-- Who has which value of what, as a memory says it: the triples of the graph.
CREATE TABLE statement (
    agent_id   BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    place      BIGINT NOT NULL,
    subject    TEXT   NOT NULL,
    attribute  TEXT   NOT NULL,
    value      TEXT   NOT NULL,
    negated    BIGINT NOT NULL,
    single     BIGINT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL,
    -- Whether its subject is still to be found out.
    pending    BIGINT NOT NULL,
    message_id BYTEA,
    PRIMARY KEY (agent_id, number, place),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);
CREATE INDEX statement_by_subject ON statement (agent_id, subject, attribute, number);

-- Which memories hold a term, by its hash.
CREATE TABLE memory_term (
    agent_id BIGINT NOT NULL,
    term     BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    times    BIGINT NOT NULL,
    PRIMARY KEY (agent_id, term, number)
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX memory_term_by_number ON memory_term (agent_id, number);

CREATE TABLE relation (
    agent_id    BIGINT NOT NULL,
    from_number BIGINT NOT NULL,
    to_number   BIGINT NOT NULL,
    kind        TEXT   NOT NULL CHECK (kind IN ('supersedes', 'contradicts', 'causes', 'elaborates', 'same_entity', 'related_to')),
    confidence  DOUBLE PRECISION NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    made_by     TEXT   NOT NULL,
    reason      TEXT   NOT NULL,
    made_at     BIGINT NOT NULL,
    PRIMARY KEY (agent_id, from_number, to_number, kind),
    FOREIGN KEY (agent_id, from_number) REFERENCES memory,
    FOREIGN KEY (agent_id, to_number) REFERENCES memory,
    CHECK (from_number <> to_number)
);
CREATE INDEX relation_by_end ON relation (agent_id, to_number);

CREATE TABLE entity (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    entity_id  BIGINT NOT NULL,
    kind       TEXT   NOT NULL CHECK (kind IN ('tech', 'org', 'person', 'place', 'project', 'tool', 'concept')),
    slug       TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    first_seen BIGINT NOT NULL,
    mentions   BIGINT NOT NULL,
    PRIMARY KEY (agent_id, entity_id),
    UNIQUE (agent_id, slug)
);

CREATE TABLE entity_alias (
    agent_id  BIGINT NOT NULL,
    alias     TEXT   NOT NULL,
    entity_id BIGINT NOT NULL,
    PRIMARY KEY (agent_id, alias),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entity
);

CREATE TABLE mention (
    agent_id  BIGINT NOT NULL,
    entity_id BIGINT NOT NULL,
    number    BIGINT NOT NULL,
    PRIMARY KEY (agent_id, entity_id, number),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entity,
    FOREIGN KEY (agent_id, number) REFERENCES memory
);
CREATE INDEX mention_by_memory ON mention (agent_id, number);

-- How often two entities stand in one memory; the one with the smaller number first.
CREATE TABLE cooccurrence (
    agent_id BIGINT NOT NULL,
    one      BIGINT NOT NULL,
    other    BIGINT NOT NULL,
    times    BIGINT NOT NULL,
    PRIMARY KEY (agent_id, one, other),
    CHECK (one < other)
);

-- Ways through the graph, and how often going one has led to something that was of use.
CREATE TABLE traversal_pattern (
    agent_id BIGINT NOT NULL REFERENCES agent,
    pattern  TEXT   NOT NULL,
    origin   TEXT   NOT NULL CHECK (origin IN ('static', 'discovered')),
    tried    BIGINT NOT NULL,
    yielded  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, pattern)
);

-- Small moments that a great one soon after may still capture.
CREATE TABLE synaptic_tag (
    agent_id  BIGINT NOT NULL,
    number    BIGINT NOT NULL,
    session   TEXT   NOT NULL,
    tagged_at BIGINT NOT NULL,
    ttl_ms    BIGINT NOT NULL,
    captured  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, number),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);
CREATE INDEX synaptic_tag_by_session ON synaptic_tag (agent_id, session);

-- What a running session has in mind.
CREATE TABLE working_memory (
    agent_id    BIGINT NOT NULL,
    session     TEXT   NOT NULL,
    number      BIGINT NOT NULL,
    accesses    BIGINT NOT NULL,
    added_at    BIGINT NOT NULL,
    accessed_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, session, number),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);

-- What became of each message, skipped ones too.
CREATE TABLE formed (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    message_id BYTEA  NOT NULL,
    formed_at  BIGINT NOT NULL,
    -- The decisions, as JSON.
    decisions  TEXT   NOT NULL,
    PRIMARY KEY (agent_id, message_id)
) /* sqlite: WITHOUT ROWID */;

-- How far an embedder came with the revisions of memories: every one before this has its vector.
ALTER TABLE embedder ADD COLUMN revisions BIGINT NOT NULL DEFAULT 0;
