-- What is immutable cannot be made mutable, and gets no further text.
CREATE FUNCTION memory_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_ARGV[0] = 'flag' THEN
        IF OLD.immutable = 1 AND NEW.immutable <> 1 THEN RAISE EXCEPTION 'this memory is immutable'; END IF;
    ELSIF EXISTS (SELECT 1 FROM memory AS m WHERE m.agent_id = NEW.agent_id AND m.number = NEW.number
        AND m.immutable = 1 AND m.revision < NEW.revision) THEN
        RAISE EXCEPTION 'this memory is immutable';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER memory_stays_immutable BEFORE UPDATE ON memory
    FOR EACH ROW EXECUTE FUNCTION memory_is_immutable('flag');
CREATE TRIGGER memory_revision_of_the_immutable BEFORE INSERT ON memory_revision
    FOR EACH ROW EXECUTE FUNCTION memory_is_immutable('revision');
