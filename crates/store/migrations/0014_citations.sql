-- From a record to the digests that cite it. One text for SQLite and PostgreSQL.
CREATE INDEX digest_by_source ON digest_source (agent_id, source, number);
