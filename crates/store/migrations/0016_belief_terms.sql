-- The terms by which a verified belief is found, by their hash: derived from what it says, which never changes. One text for
-- SQLite and PostgreSQL.
CREATE TABLE belief_term (
    agent_id BIGINT NOT NULL,
    term     BIGINT NOT NULL,
    belief   BIGINT NOT NULL,
    PRIMARY KEY (agent_id, term, belief),
    FOREIGN KEY (agent_id, belief) REFERENCES belief
);
CREATE INDEX belief_term_by_belief ON belief_term (agent_id, belief);
-- How many there are; 0 while nobody has noted them, and then it is found by everything.
ALTER TABLE belief ADD COLUMN found_by BIGINT NOT NULL DEFAULT 0;
CREATE INDEX belief_without_terms ON belief (agent_id, number) WHERE lane = 'verified' AND found_by = 0;
