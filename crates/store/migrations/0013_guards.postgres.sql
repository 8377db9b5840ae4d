-- What the two databases spell differently. Nothing is taken away but what an operator erases, and what was erased stays so.
CREATE FUNCTION is_being_erased(agent BIGINT, what TEXT, which TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM erasing AS e WHERE e.agent_id = agent AND e.kind = what AND e.item = which)
$$;
-- It means this table, whatever its caller has made.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION is_being_erased SET search_path = %I, pg_temp', current_schema());
END $$;
CREATE OR REPLACE FUNCTION message_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF is_being_erased(OLD.agent_id, 'message', encode(OLD.message_id, 'hex')) THEN RETURN OLD; END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        -- Those that stay move up to where others were; what they say stays as it is.
        IF is_being_erased(OLD.agent_id, 'message', '*')
            AND ROW (NEW.agent_id, NEW.message_id, NEW.source_id, NEW.session_id, NEW.thread_id, NEW.mode, NEW.role, NEW.speaker,
                     NEW.said_at, NEW.recorded_at, NEW.text, NEW.text_fnv, NEW.metadata, NEW.archive_day, NEW.archive_bytes)
            IS NOT DISTINCT FROM
                ROW (OLD.agent_id, OLD.message_id, OLD.source_id, OLD.session_id, OLD.thread_id, OLD.mode, OLD.role, OLD.speaker,
                     OLD.said_at, OLD.recorded_at, OLD.text, OLD.text_fnv, OLD.metadata, OLD.archive_day, OLD.archive_bytes) THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'messages are append-only';
END $$;
CREATE OR REPLACE FUNCTION memory_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_ARGV[0] = 'immutable' THEN
        IF OLD.immutable = 1 AND NEW.immutable = 1 AND (NEW.revision <> OLD.revision OR NEW.tier <> OLD.tier
            OR NEW.status <> OLD.status OR NEW.valid_from <> OLD.valid_from
            OR NEW.valid_until IS DISTINCT FROM OLD.valid_until) THEN
            RAISE EXCEPTION 'this memory is immutable';
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' AND is_being_erased(OLD.agent_id, 'memory', OLD.number::text) THEN RETURN OLD; END IF;
    IF TG_ARGV[0] = 'revision' THEN
        IF TG_OP = 'UPDATE' AND is_being_erased(OLD.agent_id, 'related', OLD.number::text)
            AND ROW (NEW.agent_id, NEW.revision, NEW.number, NEW.text, NEW.verdict, NEW.written_at)
            IS NOT DISTINCT FROM ROW (OLD.agent_id, OLD.revision, OLD.number, OLD.text, OLD.verdict, OLD.written_at) THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'revisions are append-only';
    END IF;
    RAISE EXCEPTION 'memories are invalidated, never deleted';
END $$;
CREATE OR REPLACE FUNCTION memory_change_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (is_being_erased(OLD.agent_id, 'memory', OLD.number::text)
        OR is_being_erased(OLD.agent_id, 'related', OLD.number::text)) THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'changes are append-only';
END $$;
CREATE OR REPLACE FUNCTION belief_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF ROW (NEW.agent_id, NEW.number, NEW.belief_id, NEW.kind, NEW.subject_type, NEW.subject_id, NEW.canonical_key, NEW.value,
            NEW.summary, NEW.detail, NEW.tags, NEW.created_at) IS DISTINCT FROM
       ROW (OLD.agent_id, OLD.number, OLD.belief_id, OLD.kind, OLD.subject_type, OLD.subject_id, OLD.canonical_key, OLD.value,
            OLD.summary, OLD.detail, OLD.tags, OLD.created_at)
       OR (NEW.supersedes IS DISTINCT FROM OLD.supersedes AND (NEW.supersedes IS NOT NULL
           OR NOT is_being_erased(OLD.agent_id, 'belief', OLD.supersedes::text))) THEN
        RAISE EXCEPTION 'a belief that says something else is another belief';
    END IF;
    IF NEW.status <> OLD.status AND OLD.status NOT IN ('active', 'stale') AND (NEW.status <> 'invalidated'
        OR NOT is_being_erased(OLD.agent_id, 'orphan', OLD.number::text)) THEN
        RAISE EXCEPTION 'a belief that no longer stands never comes back';
    END IF;
    IF NEW.lane <> OLD.lane AND OLD.lane <> 'candidate' THEN
        RAISE EXCEPTION 'a verified belief is retracted, never a candidate again';
    END IF;
    RETURN NEW;
END $$;
-- What a guard says, and what lets a row go: the kind it is erased as, and the column that names it.
CREATE FUNCTION only_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF is_being_erased(OLD.agent_id, TG_ARGV[1], to_jsonb(OLD) ->> TG_ARGV[2]) THEN RETURN OLD; END IF;
    RAISE EXCEPTION '%', TG_ARGV[0];
END $$;
DROP TRIGGER belief_is_never_taken_away ON belief;
CREATE TRIGGER belief_is_never_taken_away BEFORE DELETE ON belief
    FOR EACH ROW EXECUTE FUNCTION only_erased('beliefs are superseded, never deleted', 'belief', 'number');
DROP TRIGGER belief_evidence_is_never_changed ON belief_evidence;
CREATE TRIGGER belief_evidence_is_never_changed BEFORE UPDATE ON belief_evidence
    FOR EACH ROW EXECUTE FUNCTION belief_is_append_only('evidence is append-only');
CREATE TRIGGER belief_evidence_is_never_taken_away BEFORE DELETE ON belief_evidence
    FOR EACH ROW EXECUTE FUNCTION only_erased('evidence is append-only', 'belief', 'belief');
DROP TRIGGER evidence_is_never_taken_away ON evidence;
CREATE TRIGGER evidence_is_never_taken_away BEFORE DELETE ON evidence
    FOR EACH ROW EXECUTE FUNCTION only_erased('evidence is append-only', 'memory', 'owner');
DROP TRIGGER receipt_detail_is_never_changed ON receipt_detail;
CREATE TRIGGER receipt_detail_is_never_changed BEFORE UPDATE ON receipt_detail
    FOR EACH ROW EXECUTE FUNCTION belief_is_append_only('receipts are append-only');
CREATE TRIGGER receipt_detail_is_never_taken_away BEFORE DELETE ON receipt_detail
    FOR EACH ROW EXECUTE FUNCTION only_erased('receipts are append-only', 'receipt', 'number');
CREATE FUNCTION tombstone_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what was erased stays erased';
END $$;
CREATE TRIGGER tombstone_is_never_changed BEFORE UPDATE OR DELETE ON tombstone
    FOR EACH ROW EXECUTE FUNCTION tombstone_is_kept();
CREATE TRIGGER tombstone_is_never_emptied BEFORE TRUNCATE ON tombstone
    FOR EACH STATEMENT EXECUTE FUNCTION tombstone_is_kept();
