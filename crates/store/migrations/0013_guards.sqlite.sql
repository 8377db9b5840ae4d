-- What the two databases spell differently. Nothing is taken away but what an operator erases, and what was erased stays so.
DROP TRIGGER memory_revision_is_never_changed;
CREATE TRIGGER memory_revision_is_never_changed BEFORE UPDATE ON memory_revision
WHEN NEW.text <> OLD.text OR NEW.number <> OLD.number OR NEW.revision <> OLD.revision OR NEW.verdict <> OLD.verdict
    OR NEW.written_at <> OLD.written_at OR NEW.agent_id <> OLD.agent_id
    OR NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind = 'related'
        AND e.item = CAST(OLD.number AS TEXT))
BEGIN SELECT RAISE(ABORT, 'revisions are append-only'); END;
DROP TRIGGER memory_revision_is_never_taken_away;
CREATE TRIGGER memory_revision_is_never_taken_away BEFORE DELETE ON memory_revision
WHEN NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind = 'memory'
    AND e.item = CAST(OLD.number AS TEXT))
BEGIN SELECT RAISE(ABORT, 'revisions are append-only'); END;
DROP TRIGGER memory_is_never_taken_away;
CREATE TRIGGER memory_is_never_taken_away BEFORE DELETE ON memory
WHEN NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind = 'memory'
    AND e.item = CAST(OLD.number AS TEXT))
BEGIN SELECT RAISE(ABORT, 'memories are invalidated, never deleted'); END;
DROP TRIGGER memory_change_is_never_taken_away;
CREATE TRIGGER memory_change_is_never_taken_away BEFORE DELETE ON memory_change
WHEN NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind IN ('memory', 'related')
    AND e.item = CAST(OLD.number AS TEXT))
BEGIN SELECT RAISE(ABORT, 'changes are append-only'); END;
DROP TRIGGER evidence_is_never_taken_away;
CREATE TRIGGER evidence_is_never_taken_away BEFORE DELETE ON evidence
WHEN OLD.owner_kind <> 'memory' OR NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id
    AND e.kind = 'memory' AND e.item = CAST(OLD.owner AS TEXT))
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
DROP TRIGGER belief_says_the_same;
CREATE TRIGGER belief_says_the_same BEFORE UPDATE ON belief
WHEN NEW.agent_id <> OLD.agent_id OR NEW.number <> OLD.number OR NEW.belief_id <> OLD.belief_id OR NEW.kind <> OLD.kind
    OR NEW.subject_type <> OLD.subject_type OR NEW.subject_id <> OLD.subject_id OR NEW.canonical_key <> OLD.canonical_key
    OR NEW.value <> OLD.value OR NEW.summary <> OLD.summary OR NEW.detail <> OLD.detail OR NEW.tags <> OLD.tags
    OR NEW.created_at <> OLD.created_at OR (NEW.supersedes IS NOT OLD.supersedes AND (NEW.supersedes IS NOT NULL
        OR NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind = 'belief'
            AND e.item = CAST(OLD.supersedes AS TEXT))))
BEGIN SELECT RAISE(ABORT, 'a belief that says something else is another belief'); END;
DROP TRIGGER belief_never_comes_back;
CREATE TRIGGER belief_never_comes_back BEFORE UPDATE OF status ON belief
WHEN NEW.status <> OLD.status AND OLD.status NOT IN ('active', 'stale') AND (NEW.status <> 'invalidated'
    OR NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind = 'orphan'
        AND e.item = CAST(OLD.number AS TEXT)))
BEGIN SELECT RAISE(ABORT, 'a belief that no longer stands never comes back'); END;
DROP TRIGGER belief_is_never_taken_away;
CREATE TRIGGER belief_is_never_taken_away BEFORE DELETE ON belief
WHEN NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind = 'belief'
    AND e.item = CAST(OLD.number AS TEXT))
BEGIN SELECT RAISE(ABORT, 'beliefs are superseded, never deleted'); END;
DROP TRIGGER belief_evidence_is_never_taken_away;
CREATE TRIGGER belief_evidence_is_never_taken_away BEFORE DELETE ON belief_evidence
WHEN NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind = 'belief'
    AND e.item = CAST(OLD.belief AS TEXT))
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
DROP TRIGGER receipt_detail_is_never_taken_away;
CREATE TRIGGER receipt_detail_is_never_taken_away BEFORE DELETE ON receipt_detail
WHEN NOT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = OLD.agent_id AND e.kind = 'receipt'
    AND e.item = CAST(OLD.number AS TEXT))
BEGIN SELECT RAISE(ABORT, 'receipts are append-only'); END;
CREATE TRIGGER tombstone_is_never_changed BEFORE UPDATE ON tombstone
BEGIN SELECT RAISE(ABORT, 'what was erased stays erased'); END;
CREATE TRIGGER tombstone_is_never_taken_away BEFORE DELETE ON tombstone
BEGIN SELECT RAISE(ABORT, 'what was erased stays erased'); END;
