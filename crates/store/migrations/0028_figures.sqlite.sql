-- Figures: see 0001_statistics.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('dynamics_turn', 'dynamics_turn', '1000 1000 1'),
    ('dynamics_turn', 'dynamics_turn_by_exchange', '1000 1000 1'),
    ('dynamics_turn', 'dynamics_turn_by_session', '1000 1000 30 1'),
    ('dynamics_turn', 'dynamics_turn_open', '5 5 1'),
    ('dynamics_learner', 'dynamics_learner', '1 1');
ANALYZE sqlite_schema;
