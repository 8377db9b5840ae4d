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
-- Figures for a planner that cannot know them from an empty table; see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('memory', 'memory_by_session', '25000 25000 20 1'),
    ('memory_term', 'memory_term', '500000 500000 50 1'),
    ('memory_term', 'memory_term_by_number', '500000 500000 20'),
    ('mention', 'mention_by_memory', '50000 50000 2'),
    ('statement', 'statement_by_subject', '25000 25000 500 3 1'),
    ('evidence', 'evidence_by_message', '25000 25000 2');
ANALYZE sqlite_schema;
