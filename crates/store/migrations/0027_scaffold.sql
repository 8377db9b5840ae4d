-- What a proposal that came of friction expects, how one sees whether it came, and how to take it back, as JSON. One text for SQLite
-- and PostgreSQL.
ALTER TABLE proposal ADD COLUMN scaffold TEXT;
