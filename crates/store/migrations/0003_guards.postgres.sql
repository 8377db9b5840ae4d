-- What the two databases spell differently. What a memory said is never changed, no memory is taken away, and what is
-- immutable stays as it is: only its counters move.
CREATE FUNCTION memory_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_ARGV[0] = 'immutable' THEN
        IF OLD.immutable = 1 AND NEW.immutable = 1 AND (NEW.revision <> OLD.revision OR NEW.tier <> OLD.tier
            OR NEW.status <> OLD.status OR NEW.valid_from <> OLD.valid_from
            OR NEW.valid_until IS DISTINCT FROM OLD.valid_until) THEN
            RAISE EXCEPTION 'this memory is immutable';
        END IF;
        RETURN NEW;
    END IF;
    IF TG_ARGV[0] = 'revision' THEN RAISE EXCEPTION 'revisions are append-only'; END IF;
    RAISE EXCEPTION 'memories are invalidated, never deleted';
END $$;
CREATE TRIGGER memory_revision_is_never_changed BEFORE UPDATE OR DELETE ON memory_revision
    FOR EACH ROW EXECUTE FUNCTION memory_is_kept('revision');
CREATE TRIGGER memory_is_never_taken_away BEFORE DELETE ON memory
    FOR EACH ROW EXECUTE FUNCTION memory_is_kept('memory');
CREATE TRIGGER memory_keeps_what_is_immutable BEFORE UPDATE ON memory
    FOR EACH ROW EXECUTE FUNCTION memory_is_kept('immutable');
