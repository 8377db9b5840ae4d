-- After the tables were distributed: the rows that were copied to shards leave the coordinator, so that an erasure reaches
-- every word, and the guards against emptying a table stand again.
DO $$
DECLARE
    found RECORD;
BEGIN
    FOR found IN SELECT logicalrelid AS name FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
        WHERE c.relnamespace = current_schema()::regnamespace
    LOOP
        PERFORM truncate_local_data_after_distributing_table(found.name);
    END LOOP;
    FOR found IN SELECT definition FROM distribution_guard LOOP
        EXECUTE found.definition;
    END LOOP;
END $$;
