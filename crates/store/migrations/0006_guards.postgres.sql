-- What the two databases spell differently. What was changed is never told otherwise later.
CREATE FUNCTION memory_change_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'changes are append-only';
END $$;
CREATE TRIGGER memory_change_is_never_changed BEFORE UPDATE OR DELETE ON memory_change
    FOR EACH ROW EXECUTE FUNCTION memory_change_is_append_only();
