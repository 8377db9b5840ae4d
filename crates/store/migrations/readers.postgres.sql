-- Row-level security for readers: a connection that says whose reader it is (`cairn.reader`) sees of the agent it has set as
-- `cairn.agent` what an operator shares with that reader, and changes nothing. Run after the walls. On a cluster, whose machines
-- cannot look such things up, whoever reads is held to a share by the program alone.
DO $$
DECLARE
    name regclass;
    rows_of TEXT;
    alone TEXT := '(SELECT COALESCE(current_setting(''cairn.reader'', true), '''') = '''')';
    named TEXT := '(SELECT ''share/'' || current_setting(''cairn.reader'', true))';
    -- Names of a share as JSON: only the setting of this reader is read as such.
    share TEXT := 'SELECT CASE WHEN s.name = ' || named || ' AND s.value LIKE ''{%%'' THEN CAST(s.value AS JSONB) END AS says, s.agent_id
                   FROM protected_setting AS s WHERE s.name = ' || named;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        RETURN;
    END IF;
    FOR name IN
        SELECT c.oid::regclass FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'agent_id' AND NOT a.attisdropped
        WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'readers_see')
    LOOP
        rows_of := CASE COALESCE(pg_partition_root(name), name)
            -- No words: which agent it is, how far its numbers and embedders came.
            WHEN 'agent'::regclass THEN 'true'
            WHEN 'memory_state'::regclass THEN 'true'
            WHEN 'embedder'::regclass THEN 'true'
            -- The operator's decision and its proof.
            WHEN 'protected_setting'::regclass THEN 'name = ' || named
            WHEN 'receipt'::regclass THEN 'subject = ' || named
            WHEN 'receipt_detail'::regclass THEN
                format('EXISTS (SELECT 1 FROM receipt AS r WHERE r.agent_id = %1$s.agent_id AND r.number = %1$s.number)', name)
            -- Entities by which something is shared, and where they stand.
            WHEN 'entity'::regclass THEN
                format('EXISTS (SELECT 1 FROM (' || share || ') AS s WHERE s.agent_id = %1$s.agent_id
                        AND jsonb_exists(s.says -> ''entities'', %1$s.slug))', name)
            WHEN 'mention'::regclass THEN
                format('EXISTS (SELECT 1 FROM entity AS e WHERE e.agent_id = %1$s.agent_id AND e.entity_id = %1$s.entity_id)', name)
            -- Memories that are shared, as they say it now.
            WHEN 'memory'::regclass THEN
                format('%1$s.privacy <> ''private'' AND %1$s.layer <> ''forgotten'' AND EXISTS (SELECT 1 FROM (' || share || ') AS s
                        WHERE s.agent_id = %1$s.agent_id AND (COALESCE(s.says ->> ''everything'', '''') = ''true''
                        OR jsonb_exists(s.says -> ''threads'', %1$s.thread) OR jsonb_exists(s.says -> ''categories'', %1$s.category)
                        OR EXISTS (SELECT 1 FROM mention AS x WHERE x.agent_id = %1$s.agent_id AND x.number = %1$s.number)))', name)
            WHEN 'memory_revision'::regclass THEN
                format('EXISTS (SELECT 1 FROM memory AS m WHERE m.agent_id = %1$s.agent_id AND m.revision = %1$s.revision)', name)
            WHEN 'memory_term'::regclass THEN
                format('EXISTS (SELECT 1 FROM memory AS m WHERE m.agent_id = %1$s.agent_id AND m.number = %1$s.number)', name)
            WHEN 'embedding'::regclass THEN
                format('kind = ''memory'' AND EXISTS (SELECT 1 FROM memory AS m
                        WHERE m.agent_id = %1$s.agent_id AND m.revision = %1$s.item)', name)
            ELSE 'false'
        END;
        EXECUTE format('CREATE POLICY readers_see ON %s AS RESTRICTIVE FOR SELECT USING (%s OR (%s))', name, alone, rows_of);
        EXECUTE format('CREATE POLICY readers_add_nothing ON %s AS RESTRICTIVE FOR INSERT WITH CHECK (%s)', name, alone);
        EXECUTE format('CREATE POLICY readers_change_nothing ON %s AS RESTRICTIVE FOR UPDATE USING (%s)', name, alone);
        EXECUTE format('CREATE POLICY readers_delete_nothing ON %s AS RESTRICTIVE FOR DELETE USING (%s)', name, alone);
    END LOOP;
END $$;
