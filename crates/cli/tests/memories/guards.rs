//! Rows guard themselves: whoever has a client for SQL changes nothing that a memory said, and takes none away.

use crate::{
    postgres::database::{Database, Session},
    support::Cairn,
};
use rusqlite::Connection;

/// Statements that must be refused, and what is said against each.
const REFUSED: [(&str, &str); 12] = [
    ("UPDATE memory_revision SET text = 'User lives in Moscow.'", "append-only"),
    ("UPDATE memory_revision SET reason = 'because'", "append-only"),
    ("DELETE FROM memory_revision", "append-only"),
    ("DELETE FROM memory", "never deleted"),
    ("DELETE FROM memory WHERE status = 'superseded'", "never deleted"),
    ("UPDATE memory SET status = 'superseded', valid_until = valid_from WHERE immutable = 1", "immutable"),
    ("UPDATE memory SET tier = 'dormant' WHERE immutable = 1", "immutable"),
    ("UPDATE memory SET revision = revision + 1000 WHERE immutable = 1", "immutable"),
    ("UPDATE memory SET valid_from = 0 WHERE immutable = 1", "immutable"),
    ("UPDATE memory SET valid_until = 1, temporal_type = 'time_bounded' WHERE immutable = 1", "immutable"),
    ("UPDATE memory SET immutable = 0 WHERE number = 2", "immutable"),
    (
        "INSERT INTO memory_revision (agent_id, revision, number, text, verdict, reason, written_at)
         SELECT agent_id, 99, 2, 'Ana works at Siemens.', 'update', 'tried', 0 FROM memory WHERE number = 2",
        "immutable",
    ),
];
/// One memory that may not change, and one that was replaced.
const FURNISHED: [&str; 3] = [
    "'I live in Lisbon.' --session a",
    "'I live in Porto now.' --session b --at 2026-11-15T10:01:00Z",
    "'My sister Ana works at Bosch.' --session c",
];

fn furnished(cairn: &Cairn) {
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    for line in FURNISHED {
        cairn.done(&format!("remember {line}"));
    }
}

/// Takes the guards of a table away, as somebody may who has the file in hand.
pub(crate) fn lift_guards(database: &Connection, table: &str) {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?1";
    let mut triggers = database.prepare(sql).expect("triggers");
    let names = triggers.query_map([table], |row| row.get::<_, String>(0)).expect("triggers");
    for name in names {
        database.execute_batch(&format!("DROP TRIGGER {}", name.expect("a name"))).expect("dropped");
    }
}

/// Counters move all the same.
const ALLOWED: &str = "UPDATE memory SET accesses = accesses + 1 WHERE immutable = 1";
const HARDEN: &str = "UPDATE memory SET immutable = 1 WHERE number = 2";

/// covers: C-122, C-160, X-C19
#[test]
fn nobody_changes_what_a_memory_said_in_a_folder() {
    let cairn = Cairn::new();
    furnished(&cairn);
    let database = Connection::open(cairn.path("home/agents/main/memory.db")).expect("it opens");
    assert_eq!(database.execute(HARDEN, []), Ok(1));
    let before = cairn.json("memories list --all");
    for (statement, complaint) in REFUSED {
        let refused = database.execute(statement, []).expect_err(statement).to_string();
        assert!(refused.contains(complaint), "{statement}: {refused}");
    }
    assert_eq!(cairn.json("memories list --all"), before);
    assert_eq!(database.execute(ALLOWED, []), Ok(1));
}

/// covers: C-122, C-160, X-C19, X-P3
#[test]
fn nobody_changes_what_a_memory_said_on_a_server() {
    let Some(database) = Database::new() else { return };
    let cairn = Cairn::new().with_database(database.url());
    furnished(&cairn);
    let owner = Session::open(database.url());
    owner.done("SET cairn.agent = 'main'");
    assert_eq!(owner.done(HARDEN).touched, 1);
    let before = cairn.json("memories list --all");
    for (statement, complaint) in REFUSED {
        let refused = owner.ask(statement).expect_err(statement);
        assert!(refused.contains(complaint), "{statement}: {refused}");
    }
    assert_eq!(cairn.json("memories list --all"), before);
    assert_eq!(owner.done(ALLOWED).touched, 1);
}

/// An immutable memory stays even when somebody says the opposite; their words are kept beside it.
///
/// covers: C-160, X-C19
#[test]
fn an_immutable_memory_outlives_its_contradiction() {
    let cairn = Cairn::new();
    furnished(&cairn);
    let database = Connection::open(cairn.path("home/agents/main/memory.db")).expect("it opens");
    assert_eq!(database.execute("UPDATE memory SET immutable = 1 WHERE status <> 'superseded'", []), Ok(2));
    drop(database);
    let told = cairn.at("2026-12-15T10:00:00Z").json("remember 'I live in Oslo now.' --session d");
    assert!(told["decisions"][0]["supersedes"].is_null(), "{told}");
    let all = cairn.json("memories list --all");
    for memory in all["memories"].as_array().expect("a list") {
        if memory["immutable"] == true {
            assert_eq!(memory["status"], "new", "{memory}");
        }
    }
    let rock = all["memories"].as_array().expect("a list").iter().find(|memory| memory["immutable"] == true);
    let rock = rock.expect("one that may not change")["ref"].as_str().expect("a ref").to_owned();
    let refused = cairn.run(&format!("memories forget {rock}"));
    assert_eq!((refused.code, refused.stderr.contains("\nhint: ")), (2, true), "{}", refused.stderr);
    assert_eq!(cairn.json("verify")["ok"], true);
}
