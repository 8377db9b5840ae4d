-- A list of more than two values in a CHECK becomes a tree of its own whenever a row is written: four microseconds each, ten of
-- them for a memory. The same rules, written so that they are compared one by one. Only the text of a rule changes, no row.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'mode IN (''chat'', ''code'', ''booth'', ''robot'')',
    'mode = ''chat'' OR mode = ''code'' OR mode = ''booth'' OR mode = ''robot''')
    WHERE type = 'table' AND name IN ('message', 'memory');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'role IN (''user'', ''assistant'', ''system'', ''tool'')',
    'role = ''user'' OR role = ''assistant'' OR role = ''system'' OR role = ''tool''')
    WHERE type = 'table' AND name IN ('message');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'form IN (''fact'', ''episode'', ''lesson'', ''reflection'', ''theme'', ''pattern'', ''procedure'', ''plan'', ''summary'')',
    'form = ''fact'' OR form = ''episode'' OR form = ''lesson'' OR form = ''reflection'' OR form = ''theme'' OR form = ''pattern'' OR form = ''procedure'' OR form = ''plan'' OR form = ''summary''')
    WHERE type = 'table' AND name IN ('memory');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'category IN (''preference'', ''fact'', ''decision'', ''correction'', ''plan'', ''entity'', ''pattern'', ''procedure'', ''other'')',
    'category = ''preference'' OR category = ''fact'' OR category = ''decision'' OR category = ''correction'' OR category = ''plan'' OR category = ''entity'' OR category = ''pattern'' OR category = ''procedure'' OR category = ''other''')
    WHERE type = 'table' AND name IN ('memory');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'status IN (''new'', ''current'', ''deprecated'', ''superseded'')',
    'status = ''new'' OR status = ''current'' OR status = ''deprecated'' OR status = ''superseded''')
    WHERE type = 'table' AND name IN ('memory');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'tier IN (''working'', ''episodic'', ''semantic'', ''dormant'')',
    'tier = ''working'' OR tier = ''episodic'' OR tier = ''semantic'' OR tier = ''dormant''')
    WHERE type = 'table' AND name IN ('memory');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'write_source IN (''observer'', ''formation'', ''dream'', ''manual'')',
    'write_source = ''observer'' OR write_source = ''formation'' OR write_source = ''dream'' OR write_source = ''manual''')
    WHERE type = 'table' AND name IN ('memory');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'data_source IN (''user_message'', ''assistant_message'', ''system'', ''federation'', ''file'', ''task'', ''feed'')',
    'data_source = ''user_message'' OR data_source = ''assistant_message'' OR data_source = ''system'' OR data_source = ''federation'' OR data_source = ''file'' OR data_source = ''task'' OR data_source = ''feed''')
    WHERE type = 'table' AND name IN ('memory');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'privacy IN (''open'', ''personal'', ''private'')',
    'privacy = ''open'' OR privacy = ''personal'' OR privacy = ''private''')
    WHERE type = 'table' AND name IN ('memory');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'stance IN (''support'', ''contradict'', ''context'')',
    'stance = ''support'' OR stance = ''contradict'' OR stance = ''context''')
    WHERE type = 'table' AND name IN ('evidence');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'kind IN (''supersedes'', ''contradicts'', ''causes'', ''elaborates'', ''same_entity'', ''related_to'')',
    'kind = ''supersedes'' OR kind = ''contradicts'' OR kind = ''causes'' OR kind = ''elaborates'' OR kind = ''same_entity'' OR kind = ''related_to''')
    WHERE type = 'table' AND name IN ('relation');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'kind IN (''tech'', ''org'', ''person'', ''place'', ''project'', ''tool'', ''concept'')',
    'kind = ''tech'' OR kind = ''org'' OR kind = ''person'' OR kind = ''place'' OR kind = ''project'' OR kind = ''tool'' OR kind = ''concept''')
    WHERE type = 'table' AND name IN ('entity');
UPDATE sqlite_schema SET sql = REPLACE(sql,
    'state IN (''waiting'', ''done'', ''withheld'', ''given_up'')',
    'state = ''waiting'' OR state = ''done'' OR state = ''withheld'' OR state = ''given_up''')
    WHERE type = 'table' AND name IN ('refinement');
PRAGMA writable_schema = RESET;
