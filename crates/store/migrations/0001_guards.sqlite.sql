-- What the two databases spell differently. Words are never changed and never taken away.
CREATE TRIGGER message_is_never_changed BEFORE UPDATE ON message
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER message_is_never_taken_away BEFORE DELETE ON message
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
