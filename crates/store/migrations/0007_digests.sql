-- Digests: texts that were generated over records. They cite what they stand on, have versions, and are no evidence.
-- One text for SQLite and PostgreSQL. agent_id comes first in every key.
CREATE TABLE digest (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    number     BIGINT NOT NULL,
    -- The same for every version of one digest.
    digest_id  BYTEA  NOT NULL,
    kind       TEXT   NOT NULL CHECK (kind IN ('day', 'week', 'month', 'retrospective', 'current', 'future', 'profile', 'category')),
    -- What it is about: a thread, a layer, an entity, a category; empty for the agent.
    scope      TEXT   NOT NULL,
    span_from  BIGINT NOT NULL,
    span_until BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    -- Whether it is the newest version.
    newest     BIGINT NOT NULL CHECK (newest IN (0, 1)),
    text       TEXT   NOT NULL,
    -- The hash of what it was made of: while that stays the same, so does the digest.
    inputs     TEXT   NOT NULL,
    made_by    TEXT   NOT NULL,
    made_at    BIGINT NOT NULL,
    PRIMARY KEY (agent_id, number)
);
CREATE UNIQUE INDEX digest_by_id ON digest (agent_id, digest_id, version);
CREATE INDEX digest_by_kind ON digest (agent_id, kind, newest, scope, span_from);

-- What a version of a digest stands on: refs of memories and of other digests.
CREATE TABLE digest_source (
    agent_id BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    place    BIGINT NOT NULL,
    source   TEXT   NOT NULL,
    PRIMARY KEY (agent_id, number, place),
    FOREIGN KEY (agent_id, number) REFERENCES digest
);

-- What an entity is a part of, as far as they stand together.
CREATE TABLE topic (
    agent_id  BIGINT NOT NULL,
    entity_id BIGINT NOT NULL,
    parent_id BIGINT NOT NULL,
    -- In how many of its memories the parent stands as well.
    share     DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (agent_id, entity_id),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entity,
    FOREIGN KEY (agent_id, parent_id) REFERENCES entity
);
CREATE INDEX memory_by_beginning ON memory (agent_id, valid_from);
