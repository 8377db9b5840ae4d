-- Rhythms: what happens while nobody is talking, how far it came and what it changed.
-- One text for SQLite and PostgreSQL. agent_id comes first in every key.

-- When a rhythm was last carried out by its schedule, and whether it rests.
CREATE TABLE rhythm (
    agent_id  BIGINT NOT NULL REFERENCES agent,
    name      TEXT   NOT NULL,
    -- The moment of its schedule that was carried out last, or when the rhythm was first seen.
    reached   BIGINT NOT NULL,
    paused_at BIGINT,
    PRIMARY KEY (agent_id, name)
);

-- One time that a rhythm was carried out, in steps. A run that was interrupted goes on where it was.
CREATE TABLE rhythm_run (
    agent_id   BIGINT NOT NULL REFERENCES agent,
    run        BIGINT NOT NULL,
    rhythm     TEXT   NOT NULL,
    asked_by   TEXT   NOT NULL CHECK (asked_by IN ('schedule', 'person')),
    -- The moment that every step decides on, however long the run takes and however often it is interrupted.
    as_of      BIGINT NOT NULL,
    begun_at   BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    state      TEXT   NOT NULL CHECK (state IN ('running', 'done')),
    -- The step at hand, and how far that came.
    step       BIGINT NOT NULL,
    place      BIGINT NOT NULL,
    worked_ms  BIGINT NOT NULL,
    changed    BIGINT NOT NULL,
    -- Why it does not go on at the moment.
    note       TEXT   NOT NULL,
    PRIMARY KEY (agent_id, run)
);
CREATE INDEX rhythm_run_by_rhythm ON rhythm_run (agent_id, rhythm, run);

-- What each step of a run looked at and changed.
CREATE TABLE rhythm_step (
    agent_id  BIGINT NOT NULL,
    run       BIGINT NOT NULL,
    step      BIGINT NOT NULL,
    name      TEXT   NOT NULL,
    looked_at BIGINT NOT NULL,
    changed   BIGINT NOT NULL,
    worked_ms BIGINT NOT NULL,
    note      TEXT   NOT NULL,
    PRIMARY KEY (agent_id, run, step),
    FOREIGN KEY (agent_id, run) REFERENCES rhythm_run
);

-- How far a step came, over all runs.
CREATE TABLE watermark (
    agent_id BIGINT NOT NULL REFERENCES agent,
    name     TEXT   NOT NULL,
    reached  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, name)
);

-- What a rhythm changed about a memory, from what to what and why. Append-only.
CREATE TABLE memory_change (
    agent_id   BIGINT NOT NULL,
    change_id  BIGINT NOT NULL,
    run        BIGINT NOT NULL,
    step       TEXT   NOT NULL,
    number     BIGINT NOT NULL,
    what       TEXT   NOT NULL,
    was        TEXT   NOT NULL,
    becomes    TEXT   NOT NULL,
    reason     TEXT   NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, change_id),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);
CREATE INDEX memory_change_by_number ON memory_change (agent_id, number, change_id);
CREATE INDEX memory_change_by_run ON memory_change (agent_id, run, change_id);

-- When a memory was last rehearsed, and how often.
CREATE TABLE rehearsal (
    agent_id     BIGINT NOT NULL,
    number       BIGINT NOT NULL,
    rehearsed_at BIGINT NOT NULL,
    times        BIGINT NOT NULL,
    PRIMARY KEY (agent_id, number),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);
CREATE INDEX rehearsal_by_time ON rehearsal (agent_id, rehearsed_at);

-- Memories that belong together, as the running dream found them.
CREATE TABLE cluster (
    agent_id BIGINT NOT NULL,
    place    BIGINT NOT NULL,
    number   BIGINT NOT NULL,
    name     TEXT   NOT NULL,
    PRIMARY KEY (agent_id, place, number),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);

-- When a memory was last reviewed in its layer, how it stood then and when it is due again.
CREATE TABLE review (
    agent_id       BIGINT NOT NULL,
    number         BIGINT NOT NULL,
    layer          TEXT   NOT NULL,
    evaluated_at   BIGINT NOT NULL,
    next_review_at BIGINT NOT NULL,
    -- Reviews in a row that left it as it was.
    unchanged      BIGINT NOT NULL,
    score          DOUBLE PRECISION NOT NULL,
    motivation     TEXT   NOT NULL,
    PRIMARY KEY (agent_id, number),
    FOREIGN KEY (agent_id, number) REFERENCES memory
);
CREATE INDEX review_by_time ON review (agent_id, layer, next_review_at);

CREATE INDEX memory_by_layer ON memory (agent_id, layer, number);
CREATE INDEX memory_by_access ON memory (agent_id, accessed_at);
