-- Row-level security for readers: a transaction that has set `cairn.share`, the share by which another agent reads this one, sees
-- the memories that it covers and nothing else, whatever a statement says, and changes nothing. Run after the walls. What a share
-- says is compared as a setting: a policy that looked into another table would look at every part of it, and a machine of a cluster
-- cannot. There, the rows that only name a memory are held to a share by the program alone.
DO $$
DECLARE
    name regclass;
    rows_of TEXT;
    alone TEXT := 'COALESCE(current_setting(''cairn.share'', true), '''') = ''''';
    share TEXT := 'CAST(nullif(current_setting(''cairn.share'', true), '''') AS JSONB)';
    by_entity TEXT := 'names_shared_entity(agent_id, number)';
    of_memory TEXT := 'is_shared_memory(agent_id, number)';
    of_revision TEXT := 'is_shared_revision(agent_id, %s)';
    distributed BOOLEAN := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = ''message''::regclass)' INTO distributed;
    END IF;
    IF distributed THEN
        by_entity := 'true';
        of_memory := 'true';
        of_revision := 'true';
    ELSE
        -- Evaluated once a statement.
        alone := '(SELECT ' || alone || ')';
        share := '(SELECT ' || share || ')';
        -- What a memory is shared by is looked up row by row, in the part of its agent, by the rights and behind the walls of whoever
        -- asks. Names mean these tables, whatever the asker has made.
        EXECUTE format('CREATE OR REPLACE FUNCTION is_shared_memory(owner BIGINT, wanted BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE
            AS $f$ BEGIN RETURN EXISTS (SELECT 1 FROM %I.memory AS m WHERE m.agent_id = owner AND m.number = wanted); END $f$', current_schema());
        EXECUTE format('CREATE OR REPLACE FUNCTION is_shared_revision(owner BIGINT, wanted BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE
            AS $f$ BEGIN RETURN EXISTS (SELECT 1 FROM %I.memory AS m WHERE m.agent_id = owner AND m.revision = wanted); END $f$', current_schema());
        EXECUTE format('CREATE OR REPLACE FUNCTION names_shared_entity(owner BIGINT, wanted BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql STABLE
            AS $f$ BEGIN RETURN EXISTS (SELECT 1 FROM %I.mention AS x WHERE x.agent_id = owner AND x.number = wanted); END $f$', current_schema());
    END IF;
    FOR name IN
        SELECT c.oid::regclass FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'agent_id' AND NOT a.attisdropped
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'readers')
    LOOP
        rows_of := CASE COALESCE(pg_partition_root(name), name)
            -- No words: which agent it is, how far its numbers and embedders came.
            WHEN 'agent'::regclass THEN 'true'
            WHEN 'memory_state'::regclass THEN 'true'
            WHEN 'embedder'::regclass THEN 'true'
            -- Entities by which something is shared, and where they stand.
            WHEN 'entity'::regclass THEN 'jsonb_exists(' || share || ' -> ''entities'', slug)'
            WHEN 'mention'::regclass THEN share || ' -> ''entity_ids'' @> to_jsonb(entity_id)'
            -- Memories that are shared, and what is kept of them.
            WHEN 'memory'::regclass THEN
                'privacy <> ''private'' AND layer <> ''forgotten'' AND (' || share || ' ->> ''everything'' = ''true''
                 OR jsonb_exists(' || share || ' -> ''threads'', thread) OR jsonb_exists(' || share || ' -> ''categories'', category)
                 OR (jsonb_array_length(' || share || ' -> ''entity_ids'') > 0 AND ' || by_entity || '))'
            WHEN 'memory_revision'::regclass THEN format(of_revision, 'revision')
            WHEN 'memory_term'::regclass THEN of_memory
            WHEN 'statement'::regclass THEN of_memory
            WHEN 'embedding'::regclass THEN 'kind = ''memory'' AND ' || format(of_revision, 'item')
            ELSE 'false'
        END;
        EXECUTE format('CREATE POLICY readers ON %s AS RESTRICTIVE USING (%s OR (%s)) WITH CHECK (%s)', name, alone, rows_of, alone);
        EXECUTE format('CREATE POLICY readers_change_nothing ON %s AS RESTRICTIVE FOR UPDATE USING (%s)', name, alone);
        EXECUTE format('CREATE POLICY readers_delete_nothing ON %s AS RESTRICTIVE FOR DELETE USING (%s)', name, alone);
    END LOOP;
END $$;
