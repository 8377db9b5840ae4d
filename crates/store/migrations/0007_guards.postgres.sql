-- What a digest said is never changed; only that a newer version has taken its place.
CREATE FUNCTION digest_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.text <> NEW.text OR OLD.inputs <> NEW.inputs OR OLD.version <> NEW.version THEN
        RAISE EXCEPTION 'digests have versions';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER digest_is_never_changed BEFORE UPDATE ON digest FOR EACH ROW EXECUTE FUNCTION digest_is_kept();
