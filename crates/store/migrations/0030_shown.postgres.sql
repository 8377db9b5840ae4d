-- One more place where words come from: a person showed them.
ALTER TABLE memory DROP CONSTRAINT memory_data_source_check;
ALTER TABLE memory ADD CONSTRAINT memory_data_source_check CHECK (data_source IN
    ('user_message', 'assistant_message', 'system', 'federation', 'file', 'task', 'feed', 'shown'));
