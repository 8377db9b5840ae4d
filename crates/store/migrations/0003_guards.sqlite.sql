-- What the two databases spell differently. What a memory said is never changed, no memory is taken away, and what is
-- immutable stays as it is: only its counters move.
CREATE TRIGGER memory_revision_is_never_changed BEFORE UPDATE ON memory_revision
BEGIN SELECT RAISE(ABORT, 'revisions are append-only'); END;
CREATE TRIGGER memory_revision_is_never_taken_away BEFORE DELETE ON memory_revision
BEGIN SELECT RAISE(ABORT, 'revisions are append-only'); END;
CREATE TRIGGER memory_is_never_taken_away BEFORE DELETE ON memory
BEGIN SELECT RAISE(ABORT, 'memories are invalidated, never deleted'); END;
CREATE TRIGGER memory_keeps_what_is_immutable BEFORE UPDATE ON memory
WHEN OLD.immutable = 1 AND NEW.immutable = 1 AND (NEW.revision <> OLD.revision OR NEW.tier <> OLD.tier
    OR NEW.status <> OLD.status OR NEW.valid_from <> OLD.valid_from OR NEW.valid_until IS NOT OLD.valid_until)
BEGIN SELECT RAISE(ABORT, 'this memory is immutable'); END;
-- Figures for a planner that cannot know them from an empty table; see 0001_statistics. The first number is how many rows
-- there are, the next how many the first column alone leaves (all of them), and so on.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('memory', 'sqlite_autoindex_memory_1', '25000 25000 1'),
    ('memory', 'memory_by_id', '25000 25000 1'),
    ('memory', 'memory_by_revision', '25000 25000 1'),
    ('memory', 'memory_by_session', '25000 25000 20 1'),
    ('memory', 'memory_by_source', '25000 25000 100'),
    ('memory_revision', 'sqlite_autoindex_memory_revision_1', '26000 26000 1'),
    ('memory_revision', 'memory_revision_by_number', '26000 26000 1 1'),
    ('evidence', 'sqlite_autoindex_evidence_1', '30000 30000 30000 2 1'),
    ('evidence', 'evidence_by_message', '30000 30000 2'),
    ('statement', 'sqlite_autoindex_statement_1', '25000 25000 2 1'),
    ('statement', 'statement_by_subject', '25000 25000 500 3 1'),
    ('memory_term', 'memory_term', '500000 500000 50 1'),
    ('memory_term', 'memory_term_by_number', '500000 500000 20'),
    ('relation', 'sqlite_autoindex_relation_1', '50000 50000 3 1 1'),
    ('relation', 'relation_by_end', '50000 50000 3'),
    ('entity', 'sqlite_autoindex_entity_1', '10000 10000 1'),
    ('entity', 'sqlite_autoindex_entity_2', '10000 10000 1'),
    ('mention', 'sqlite_autoindex_mention_1', '50000 50000 5 1'),
    ('mention', 'mention_by_memory', '50000 50000 2'),
    ('cooccurrence', 'sqlite_autoindex_cooccurrence_1', '30000 30000 3 1'),
    ('synaptic_tag', 'sqlite_autoindex_synaptic_tag_1', '20000 20000 1'),
    ('synaptic_tag', 'synaptic_tag_by_session', '20000 20000 10'),
    ('working_memory', 'sqlite_autoindex_working_memory_1', '9000 9000 9 1');
ANALYZE sqlite_schema;
