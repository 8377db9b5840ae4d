-- Before the tables are distributed: what their shards could not keep. Foreign keys to the list of agents, which stays on the
-- coordinator; policies that look agents or memories up; and guards against emptying a table, which keep the rows that were copied
-- to shards from being removed here. `walls.postgres.sql` and `after_distribution.sql` put walls and guards up again.
CREATE TEMPORARY TABLE distribution_guard (definition TEXT NOT NULL) ON COMMIT DROP;
DO $$
DECLARE
    found RECORD;
    policy RECORD;
BEGIN
    FOR found IN SELECT conname, conrelid::regclass AS name FROM pg_constraint
        WHERE contype = 'f' AND confrelid = 'agent'::regclass
    LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.name, found.conname);
    END LOOP;
    FOR found IN SELECT c.oid::regclass AS name FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'agent_id' AND NOT a.attisdropped
        WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> 'agent' AND c.relrowsecurity
    LOOP
        FOR policy IN SELECT p.polname FROM pg_policy AS p WHERE p.polrelid = found.name::regclass LOOP
            EXECUTE format('DROP POLICY %I ON %s', policy.polname, found.name);
        END LOOP;
        EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY', found.name);
    END LOOP;
    FOR found IN SELECT t.tgname, t.tgrelid::regclass AS name, pg_get_triggerdef(t.oid) AS definition FROM pg_trigger AS t
        JOIN pg_class AS c ON c.oid = t.tgrelid
        WHERE NOT t.tgisinternal AND t.tgtype & 32 <> 0 AND c.relnamespace = current_schema()::regnamespace
    LOOP
        INSERT INTO distribution_guard VALUES (found.definition);
        EXECUTE format('DROP TRIGGER %I ON %s', found.tgname, found.name);
    END LOOP;
END $$;
