-- Vectors: what is near in meaning. One text for SQLite and PostgreSQL. agent_id comes first in every key.

-- A model that turns texts into vectors, and how far it came with the messages of this agent.
CREATE TABLE embedder (
    agent_id    BIGINT NOT NULL REFERENCES agent,
    embedder_id BIGINT NOT NULL,
    name        TEXT   NOT NULL,
    dimension   BIGINT NOT NULL CHECK (dimension > 0),
    -- One is active and answers; another may be filling to take its place; a retired one waits to be taken away.
    state       TEXT   NOT NULL CHECK (state IN ('filling', 'active', 'retired')),
    -- Every message before this one has its vectors, no message from here on has any: the queue is what follows.
    reached     BIGINT NOT NULL,
    -- How many vectors of messages there are.
    vectors     BIGINT NOT NULL,
    -- Also moves when a retired one comes back, so that index files of its former life are not believed.
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, embedder_id),
    UNIQUE (agent_id, name)
);

-- The vectors of everything that has any: half-precision floats, little endian, as many as the embedder's dimension.
-- Without a rowid: 819 bytes on disk for a vector of 384 numbers (768 bytes); with one it would be 847.
CREATE TABLE embedding (
    agent_id    BIGINT NOT NULL,
    embedder_id BIGINT NOT NULL,
    kind        TEXT   NOT NULL,
    item        BIGINT NOT NULL,
    part        BIGINT NOT NULL,
    vector      BYTEA  NOT NULL,
    PRIMARY KEY (agent_id, embedder_id, kind, item, part),
    FOREIGN KEY (agent_id, embedder_id) REFERENCES embedder
) /* sqlite: WITHOUT ROWID */;
