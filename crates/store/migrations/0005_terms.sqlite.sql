-- In a folder the terms of what a memory says stand in one row for each revision, as hashes of eight bytes; who asks which
-- memories hold a term keeps them in memory. On a server `memory_term` stays.
DROP TABLE memory_term;
CREATE TABLE revision_term (
    agent_id BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    terms    BLOB   NOT NULL,
    PRIMARY KEY (agent_id, revision)
) WITHOUT ROWID;
DELETE FROM sqlite_stat1 WHERE tbl = 'memory_term';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('revision_term', 'revision_term', '26000 26000 1');
ANALYZE sqlite_schema;
