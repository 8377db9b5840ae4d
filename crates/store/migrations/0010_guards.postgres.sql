-- What was written in the diary stays as it is; only that it was taken in is noted.
CREATE FUNCTION diary_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'the diary is append-only'; END IF;
    IF OLD.sealed <> NEW.sealed OR OLD.key_id <> NEW.key_id OR OLD.entry_id <> NEW.entry_id
        OR OLD.written_at <> NEW.written_at THEN
        RAISE EXCEPTION 'the diary is append-only';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER diary_entry_is_never_changed BEFORE UPDATE OR DELETE ON diary_entry
    FOR EACH ROW EXECUTE FUNCTION diary_is_kept();

-- One more kind of digest: stretches.
ALTER TABLE digest DROP CONSTRAINT digest_kind_check;
ALTER TABLE digest ADD CONSTRAINT digest_kind_check CHECK (kind IN
    ('day', 'week', 'month', 'retrospective', 'current', 'future', 'profile', 'category', 'stretch'));
