-- One more place where words come from: a person showed them. Only the text of the rule changes, no row.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'data_source = ''feed''',
    'data_source = ''feed'' OR data_source = ''shown''')
    WHERE type = 'table' AND name IN ('memory');
PRAGMA writable_schema = RESET;
