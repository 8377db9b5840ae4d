-- What is immutable cannot be made mutable, and gets no further text.
CREATE TRIGGER memory_stays_immutable BEFORE UPDATE ON memory WHEN OLD.immutable = 1 AND NEW.immutable <> 1
BEGIN SELECT RAISE(ABORT, 'this memory is immutable'); END;
CREATE TRIGGER memory_revision_of_the_immutable BEFORE INSERT ON memory_revision
WHEN EXISTS (SELECT 1 FROM memory AS m WHERE m.agent_id = NEW.agent_id AND m.number = NEW.number AND m.immutable = 1
    AND m.revision < NEW.revision)
BEGIN SELECT RAISE(ABORT, 'this memory is immutable'); END;
