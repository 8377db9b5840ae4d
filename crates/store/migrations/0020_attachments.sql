-- Attachments: receipts of files that were shown to an agent, the turns they appeared in, and the text that came out of them
-- in parts that can be found. The files stay where they are. One text for SQLite and PostgreSQL. agent_id comes first in every
-- key.
CREATE TABLE attachment (
    agent_id      BIGINT NOT NULL REFERENCES agent,
    -- The beginning of the hash of its content.
    attachment_id BYTEA  NOT NULL,
    kind          TEXT   NOT NULL,
    name          TEXT   NOT NULL,
    mime          TEXT   NOT NULL,
    bytes         BIGINT NOT NULL,
    sha256        TEXT   NOT NULL,
    -- The absolute path it was read from last; none if it came over the network.
    source        TEXT,
    modified_ns   BIGINT NOT NULL,
    pages         BIGINT NOT NULL,
    width         BIGINT,
    height        BIGINT,
    -- All the text that came out of it, and its beginning.
    text          TEXT   NOT NULL,
    excerpt       TEXT   NOT NULL,
    -- How the text was made.
    route         TEXT   NOT NULL,
    note          TEXT   NOT NULL,
    attached_at   BIGINT NOT NULL,
    PRIMARY KEY (agent_id, attachment_id)
) /* sqlite: WITHOUT ROWID */;
CREATE TABLE attachment_turn (
    agent_id      BIGINT NOT NULL,
    attachment_id BYTEA  NOT NULL,
    place         BIGINT NOT NULL,
    session       TEXT,
    thread        TEXT,
    -- The message that was said last in the session then.
    message_id    BYTEA,
    at            BIGINT NOT NULL,
    PRIMARY KEY (agent_id, attachment_id, place),
    FOREIGN KEY (agent_id, attachment_id) REFERENCES attachment
) /* sqlite: WITHOUT ROWID */;
CREATE TABLE attachment_part (
    agent_id      BIGINT NOT NULL,
    number        BIGINT NOT NULL,
    attachment_id BYTEA  NOT NULL,
    -- 'p2.1' for the first part of a page, 'L3-L9' for lines.
    place         TEXT   NOT NULL,
    text          TEXT   NOT NULL,
    PRIMARY KEY (agent_id, number),
    FOREIGN KEY (agent_id, attachment_id) REFERENCES attachment
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX attachment_part_by_attachment ON attachment_part (agent_id, attachment_id);
-- The terms by which a part is found, by their hash.
CREATE TABLE attachment_term (
    agent_id BIGINT NOT NULL,
    term     BIGINT NOT NULL,
    part     BIGINT NOT NULL,
    PRIMARY KEY (agent_id, term, part),
    FOREIGN KEY (agent_id, part) REFERENCES attachment_part
) /* sqlite: WITHOUT ROWID */;
CREATE INDEX attachment_term_by_part ON attachment_term (agent_id, part);
