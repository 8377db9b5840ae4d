-- Who may be given a belief that was verified: an operator narrows it when accepting. One text for SQLite and PostgreSQL.
ALTER TABLE belief ADD COLUMN allowed_consumers TEXT NOT NULL DEFAULT 'context_injection recall';
