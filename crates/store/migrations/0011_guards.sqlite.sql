-- What the two databases spell differently. A belief begins as a candidate, says the same for as long as it is there, follows
-- one of its own key and never comes back once it no longer stands. What speaks for and against it is never changed or taken
-- away, and neither is a receipt.
CREATE TRIGGER belief_begins_as_a_candidate BEFORE INSERT ON belief WHEN NEW.lane <> 'candidate'
BEGIN SELECT RAISE(ABORT, 'a belief begins as a candidate'); END;
CREATE TRIGGER belief_follows_its_own_key BEFORE INSERT ON belief
WHEN NEW.supersedes IS NOT NULL AND NOT EXISTS (SELECT 1 FROM belief AS b WHERE b.agent_id = NEW.agent_id
    AND b.number = NEW.supersedes AND b.canonical_key = NEW.canonical_key AND b.status NOT IN ('active', 'stale'))
BEGIN SELECT RAISE(ABORT, 'a belief follows one of its own key that no longer stands'); END;
CREATE TRIGGER belief_says_the_same BEFORE UPDATE ON belief
WHEN NEW.agent_id <> OLD.agent_id OR NEW.number <> OLD.number OR NEW.belief_id <> OLD.belief_id OR NEW.kind <> OLD.kind
    OR NEW.subject_type <> OLD.subject_type OR NEW.subject_id <> OLD.subject_id OR NEW.canonical_key <> OLD.canonical_key
    OR NEW.value <> OLD.value OR NEW.summary <> OLD.summary OR NEW.detail <> OLD.detail OR NEW.tags <> OLD.tags
    OR NEW.supersedes IS NOT OLD.supersedes OR NEW.created_at <> OLD.created_at
BEGIN SELECT RAISE(ABORT, 'a belief that says something else is another belief'); END;
CREATE TRIGGER belief_never_comes_back BEFORE UPDATE OF status ON belief
WHEN NEW.status <> OLD.status AND OLD.status NOT IN ('active', 'stale')
BEGIN SELECT RAISE(ABORT, 'a belief that no longer stands never comes back'); END;
CREATE TRIGGER belief_is_never_a_candidate_again BEFORE UPDATE OF lane ON belief
WHEN NEW.lane <> OLD.lane AND OLD.lane <> 'candidate'
BEGIN SELECT RAISE(ABORT, 'a verified belief is retracted, never a candidate again'); END;
CREATE TRIGGER belief_is_never_taken_away BEFORE DELETE ON belief
BEGIN SELECT RAISE(ABORT, 'beliefs are superseded, never deleted'); END;
CREATE TRIGGER belief_evidence_is_never_changed BEFORE UPDATE ON belief_evidence
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER belief_evidence_is_never_taken_away BEFORE DELETE ON belief_evidence
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
-- What a memory rests on stays as well; only where in its source it stands may be told anew.
CREATE TRIGGER evidence_keeps_its_words BEFORE UPDATE ON evidence
WHEN NEW.owner_kind <> OLD.owner_kind OR NEW.owner <> OLD.owner OR NEW.place <> OLD.place OR NEW.message_id IS NOT OLD.message_id
    OR NEW.stance <> OLD.stance OR NEW.excerpt <> OLD.excerpt OR NEW.quote_hash <> OLD.quote_hash OR NEW.root <> OLD.root
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER evidence_is_never_taken_away BEFORE DELETE ON evidence
BEGIN SELECT RAISE(ABORT, 'evidence is append-only'); END;
CREATE TRIGGER receipt_follows_the_last BEFORE INSERT ON receipt
WHEN NEW.number <> (SELECT COALESCE(MAX(r.number), 0) + 1 FROM receipt AS r WHERE r.agent_id = NEW.agent_id)
    OR NEW.previous <> COALESCE((SELECT r.hash FROM receipt AS r WHERE r.agent_id = NEW.agent_id
        AND r.number = NEW.number - 1), zeroblob(32))
BEGIN SELECT RAISE(ABORT, 'a receipt follows the last one'); END;
CREATE TRIGGER receipt_is_never_changed BEFORE UPDATE ON receipt
BEGIN SELECT RAISE(ABORT, 'receipts are append-only'); END;
CREATE TRIGGER receipt_is_never_taken_away BEFORE DELETE ON receipt
BEGIN SELECT RAISE(ABORT, 'receipts are append-only'); END;
CREATE TRIGGER receipt_detail_is_never_changed BEFORE UPDATE ON receipt_detail
BEGIN SELECT RAISE(ABORT, 'receipts are append-only'); END;
CREATE TRIGGER receipt_detail_is_never_taken_away BEFORE DELETE ON receipt_detail
BEGIN SELECT RAISE(ABORT, 'receipts are append-only'); END;
-- Figures for a planner that cannot know them from an empty table; see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('belief', 'sqlite_autoindex_belief_1', '20000 20000 1'),
    ('belief', 'belief_by_id', '20000 20000 1'),
    ('belief', 'belief_one_is_active', '15000 15000 1'),
    ('belief', 'belief_one_stands', '16000 16000 1'),
    ('belief', 'belief_one_follows', '4000 4000 1'),
    ('belief', 'belief_by_key', '20000 20000 2 1'),
    ('belief', 'belief_by_kind', '20000 20000 2500 800'),
    ('belief', 'belief_by_due', '20000 20000 2'),
    ('belief', 'belief_by_rank', '20000 20000 40 4'),
    ('belief_evidence', 'sqlite_autoindex_belief_evidence_1', '50000 50000 3 1'),
    ('belief_evidence', 'belief_evidence_by_memory', '50000 50000 2'),
    ('receipt', 'sqlite_autoindex_receipt_1', '60000 60000 1'),
    ('receipt', 'receipt_by_subject', '60000 60000 3 1'),
    ('receipt_detail', 'sqlite_autoindex_receipt_detail_1', '60000 60000 1');
ANALYZE sqlite_schema;
