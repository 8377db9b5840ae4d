-- What is pinned comes with every question; without this every memory is looked at to find it.
CREATE INDEX memory_pinned ON memory (agent_id, number) WHERE pinned = 1;
-- Only what was used since it was made is looked for by when that was.
DROP INDEX memory_by_access;
CREATE INDEX memory_by_access ON memory (agent_id, accessed_at) WHERE accesses > 0;
-- Nothing is looked for by these.
DROP INDEX memory_by_source;
DROP INDEX memory_by_beginning;
