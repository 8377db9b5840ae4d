-- A decision about a proposal that writes a file is noted before the file is written, so that whoever opens the memory after a
-- crash finishes or forgets it. One text for SQLite and PostgreSQL.
ALTER TABLE proposal ADD COLUMN unfinished TEXT;
CREATE INDEX proposal_unfinished ON proposal (agent_id, proposal_id) WHERE unfinished IS NOT NULL;
