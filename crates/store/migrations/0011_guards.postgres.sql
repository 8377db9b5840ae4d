-- What the two databases spell differently. A belief begins as a candidate, says the same for as long as it is there, follows
-- one of its own key and never comes back once it no longer stands. What speaks for and against it is never changed or taken
-- away, and neither is a receipt.
CREATE FUNCTION belief_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.lane <> 'candidate' THEN RAISE EXCEPTION 'a belief begins as a candidate'; END IF;
    IF NEW.supersedes IS NOT NULL AND NOT EXISTS (SELECT 1 FROM belief AS b WHERE b.agent_id = NEW.agent_id
        AND b.number = NEW.supersedes AND b.canonical_key = NEW.canonical_key AND b.status NOT IN ('active', 'stale')) THEN
        RAISE EXCEPTION 'a belief follows one of its own key that no longer stands';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER belief_begins BEFORE INSERT ON belief FOR EACH ROW EXECUTE FUNCTION belief_begins();
CREATE FUNCTION belief_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF ROW (NEW.agent_id, NEW.number, NEW.belief_id, NEW.kind, NEW.subject_type, NEW.subject_id, NEW.canonical_key, NEW.value,
            NEW.summary, NEW.detail, NEW.tags, NEW.supersedes, NEW.created_at) IS DISTINCT FROM
       ROW (OLD.agent_id, OLD.number, OLD.belief_id, OLD.kind, OLD.subject_type, OLD.subject_id, OLD.canonical_key, OLD.value,
            OLD.summary, OLD.detail, OLD.tags, OLD.supersedes, OLD.created_at) THEN
        RAISE EXCEPTION 'a belief that says something else is another belief';
    END IF;
    IF NEW.status <> OLD.status AND OLD.status NOT IN ('active', 'stale') THEN
        RAISE EXCEPTION 'a belief that no longer stands never comes back';
    END IF;
    IF NEW.lane <> OLD.lane AND OLD.lane <> 'candidate' THEN
        RAISE EXCEPTION 'a verified belief is retracted, never a candidate again';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER belief_is_kept BEFORE UPDATE ON belief FOR EACH ROW EXECUTE FUNCTION belief_is_kept();
CREATE FUNCTION belief_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0];
END $$;
CREATE TRIGGER belief_is_never_taken_away BEFORE DELETE ON belief
    FOR EACH ROW EXECUTE FUNCTION belief_is_append_only('beliefs are superseded, never deleted');
CREATE TRIGGER belief_evidence_is_never_changed BEFORE UPDATE OR DELETE ON belief_evidence
    FOR EACH ROW EXECUTE FUNCTION belief_is_append_only('evidence is append-only');
CREATE TRIGGER belief_is_never_emptied BEFORE TRUNCATE ON belief
    FOR EACH STATEMENT EXECUTE FUNCTION belief_is_append_only('beliefs are superseded, never deleted');
CREATE TRIGGER belief_evidence_is_never_emptied BEFORE TRUNCATE ON belief_evidence
    FOR EACH STATEMENT EXECUTE FUNCTION belief_is_append_only('evidence is append-only');
-- What a memory rests on stays as well; only where in its source it stands may be told anew.
CREATE FUNCTION evidence_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF ROW (NEW.owner_kind, NEW.owner, NEW.place, NEW.message_id, NEW.stance, NEW.excerpt, NEW.quote_hash, NEW.root)
       IS DISTINCT FROM
       ROW (OLD.owner_kind, OLD.owner, OLD.place, OLD.message_id, OLD.stance, OLD.excerpt, OLD.quote_hash, OLD.root) THEN
        RAISE EXCEPTION 'evidence is append-only';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER evidence_keeps_its_words BEFORE UPDATE ON evidence FOR EACH ROW EXECUTE FUNCTION evidence_is_kept();
CREATE TRIGGER evidence_is_never_taken_away BEFORE DELETE ON evidence
    FOR EACH ROW EXECUTE FUNCTION belief_is_append_only('evidence is append-only');
CREATE FUNCTION receipt_follows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number <> (SELECT COALESCE(MAX(r.number), 0) + 1 FROM receipt AS r WHERE r.agent_id = NEW.agent_id)
        OR NEW.previous <> COALESCE((SELECT r.hash FROM receipt AS r WHERE r.agent_id = NEW.agent_id
            AND r.number = NEW.number - 1), decode(repeat('00', 32), 'hex')) THEN
        RAISE EXCEPTION 'a receipt follows the last one';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER receipt_follows_the_last BEFORE INSERT ON receipt FOR EACH ROW EXECUTE FUNCTION receipt_follows();
CREATE TRIGGER receipt_is_never_changed BEFORE UPDATE OR DELETE ON receipt
    FOR EACH ROW EXECUTE FUNCTION belief_is_append_only('receipts are append-only');
CREATE TRIGGER receipt_detail_is_never_changed BEFORE UPDATE OR DELETE ON receipt_detail
    FOR EACH ROW EXECUTE FUNCTION belief_is_append_only('receipts are append-only');
CREATE TRIGGER receipt_is_never_emptied BEFORE TRUNCATE ON receipt
    FOR EACH STATEMENT EXECUTE FUNCTION belief_is_append_only('receipts are append-only');
