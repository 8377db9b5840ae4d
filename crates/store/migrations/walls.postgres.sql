-- Row-level security, the second wall between agents: whatever a statement says, it touches only the agent whose name the
-- connection has set as `cairn.agent`. Run after every migration, so that no table is forgotten. Everybody is behind the
-- wall of a table with an agent in it, its owner too, except for two: the list of agents, and the keyword index, which
-- holds no words; see `keyword_hits`.
DO $$
DECLARE
    name regclass;
    -- A machine of a cluster cannot look agents up: there a transaction says the agent's number as `cairn.agent_id`.
    wall TEXT := 'agent_id = (SELECT a.agent_id FROM agent AS a WHERE a.name = current_setting(''cairn.agent'', true))';
    distributed BOOLEAN := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = ''message''::regclass)' INTO distributed;
    END IF;
    IF distributed THEN
        wall := 'agent_id = CAST(nullif(current_setting(''cairn.agent_id'', true), '''') AS BIGINT)';
    END IF;
    FOR name IN
        SELECT c.oid::regclass FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'agent_id' AND NOT a.attisdropped
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
        AND c.relname <> 'agent' AND NOT c.relrowsecurity
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
        -- Only tables in parts have a root.
        IF COALESCE(pg_partition_root(name), name) <> 'keyword'::regclass THEN
            EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
        END IF;
        EXECUTE format('CREATE POLICY one_agent ON %s USING (%s)', name, wall);
    END LOOP;
    IF NOT (SELECT relrowsecurity FROM pg_class WHERE oid = 'agent'::regclass) THEN
        ALTER TABLE agent ENABLE ROW LEVEL SECURITY;
        CREATE POLICY one_agent ON agent USING (name = current_setting('cairn.agent', true));
    END IF;
    -- Names in a function that looks from before the wall mean these tables, whatever its caller has made.
    EXECUTE format('ALTER FUNCTION keyword_hits SET search_path = %I, pg_temp', current_schema());
    -- Parts of a table do not inherit a guard against emptying them.
    FOR name IN
        SELECT i.inhrelid::regclass FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhparent
        WHERE c.relname = 'message' AND c.relnamespace = current_schema()::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_trigger AS t WHERE t.tgrelid = i.inhrelid AND t.tgname = 'message_is_never_emptied')
    LOOP
        EXECUTE format('CREATE TRIGGER message_is_never_emptied BEFORE TRUNCATE ON %s
                        FOR EACH STATEMENT EXECUTE FUNCTION message_is_append_only()', name);
    END LOOP;
END $$;
