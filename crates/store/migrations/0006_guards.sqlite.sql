-- What the two databases spell differently. What was changed is never told otherwise later.
CREATE TRIGGER memory_change_is_never_changed BEFORE UPDATE ON memory_change
BEGIN SELECT RAISE(ABORT, 'changes are append-only'); END;
CREATE TRIGGER memory_change_is_never_taken_away BEFORE DELETE ON memory_change
BEGIN SELECT RAISE(ABORT, 'changes are append-only'); END;
-- Figures for a planner that cannot know them from an empty table; see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('memory', 'memory_by_layer', '25000 25000 8000 1'),
    ('memory', 'memory_by_access', '25000 25000 2'),
    ('rhythm_run', 'sqlite_autoindex_rhythm_run_1', '5000 5000 1'),
    ('rhythm_run', 'rhythm_run_by_rhythm', '5000 5000 800 1'),
    ('rhythm_step', 'sqlite_autoindex_rhythm_step_1', '30000 30000 6 1'),
    ('memory_change', 'sqlite_autoindex_memory_change_1', '100000 100000 1'),
    ('memory_change', 'memory_change_by_number', '100000 100000 4 1'),
    ('memory_change', 'memory_change_by_run', '100000 100000 100 1'),
    ('rehearsal', 'sqlite_autoindex_rehearsal_1', '10000 10000 1'),
    ('rehearsal', 'rehearsal_by_time', '10000 10000 20'),
    ('cluster', 'sqlite_autoindex_cluster_1', '10000 10000 5 1'),
    ('review', 'sqlite_autoindex_review_1', '25000 25000 1'),
    ('review', 'review_by_time', '25000 25000 8000 10');
ANALYZE sqlite_schema;
