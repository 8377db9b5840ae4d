//! Walls between agents: what one may see of another through the command, and through statements that were made to get
//! around them, by a role with few rights and by the owner of the tables.

use crate::{
    postgres::database::{Database, Session, administered},
    support::{Cairn, refs},
};
use cairn_testkit::postgres::TestPostgresServer;
use std::sync::Arc;

/// One database with two agents, `one` and `two`, and a role that may read and write rows and nothing else.
struct Walls {
    cairn: Cairn,
    database: Database,
    guest: String,
    _server: Arc<TestPostgresServer>,
}

/// Every message names the agent that it was said to.
fn furnish(cairn: &Cairn) {
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    for agent in ["one", "two"] {
        let said =
            |line: &str| cairn.done(&format!("--agent {agent} remember --no-wait '{agent} keeps {line}"));
        cairn.at("2026-11-15T10:00:00Z");
        said("a pear in the cellar' --session cellar --thread fruit");
        cairn.at("2026-11-16T10:00:00Z");
        said("a secret' --session cellar --role assistant");
        said(ATTIC);
    }
}

const ATTIC: &str = "a pear in the attic' --session attic";

/// Days are sealed behind the write, by whoever writes next at the latest: words that are said again add nothing.
fn seal(cairn: &Cairn, owner: &Session, agent: &str) {
    for _ in 0..20 {
        if owner.value("SELECT COUNT(*) FROM archive_seal") != "0" {
            return;
        }
        cairn.done(&format!("--agent {agent} remember --no-wait '{agent} keeps {ATTIC}"));
    }
    panic!("no day is sealed");
}

/// Rows for the tables that keywords alone leave empty.
const OTHER_ROWS: &str = "
    INSERT INTO embedder VALUES (0, 1, 'm', 2, 'active', 1, 1, 0, 0);
    INSERT INTO embedding (agent_id, embedder_id, kind, item, part, vector) VALUES (0, 1, 'message', 0, 0, '[1,0]');
    INSERT INTO tombstone VALUES (0, decode(repeat('00', 32), 'hex'), 0, 'somebody', 'a reason');
    INSERT INTO job VALUES (0, 'tidying', 7, NULL, NULL, 0);
    INSERT INTO memory_state VALUES (0, 1, 2, 2, 2);
    INSERT INTO memory SELECT 0, number, decode(md5(number::text), 'hex'), number, 'fact', 'fact', 'new', 'episodic',
        'short-term', 's', NULL, 'chat', 'persistent', 0, NULL, 0, NULL, 'formation', 'user_message', 0.5, NULL, 'open', 0,
        0, 0, 0.5, 0.5, 0, 1, 1, 0, 0, 0, 0, 0, NULL, 2, '{}' FROM generate_series(0, 1) AS number;
    INSERT INTO memory_revision VALUES (0, 0, 0, 'User lives in Lisbon.', 'create', 'new', 0);
    INSERT INTO memory_revision VALUES (0, 1, 1, 'User has a cat.', 'create', 'new', 0);
    INSERT INTO evidence VALUES (0, 'memory', 0, 0, 'msg_0', NULL, 'support', 1, 'user', 'words', 'hash', 'msg_0', 0);
    INSERT INTO statement VALUES (0, 0, 0, 'user', 'residence', 'lisbon', 0, 1, 0.8, 0, NULL);
    INSERT INTO memory_term VALUES (0, 7, 0, 1);
    INSERT INTO relation VALUES (0, 0, 1, 'related_to', 0.4, 'heuristic', 'alike', 0);
    INSERT INTO entity SELECT 0, number, 'place', 'e' || number, 'E', 0, 1 FROM generate_series(0, 1) AS number;
    INSERT INTO entity_alias VALUES (0, 'lisboa', 0);
    INSERT INTO mention VALUES (0, 0, 0);
    INSERT INTO cooccurrence VALUES (0, 0, 1, 1);
    INSERT INTO traversal_pattern VALUES (0, 'person-place', 'static', 1, 1);
    INSERT INTO synaptic_tag VALUES (0, 0, 's', 0, 1, 0);
    INSERT INTO working_memory VALUES (0, 's', 0, 0, 0, 0);
    INSERT INTO formed VALUES (0, '\\x00', 0, '[]');
    INSERT INTO refinement VALUES (0, '\\x00', 'waiting', 0, 0, 0, '');
    INSERT INTO rhythm VALUES (0, 'dream', 0, NULL);
    INSERT INTO rhythm_run VALUES (0, 1, 'dream', 'person', 0, 0, 0, 'done', 12, 0, 1, 1, '');
    INSERT INTO rhythm_step VALUES (0, 1, 1, 'decay', 1, 1, 1, '');
    INSERT INTO watermark VALUES (0, 'intake', 7);
    INSERT INTO memory_change VALUES (0, 1, 1, 'decay', 0, 'tier', 'episodic', 'semantic', 'used', 0);
    INSERT INTO rehearsal VALUES (0, 0, 0, 1);
    INSERT INTO handoff VALUES (0, 'session', 's', 0, 'requested', 1, 0, NULL, 'words', NULL);
    INSERT INTO attachment VALUES (0, decode(repeat('00', 16), 'hex'), 'text', 'a.txt', 'text/plain', 1, 'hash', NULL, 0, 0,
        NULL, NULL, 'words', 'words', 'text', '', 0);
    INSERT INTO attachment_turn VALUES (0, decode(repeat('00', 16), 'hex'), 0, 's', NULL, NULL, 0);
    INSERT INTO attachment_part VALUES (0, 0, decode(repeat('00', 16), 'hex'), 'L1-L1', 'words');
    INSERT INTO attachment_term VALUES (0, 7, 0);
    INSERT INTO intention VALUES (0, decode(repeat('00', 16), 'hex'), 0, 'user', 0, 'w', 'day', '', 20261120, NULL, 'open', NULL,
        NULL, NULL, '');
    INSERT INTO coherence VALUES (0, '\\x00', 's', 0, 0.4, '[]');
    INSERT INTO dynamics_turn VALUES (0, 1, decode(repeat('00', 16), 'hex'), 's', 0, 0, 0, NULL, '\\x', 1);
    INSERT INTO dynamics_learner VALUES (0, 1, 0, NULL);
    INSERT INTO proposal VALUES (0, decode(repeat('00', 16), 'hex'), 'agent', 'SOUL.md', NULL, 'words', 'why', '[]', 0, 1,
        'pending', NULL, NULL, NULL);
    INSERT INTO inquiry VALUES (0, decode(repeat('00', 16), 'hex'), 'correction', 'tea', 'why', '[]', 0, 1, 0, 1, 0);
    INSERT INTO contemplation VALUES (0, decode(repeat('00', 16), 'hex'), 'clarify', 0, 'words', '[]');
    INSERT INTO growth_vector VALUES (0, decode(repeat('00', 16), 'hex'), 'words', '[]', 0, NULL);
    INSERT INTO standing_evidence VALUES (0, '\\x00', 'keeps_word', 'user', 'word', '++', 0.8, 'words', 0, 0);
    INSERT INTO standing_score VALUES (0, 'word', 0, 'user', 5.1, 0.1, 'rising', 'keeps_word +0.10');
    INSERT INTO cluster VALUES (0, 0, 0, 'lisbon');
    INSERT INTO review VALUES (0, 0, 'short-term', 0, 0, 0, 0.5, 'left');
    INSERT INTO digest VALUES (0, 0, '\\x00', 'day', '', 0, 1, 1, 1, 'A day.', 'hash', 'rules', 0);
    INSERT INTO digest_source VALUES (0, 0, 0, 'mem_0');
    INSERT INTO topic VALUES (0, 0, 1, 0.5);
    INSERT INTO reply VALUES (0, 'key', 0, '\\x00', 0, 0, NULL);
    INSERT INTO given_together VALUES (0, 0, 1, 1);
    INSERT INTO diary_entry VALUES (0, 0, decode(repeat('00', 16), 'hex'), 0, 'key', '\\x00', NULL);
    INSERT INTO diary_memory VALUES (0, 0, 0, '\\x00');
    INSERT INTO belief VALUES (0, 0, decode(md5('0'), 'hex'), 'identity', 'entity', 'user',
        'entity:user:identity:residence', 'lisbon', 'User lives in Lisbon.', '', '', 'candidate', 'invalidated', 0.5, '{\"source_count\":1,\"source_diversity\":1,
        \"support_weight\":1,\"contradiction_weight\":2,\"recency_weight\":1,\"operator_confirmed\":false}', 1, 0, NULL,
        0, 'open', NULL, 0, 0);
    INSERT INTO belief_term VALUES (0, 7, 0);
    INSERT INTO belief_evidence VALUES (0, 0, 0, 0, NULL, 'support', 1, 'user', 'words', 'hash', 'ex_0', 0, 0);
    INSERT INTO belief_queue VALUES (0, 0);
    INSERT INTO receipt VALUES (0, 1, 0, 'user', 'create', 'blf_0',
        '\\x6e46dd10defc9b56c29a6ec56b508c21f54c08192194e4df25bf36f0c9c3c279', decode(repeat('00', 32), 'hex'),
        '\\xe6b86459c8ff65ee0baea83c6b152bb746655e0bcc775993950c163dcf895a2c');
    INSERT INTO receipt_detail VALUES (0, 1, '{}');
    INSERT INTO erasure_key VALUES (0, decode(repeat('00', 32), 'hex'));
    INSERT INTO erasing VALUES (0, 'line', '0 0 0');
    INSERT INTO protected_setting VALUES (0, 'config.toml', 'hash', 1, 0);
    INSERT INTO deferral VALUES (0, 0, 0, 1)";

impl Walls {
    fn new() -> Option<Self> {
        let server = administered()?;
        let database = Database::beside(server.url());
        let cairn = Cairn::new().with_database(database.url());
        furnish(&cairn);
        let owner = Session::open(database.url());
        for (agent, number) in [("one", "1"), ("two", "2")] {
            assert_eq!(owner.value(&format!("SELECT agent_id FROM agent WHERE name = '{agent}'")), number);
            owner.done(&format!("SET cairn.agent = '{agent}'"));
            seal(&cairn, &owner, agent);
            let rows = OTHER_ROWS.replace("VALUES (0,", &format!("VALUES ({number},"));
            owner.done(&rows.replace("SELECT 0,", &format!("SELECT {number},")));
        }
        let guest = format!("guest_{:08x}", fastrand::u32(..));
        Session::open(&database.url_for("postgres")).done(&format!("CREATE ROLE {guest} LOGIN"));
        for right in ["SELECT, INSERT, UPDATE, DELETE ON ALL TABLES", "USAGE ON ALL SEQUENCES"] {
            owner.done(&format!("GRANT {right} IN SCHEMA public TO {guest}"));
        }
        Some(Self { cairn, database, guest, _server: server })
    }

    /// A connection of the role with few rights that works for `agent`.
    fn guest(&self, agent: &str) -> Session {
        let session = Session::open(&self.database.url_for(&self.guest));
        session.done(&format!("SET cairn.agent = '{agent}'"));
        session
    }

    /// A connection of the owner of the tables that works for `agent`.
    fn owner(&self, agent: &str) -> Session {
        let session = Session::open(self.database.url());
        session.done(&format!("SET cairn.agent = '{agent}'"));
        session
    }

    /// A connection above all walls.
    fn administrator(&self) -> Session {
        Session::open(&self.database.url_for("postgres"))
    }

    /// Every table with an agent in it.
    fn tables(&self) -> Vec<String> {
        let sql = "SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
                   WHERE a.attname = 'agent_id' AND c.relkind IN ('r', 'p')
                   AND c.relnamespace = 'public'::regnamespace ORDER BY 1";
        let tables = self.administrator().done(sql).rows;
        assert!(tables.len() >= 12, "{tables:?}");
        tables.into_iter().flatten().collect()
    }

    /// Everything that is kept of an agent.
    fn everything(&self, agent_id: u32) -> Vec<(String, Vec<Vec<String>>)> {
        let above = self.administrator();
        let rows = |table: String| {
            let sql = format!("SELECT t::text FROM {table} AS t WHERE agent_id = {agent_id} ORDER BY 1");
            let rows = above.done(&sql).rows;
            assert!(!rows.is_empty(), "{table} is empty and proves nothing: write something in `OTHER_ROWS`");
            (table, rows)
        };
        self.tables().into_iter().map(rows).collect()
    }
}

/// covers: W-01, I10, X-P3
#[test]
fn agents_in_one_database_never_see_each_other() {
    let Some(database) = Database::new() else { return };
    let cairn = Cairn::new().with_database(database.url());
    furnish(&cairn);
    assert_eq!(cairn.json("agents")["agents"].as_array().map(Vec::len), Some(2));
    for (agent, other) in [("one", "two"), ("two", "one")] {
        let hits = cairn.hits(&format!("pear --agent {agent}"));
        assert!(!hits.is_empty() && hits.iter().all(|text| text.starts_with(agent)), "{hits:?}");
        for command in ["export", "timeline", "recall 'keeps pear secret'", "sessions", "threads"] {
            let answer = cairn.done(&format!("--agent {agent} --json {command}")).stdout;
            assert!(!answer.contains(other), "{command}: {answer}");
        }
        assert_eq!(cairn.json(&format!("--agent {agent} stats"))["messages"], 3);
        let entries = cairn.json(&format!("--agent {other} timeline"));
        for id in refs(&entries["entries"]) {
            for command in ["open", "why", "timeline"] {
                let ran = cairn.run(&format!("--agent {agent} {command} {id}"));
                assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{command}: {}", ran.stderr);
            }
        }
    }
}

/// Statements that try to see rows of another agent; the first column names the agent of each row.
fn peeking(table: &str) -> [String; 4] {
    [
        format!("SELECT agent_id, t.* FROM {table} AS t"),
        format!("SELECT agent_id FROM {table} WHERE agent_id = 2 OR true"),
        format!("SELECT o.agent_id FROM {table} AS o JOIN {table} AS m ON o.agent_id <> m.agent_id OR true"),
        format!("SELECT agent_id FROM {table} WHERE agent_id = 2 UNION ALL SELECT agent_id FROM {table}"),
    ]
}

/// No statement about a table, or a view of one, reaches a row of agent two.
fn reaches_nothing(one: &Session, table: &str) {
    for sql in peeking(table) {
        let rows = one.done(&sql).rows;
        assert!(!rows.is_empty() && rows.iter().all(|row| row[0] == "1"), "{sql}: {rows:?}");
    }
    let sql = format!("SELECT COUNT(*) FROM {table} WHERE agent_id = 2");
    assert_eq!(one.value(&sql), "0", "{sql}");
}

/// No statement that writes to a table touches a row of agent two, or makes one.
fn touches_nothing(one: &Session, table: &str) {
    for sql in [
        format!("UPDATE {table} SET agent_id = agent_id WHERE agent_id = 2"),
        format!("DELETE FROM {table} WHERE agent_id = 2"),
        format!("DELETE FROM {table} AS t USING agent AS a WHERE a.agent_id = t.agent_id AND a.name = 'two'"),
    ] {
        assert_eq!(one.done(&sql).touched, 0, "{sql}");
    }
    // A copy of an own row, given to the other.
    let given = r#"jsonb_populate_record(t, '{"agent_id": 2, "name": "three"}')"#;
    let sql = format!("INSERT INTO {table} SELECT ({given}).* FROM {table} AS t LIMIT 1");
    let complaint = one.ask(&sql).expect_err(&sql);
    assert!(complaint.contains("row-level security"), "{sql}: {complaint}");
}

/// covers: W-01, I10, X-P3
#[test]
fn a_hostile_statement_reaches_no_other_agent() {
    let Some(walls) = Walls::new() else { return };
    let (before, guest) = (walls.everything(2), walls.guest("one"));
    for table in &walls.tables() {
        reaches_nothing(&guest, table);
        touches_nothing(&guest, table);
    }
    reaches_nothing(&guest, "exchange");
    for sql in [
        "SELECT m.text FROM session AS s JOIN message AS m ON m.session_id = s.session_id JOIN agent AS a ON true",
        "SELECT text FROM message WHERE text LIKE '%two%' OR true",
        "SELECT COALESCE((SELECT text FROM message WHERE agent_id = 2 LIMIT 1), 'nothing')",
        "WITH all_of_it AS MATERIALIZED (SELECT * FROM message) SELECT text FROM all_of_it",
        "UPDATE session SET title = 'mine' RETURNING name, title, agent_id",
    ] {
        let answer = format!("{:?}", guest.done(sql));
        assert!(!answer.contains("two") && !answer.contains("\"2\""), "{sql}: {answer}");
    }
    for (sql, complaint) in [
        ("UPDATE session SET agent_id = 2", "row-level security"),
        ("UPDATE agent SET name = 'two'", "row-level security"),
        ("INSERT INTO agent VALUES (99, 'two too', 0, 0)", "row-level security"),
        ("TRUNCATE keyword", "permission denied"),
        ("ALTER TABLE session DISABLE ROW LEVEL SECURITY", "must be owner"),
        ("DROP POLICY one_agent ON message", "must be owner"),
    ] {
        let said = guest.ask(sql).expect_err(sql);
        assert!(said.contains(complaint), "{sql}: {said}");
    }
    guest.done("BEGIN");
    assert_eq!(guest.done("DELETE FROM keyword").touched, 3, "its own rows and no other");
    guest.done("ROLLBACK");
    assert_eq!(walls.everything(2), before);
}

/// A function of the asker's own, cheap enough to be run first, hears no word from behind the wall.
///
/// covers: W-01, I10
#[test]
fn a_function_that_listens_hears_no_other_agent() {
    let Some(walls) = Walls::new() else { return };
    let guest = walls.guest("one");
    guest.done(
        "CREATE TEMP TABLE heard (words TEXT);
         CREATE FUNCTION pg_temp.hear(words TEXT) RETURNS BOOLEAN LANGUAGE plpgsql COST 0.0000001 AS
         $$ BEGIN INSERT INTO pg_temp.heard VALUES (words); RETURN true; END $$",
    );
    assert_eq!(guest.value("SELECT COUNT(*) FROM message WHERE pg_temp.hear(text)"), "3");
    let heard = guest.done("SELECT words FROM heard").rows.concat();
    assert!(heard.len() == 3 && heard.iter().all(|words| words.starts_with("one keeps")), "{heard:?}");
}

/// A statement that asks the keyword index of another agent for its own terms.
fn foreign_terms(walls: &Walls) -> String {
    let above = walls.administrator();
    let terms =
        above.value("SELECT string_agg(terms::text, '') FROM keyword WHERE agent_id = 2").replace("}{", ",");
    let count = above.value("SELECT pronargs FROM pg_proc WHERE proname = 'keyword_hits'");
    // The agent, the terms, and conditions that nobody makes here.
    let rest = ", NULL".repeat(count.parse::<usize>().expect("a number") - 2);
    format!("SELECT seq FROM keyword_hits(2, '{terms}'{rest})")
}

/// covers: W-01, I10, X-P3
#[test]
fn the_keyword_index_answers_for_the_own_agent_only() {
    let Some(walls) = Walls::new() else { return };
    let foreign = foreign_terms(&walls);
    assert_eq!(walls.guest("two").done(&foreign).rows.len(), 3, "its own agent finds all of it");
    for session in [walls.guest("one"), walls.owner("one"), walls.guest(""), walls.guest("three")] {
        assert_eq!(session.done(&foreign).rows.len(), 0);
    }
}

/// A table that the asker calls `agent` is not the one that the walls are built on.
///
/// covers: W-01, I10
#[test]
fn a_table_of_the_same_name_deceives_nobody() {
    let Some(walls) = Walls::new() else { return };
    let (guest, foreign) = (walls.guest("one"), foreign_terms(&walls));
    guest.done(
        "CREATE TEMP TABLE agent (agent_id BIGINT, name TEXT);
         INSERT INTO pg_temp.agent VALUES (2, 'one'); GRANT SELECT ON pg_temp.agent TO PUBLIC",
    );
    assert_eq!(guest.done("SELECT text FROM message WHERE text LIKE 'two%'").rows.len(), 0);
    assert_eq!(guest.done(&foreign).rows.len(), 0);
}

/// covers: W-01, I10, X-P3
#[test]
fn the_owner_of_the_tables_is_behind_the_walls_as_well() {
    let Some(walls) = Walls::new() else { return };
    let (before, owner) = (walls.everything(2), walls.owner("one"));
    // The list of agents is the owner's, and the keyword index holds no words.
    for table in walls.tables().iter().filter(|table| !["agent", "keyword"].contains(&table.as_str())) {
        reaches_nothing(&owner, table);
        touches_nothing(&owner, table);
    }
    reaches_nothing(&owner, "exchange");
    assert_eq!(walls.everything(2), before);
}

/// Of another agent's rows a reader sees the memories that are shared, and what holds no words.
///
/// covers: C-248, I10, X-P3
#[test]
fn a_reader_sees_what_is_shared_and_changes_nothing() {
    let Some(walls) = Walls::new() else { return };
    let above = walls.administrator();
    above.done(
        "UPDATE memory SET category = 'preference', thread = 'kiln''s' WHERE agent_id = 2 AND number > 0",
    );
    let wordless = ["agent", "memory_state", "embedder"];
    let reader = |share: &str| {
        let session = walls.owner("two");
        session.done(&format!("SET cairn.share = '{share}'"));
        session
    };
    let sees = |share: &str, texts: &[&str], tables: &[&str]| {
        let reader = reader(share);
        let found = reader.done("SELECT text FROM memory_revision ORDER BY revision").rows;
        assert_eq!(found.concat(), texts, "{share}");
        for table in walls.tables().iter().filter(|it| !tables.contains(&it.as_str()) && *it != "keyword") {
            let rows = reader.done(&format!("SELECT * FROM {table}")).rows;
            assert!(rows.is_empty(), "{share} shows {table}: {rows:?}");
        }
        assert_eq!(reader.value("SELECT COUNT(*) FROM embedding WHERE kind <> 'memory'"), "0");
    };
    let of_memories = ["memory", "memory_revision", "memory_term", "statement", "embedding"];
    let memories = [&wordless[..], &of_memories].concat();
    let entities = [&memories[..], &["entity", "mention"]].concat();
    sees("{}", &[], &wordless);
    sees("{\"categories\":[\"preference\"],\"entity_ids\":[]}", &["User has a cat."], &memories);
    sees("{\"threads\":[\"kiln''s\"],\"entity_ids\":[]}", &["User has a cat."], &memories);
    sees("{\"entities\":[\"e0\"],\"entity_ids\":[0]}", &["User lives in Lisbon."], &entities);
    sees("{\"everything\":true,\"entity_ids\":[]}", &["User lives in Lisbon.", "User has a cat."], &memories);
    let hide = "UPDATE memory SET privacy = 'private' WHERE agent_id = 2 AND number";
    above.done(&format!("{hide} = 0; {} = 1", hide.replace("privacy = 'private'", "layer = 'forgotten'")));
    sees("{\"everything\":true,\"entity_ids\":[]}", &[], &memories);
    above.done("UPDATE memory SET privacy = 'open', layer = 'short-term' WHERE agent_id = 2");
    let (before, reader) = (walls.everything(2), reader("{\"everything\":true,\"entity_ids\":[]}"));
    for table in walls.tables().iter().filter(|table| !["agent", "keyword"].contains(&table.as_str())) {
        for sql in ["UPDATE {} SET agent_id = 2", "INSERT INTO {} TABLE {} LIMIT 1", "DELETE FROM {}"] {
            let sql = sql.replace("{}", table);
            assert_eq!(reader.ask(&sql).map_or(0, |done| done.touched), 0, "{sql}");
        }
    }
    assert_eq!(walls.everything(2), before);
}

/// Whoever does not say for which agent they work sees nothing at all.
///
/// covers: W-01, I10
#[test]
fn without_an_agent_nothing_is_seen() {
    let Some(walls) = Walls::new() else { return };
    let nobody = Session::open(&walls.database.url_for(&walls.guest));
    for session in [
        nobody,
        walls.guest(""),
        walls.guest("three"),
        walls.guest("one' OR 'a' = 'a".replace('\'', "''").as_str()),
    ] {
        for table in walls.tables() {
            assert_eq!(session.done(&format!("SELECT * FROM {table}")).rows.len(), 0, "{table}");
        }
    }
}

/// covers: W-01, X-P3
#[test]
fn messages_are_never_changed_or_taken_away_whoever_asks() {
    let Some(walls) = Walls::new() else { return };
    let before = (walls.everything(1), walls.everything(2));
    for session in [walls.guest("one"), walls.owner("one"), walls.administrator()] {
        for sql in [
            "UPDATE message SET text = 'something else'",
            "UPDATE message SET seq = seq + 100 WHERE agent_id = 1",
            "DELETE FROM message",
            "INSERT INTO message SELECT * FROM message ON CONFLICT (agent_id, seq) DO UPDATE SET text = ''",
            "MERGE INTO message AS m USING message AS n ON m.seq = n.seq AND m.agent_id = n.agent_id
             WHEN MATCHED THEN DELETE",
        ] {
            assert_eq!(session.ask(sql).expect_err(sql), "messages are append-only", "{sql}");
        }
    }
    for session in [walls.owner("one"), walls.administrator()] {
        for sql in ["TRUNCATE message", "TRUNCATE session CASCADE"] {
            assert_eq!(session.ask(sql).expect_err(sql), "messages are append-only", "{sql}");
        }
        // Several tables refuse that, and any of them may be the first.
        session.ask("TRUNCATE agent CASCADE").expect_err("refused");
    }
    assert_eq!((walls.everything(1), walls.everything(2)), before);
}

/// covers: W-01, X-P3
#[test]
fn nor_are_the_parts_of_the_table_emptied() {
    let Some(database) = Database::new() else { return };
    let cairn = Cairn::new().with_database(database.url());
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n\n[store]\npartitions = 4\n");
    cairn.done("remember 'A pear in the cellar.'");
    let owner = Session::open(database.url());
    for part in 0..4 {
        let sql = format!("TRUNCATE message_{part}");
        assert_eq!(owner.ask(&sql).expect_err(&sql), "messages are append-only", "{sql}");
    }
    assert_eq!(cairn.json("stats")["messages"], 1);
}

/// A role that may read and write rows, and owns nothing, is enough to remember.
///
/// covers: W-01, X-P3
#[test]
fn cairn_writes_with_few_rights() {
    let Some(walls) = Walls::new() else { return };
    let guest = Cairn::new().with_database(walls.database.url_for(&walls.guest));
    guest.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    guest.at("2026-11-17T10:00:00Z");
    for agent in ["one", "three"] {
        guest.done(&format!("--agent {agent} init --no-model"));
        guest.done(&format!("--agent {agent} remember '{agent} keeps a plum' --session new --thread plums"));
        let ran = guest.feed(&format!("--agent {agent} ingest -"), "{\"text\":\"and a quince\"}\n");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert_eq!(walls.cairn.hits(&format!("plum --agent {agent}")), [format!("{agent} keeps a plum")]);
        assert_eq!(walls.cairn.json(&format!("--agent {agent} verify"))["ok"], true);
    }
}

/// … and to recall, to check, and to take in thousands.
///
/// covers: W-01, X-P3
#[test]
fn cairn_does_everything_with_few_rights() {
    let Some(walls) = Walls::new() else { return };
    let guest = Cairn::new().with_database(walls.database.url_for(&walls.guest));
    guest.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    assert_eq!(guest.hits("pear --agent one"), walls.cairn.hits("pear --agent one"));
    let said: Vec<_> = (0..600).map(|i| format!("{{\"id\":\"m{i}\",\"text\":\"plum {i}\"}}\n")).collect();
    let ran = guest.feed("--agent one ingest -", said.concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for command in ["stats", "timeline", "sessions", "threads", "verify", "export", "rebuild"] {
        guest.done(&format!("--agent one {command}"));
    }
    // The folder that the test made is open to others.
    guest.done("--agent one doctor --fix");
    let checks = guest.json("--agent one doctor");
    let mut checked = checks["checks"].as_array().expect("checks").iter();
    assert!(checked.all(|check| check["health"] == "good"), "{checks}");
    let missing = guest.run("--agent nobody recall pear");
    assert_eq!((missing.code, missing.stderr.contains("there is no agent `nobody`")), (1, true));
}
