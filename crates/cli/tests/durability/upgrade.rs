//! Data of every schema that was ever released is taken over, with a copy from before; data of a newer one is left alone.

use crate::support::Cairn;
use rusqlite::Connection;
use std::{collections::BTreeMap, fs, path::Path};

const DATABASE: &str = "home/agents/main/memory.db";

/// The texts of each migration for SQLite, in the order in which the program has them.
fn migrations() -> Vec<Vec<String>> {
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store");
    let program = fs::read_to_string(store.join("src/database/migrate.rs")).expect("the program");
    let names = program.split("migrations/").skip(1).filter_map(|rest| rest.split('"').next());
    let mut texts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for name in
        names.filter(|name| name.starts_with(|c: char| c.is_ascii_digit()) && !name.contains(".postgres."))
    {
        let text = fs::read_to_string(store.join("migrations").join(name)).expect("a text");
        texts.entry(&name[..4]).or_default().push(text.replace("/* sqlite:", "").replace(" */", ""));
    }
    let newest = texts.keys().filter_map(|number| number.parse::<usize>().ok()).max().unwrap_or_default();
    // Some change nothing in a folder, and have no text.
    (1..=newest).map(|number| texts.remove(format!("{number:04}").as_str()).unwrap_or_default()).collect()
}

/// Puts in the place of the agent's database one of schema `version` with the same rows, as far as it has room for them.
fn make_older(cairn: &Cairn, version: usize) {
    let (path, present) = (cairn.path(DATABASE), cairn.path("present.db"));
    let newest = Connection::open(&path).expect("the database");
    newest.execute("VACUUM INTO ?1", [present.display().to_string()]).expect("copied");
    drop(newest);
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(cairn.path(&format!("{DATABASE}{end}")));
    }
    let older = Connection::open(&path).expect("a database");
    let plain = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF";
    older.execute_batch(plain).expect("set");
    older.execute_batch("CREATE TABLE migration (version BIGINT NOT NULL PRIMARY KEY)").expect("made");
    let all = migrations();
    for (at, texts) in all.iter().enumerate().take(version) {
        for text in texts {
            older.execute_batch(text).unwrap_or_else(|error| panic!("{at}: {error}"));
        }
        older.execute("INSERT INTO migration VALUES (?1)", [at as u32 + 1]).expect("noted");
    }
    older.execute("ATTACH ?1 AS present", [present.display().to_string()]).expect("attached");
    let names = |sql: &str| -> Vec<String> {
        let mut statement = older.prepare(sql).expect("prepared");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<Result<_, _>>().expect("names")
    };
    let tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migration'
                  AND name <> 'tombstone' AND name IN (SELECT name FROM present.sqlite_schema)";
    // Nothing was ever erased before tombstones got their marks.
    for table in names(tables) {
        let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')")).join(", ");
        let copy =
            format!("INSERT OR IGNORE INTO main.{table} ({columns}) SELECT {columns} FROM present.{table}");
        older.execute_batch(&copy).unwrap_or_else(|error| panic!("{table}: {error}"));
    }
    drop(older);
    fs::remove_file(present).expect("removed");
}

fn backups(cairn: &Cairn) -> Vec<String> {
    let folder = fs::read_dir(cairn.path("home/agents/main/backups"));
    let mut names: Vec<String> = folder
        .into_iter()
        .flatten()
        .flatten()
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// covers: C-254
#[test]
fn every_schema_that_was_released_is_taken_over_with_a_copy_from_before() {
    let newest = migrations().len();
    assert!(newest >= 5, "the migrations were found");
    let present = Cairn::new();
    for text in ["I moved to Lisbon.", "My sister's name is Ece.", "I am allergic to peanuts."] {
        assert_eq!(present.run_args(&["remember", text]).code, 0);
    }
    let (messages, memories) = (present.json("timeline"), present.json("memories list --all"));
    for version in 1..newest {
        let cairn = present.copied();
        make_older(&cairn, version);
        let ran = cairn.run("stats");
        assert_eq!(ran.code, 0, "from schema {version}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("schema {version} is now {newest}")), "{}", ran.stderr);
        assert_eq!(cairn.json("timeline"), messages, "from schema {version}");
        if version >= 3 {
            assert_eq!(cairn.json("memories list --all"), memories, "from schema {version}");
        }
        assert_eq!(cairn.json("verify")["ok"], true, "from schema {version}");
        assert!(cairn.hits("peanuts").iter().any(|text| text.contains("peanuts")));
        // Once, whole, and as it was.
        let names = backups(&cairn);
        assert_eq!(names.len(), 1, "{names:?}");
        let copy = cairn.path("home/agents/main/backups").join(&names[0]);
        let before = Connection::open(copy.join("memory.db")).expect("a database");
        let schema: u32 =
            before.query_row("SELECT MAX(version) FROM migration", [], |row| row.get(0)).expect("a schema");
        assert_eq!(schema as usize, version);
        assert!(copy.join("archive").is_dir());
    }
}

/// covers: C-254
#[test]
fn a_schema_of_the_future_is_refused_and_left_as_it_is() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    let database = Connection::open(cairn.path(DATABASE)).expect("the database");
    database.execute("INSERT INTO migration VALUES (999)", []).expect("noted");
    drop(database);
    let refused = cairn.run("recall Lisbon");
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("999") && refused.stderr.contains("newest cairn"), "{}", refused.stderr);
    assert!(backups(&cairn).is_empty());
    let database = Connection::open(cairn.path(DATABASE)).expect("the database");
    database.execute("DELETE FROM migration WHERE version = 999", []).expect("taken back");
    drop(database);
    assert_eq!(cairn.hits("Lisbon"), ["I moved to Lisbon."]);
}
