-- What the two databases spell differently. Words are never changed and never taken away.
CREATE FUNCTION message_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'messages are append-only';
END $$;
CREATE TRIGGER message_is_never_changed BEFORE UPDATE OR DELETE ON message
    FOR EACH ROW EXECUTE FUNCTION message_is_append_only();
CREATE TRIGGER message_is_never_emptied BEFORE TRUNCATE ON message
    FOR EACH STATEMENT EXECUTE FUNCTION message_is_append_only();

-- Where the numbers of agents come from.
CREATE SEQUENCE agent_number;

-- A view answers with the rights of whoever asks, so that row-level security holds for it too.
ALTER VIEW exchange SET (security_invoker = true);

-- What embedded mode finds in its index: messages by the time they were said, and the lines of one archive day.
CREATE INDEX message_by_time ON message (agent_id, said_at, seq);
CREATE INDEX message_by_archive_day ON message (agent_id, archive_day, seq);
