-- One agent a file means that agent_id alone selects everything. SQLite cannot know that from an empty table and
-- would walk the primary key where an index leads straight to a session. These figures tell it.
ANALYZE;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('message', 'message', '250000 250000 1'),
    ('message', 'message_by_id', '250000 250000 1'),
    ('message', 'message_by_session', '250000 250000 12 1');
ANALYZE sqlite_schema;
