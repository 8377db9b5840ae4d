//! Beliefs on both stores: the conformance suite, and what the databases refuse whoever asks in SQL.

use cairn_domain::{Stance, Time};
use cairn_store::{DatabaseServer, LocalDisk, Store, StoreLocation, StoreOptions, VerificationReport};
use cairn_testkit::{
    conformance::beliefs::{self, belief, believe, link, made, said},
    postgres,
};
use std::sync::Arc;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// Where a store is kept, and somebody with a client for SQL can reach it.
enum Kept {
    Folder(TempDir),
    Server(Arc<DatabaseServer>),
}

fn folder() -> Kept {
    Kept::Folder(tempfile::tempdir().expect("a folder"))
}

fn server() -> Kept {
    Kept::Server(postgres::scratch(None).expect("a server"))
}

async fn open(kept: &Kept) -> Store {
    let place = match kept {
        Kept::Folder(folder) => {
            StoreLocation::Folder { path: folder.path().to_owned(), disk: Arc::new(LocalDisk) }
        }
        Kept::Server(server) => StoreLocation::Server(Arc::clone(server)),
    };
    let now = Time::from_millis(1_794_736_800_000);
    Store::open(StoreOptions { place, agent: "main".parse().expect("a name"), now }).await.expect("a store")
}

/// Runs a statement as somebody with a client for SQL would.
async fn ask(kept: &Kept, sql: &str) -> Result<(), String> {
    match kept {
        Kept::Folder(folder) => {
            let database = rusqlite::Connection::open(folder.path().join("memory.db")).expect("opened");
            database.execute_batch("PRAGMA foreign_keys = ON").expect("set");
            database.execute_batch(sql).map_err(|error| error.to_string())
        }
        Kept::Server(server) => {
            let (client, connection) = tokio_postgres::connect(server.url(), NoTls).await.expect("connected");
            tokio::spawn(connection);
            client.batch_execute("SET cairn.agent = 'main'").await.expect("set");
            let told = |error: tokio_postgres::Error| {
                error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
            };
            client.batch_execute(sql).await.map_err(told)
        }
    }
}

/// Lets the owner of the tables take their guards away.
async fn unguarded(kept: &Kept, table: &str) {
    match kept {
        Kept::Folder(folder) => {
            let database = rusqlite::Connection::open(folder.path().join("memory.db")).expect("opened");
            let sql =
                "SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1";
            let mut drops = database.prepare(sql).expect("sql");
            let drops: Vec<String> = drops
                .query_map([table], |row| row.get(0))
                .expect("asked")
                .map(|it| it.expect("text"))
                .collect();
            assert!(!drops.is_empty(), "{table} has guards");
            for drop in &drops {
                database.execute_batch(drop).expect("dropped");
            }
        }
        Kept::Server(_) => {
            ask(kept, &format!("ALTER TABLE {table} DISABLE TRIGGER USER"))
                .await
                .expect("allowed to its owner");
        }
    }
}

async fn furnished(kept: &Kept) -> Store {
    let store = open(kept).await;
    for (value, words) in [("oslo", "I live in Oslo"), ("rome", "I live in Rome")] {
        let number = said(&store, words).await;
        let key = format!("entity:user:identity:residence.{value}");
        let belief = cairn_domain::Belief { key, ..belief(value, None) };
        let links = vec![link(number, Stance::Support, words), link(number, Stance::Contradict, words)];
        assert!(believe(&store, vec![made(belief, None, links)]).await.expect("written"));
    }
    store
}

/// A copy of the first belief with other values in some columns.
fn copy(changes: &[(&str, &str)]) -> String {
    let columns = "agent_id number belief_id kind subject_type subject_id canonical_key value summary detail tags lane status \
                   confidence confidence_parts freshness last_supported_at last_contradicted_at revalidation_due_at privacy \
                   supersedes created_at updated_at";
    copied("belief", columns, "number = 0", changes)
}

fn copied(table: &str, columns: &str, which: &str, changes: &[(&str, &str)]) -> String {
    let names: Vec<&str> = columns.split_whitespace().collect();
    let given = |name: &str| changes.iter().find(|(column, _)| *column == name).map(|(_, value)| *value);
    let values: Vec<&str> = names.iter().map(|name| given(name).unwrap_or(name)).collect();
    format!(
        "INSERT INTO {table} ({}) SELECT {} FROM {table} WHERE {which}",
        names.join(", "),
        values.join(", ")
    )
}

fn copy_link(changes: &[(&str, &str)]) -> String {
    let columns = "agent_id belief place memory entity_id stance weight role excerpt quote_hash root said_at recorded_at";
    let changes: Vec<(&str, &str)> = changes.iter().copied().chain([("place", "99")]).collect();
    copied("belief_evidence", columns, "belief = 0 AND place = 0", &changes)
}

fn copy_receipt(changes: &[(&str, &str)]) -> String {
    copied("receipt", "agent_id number at actor action subject told previous hash", "number = 2", changes)
}

/// A copy of the first belief under another number, with other values in some columns.
fn other(changes: &[(&str, &str)]) -> String {
    let rest = [("number", "number + 100"), ("belief_id", "belief_id || belief_id")];
    copy(&rest.iter().chain(changes).copied().collect::<Vec<_>>())
}

/// Statements that nobody may run.
fn hostile_statements() -> Vec<String> {
    vec![
        // Only memories and entities are evidence, and they must be there.
        copy_link(&[("memory", "NULL")]),
        copy_link(&[("memory", "NULL"), ("entity_id", "77")]),
        copy_link(&[("memory", "77")]),
        copy_link(&[("entity_id", "memory")]),
        copy_link(&[("belief", "77")]),
        copy_link(&[("stance", "'sometimes'")]),
        copy_link(&[("weight", "-1")]),
        // One belief stands under a key, begins as a candidate and follows its own key only.
        other(&[]),
        other(&[("status", "'stale'")]),
        other(&[("canonical_key", "'other'"), ("lane", "'verified'")]),
        other(&[("canonical_key", "'other'"), ("supersedes", "0")]),
        other(&[("canonical_key", "'other'"), ("supersedes", "number + 200")]),
        other(&[("canonical_key", "'other'"), ("kind", "'opinion'")]),
        other(&[("canonical_key", "'other'"), ("confidence", "1.5")]),
        other(&[("canonical_key", "''")]),
        // What a belief says is never rewritten, and none is taken away.
        "UPDATE belief SET summary = 'User lives on the moon.'".to_owned(),
        "UPDATE belief SET value = 'moon'".to_owned(),
        "UPDATE belief SET detail = 'moon'".to_owned(),
        "UPDATE belief SET canonical_key = canonical_key || 'x'".to_owned(),
        "UPDATE belief SET kind = 'world_fact'".to_owned(),
        "UPDATE belief SET subject_id = 'somebody'".to_owned(),
        "UPDATE belief SET supersedes = 0 WHERE number = 1".to_owned(),
        "UPDATE belief SET created_at = 0".to_owned(),
        "UPDATE belief SET freshness = 2".to_owned(),
        "DELETE FROM belief".to_owned(),
        // What speaks for and against it stays, down to the words.
        "DELETE FROM belief_evidence".to_owned(),
        "DELETE FROM belief_evidence WHERE stance = 'contradict'".to_owned(),
        "UPDATE belief_evidence SET stance = 'support'".to_owned(),
        "UPDATE belief_evidence SET weight = 0".to_owned(),
        "UPDATE belief_evidence SET excerpt = 'I live on the moon'".to_owned(),
        "DELETE FROM evidence".to_owned(),
        "UPDATE evidence SET excerpt = 'I live on the moon'".to_owned(),
        "DELETE FROM memory".to_owned(),
        "DELETE FROM memory_revision".to_owned(),
        "DELETE FROM message".to_owned(),
        // Nothing that was done is told otherwise later.
        "UPDATE receipt SET actor = 'operator'".to_owned(),
        "DELETE FROM receipt".to_owned(),
        "DELETE FROM receipt WHERE number = 2".to_owned(),
        "UPDATE receipt_detail SET detail = '{}'".to_owned(),
        "DELETE FROM receipt_detail".to_owned(),
        copy_receipt(&[]),
        copy_receipt(&[("number", "9")]),
        copy_receipt(&[("number", "3")]),
    ]
}

/// Hostile statements are refused, and so is undoing a final state.
async fn hostile_statements_are_refused(kept: &Kept) {
    let store = furnished(kept).await;
    for hostile in hostile_statements() {
        let refused = ask(kept, &hostile).await;
        assert!(refused.is_err(), "{hostile}");
    }
    // What is allowed is allowed, or the refusals would prove nothing.
    for harmless in [
        copy_link(&[]),
        other(&[("canonical_key", "'other'")]),
        copy_receipt(&[("number", "3"), ("previous", "hash")]),
        "UPDATE belief SET status = 'superseded' WHERE number = 0".to_owned(),
        "UPDATE belief SET lane = 'verified' WHERE number = 1".to_owned(),
        "UPDATE evidence SET source = 'file:moved#L1-L2'".to_owned(),
    ] {
        assert_eq!(ask(kept, &harmless).await, Ok(()), "{harmless}");
    }
    for hostile in [
        "UPDATE belief SET status = 'active' WHERE number = 0",
        "UPDATE belief SET status = 'invalidated' WHERE number = 0",
        "UPDATE belief SET lane = 'candidate' WHERE number = 1",
    ] {
        assert!(ask(kept, hostile).await.is_err(), "{hostile}");
    }
    drop(store);
}

fn problems(verification: &VerificationReport) -> Vec<&str> {
    verification.findings.iter().map(|finding| finding.problem.as_str()).collect()
}

/// Whoever takes the guards away is found out.
async fn what_was_tampered_with_is_named(kept: &Kept) {
    let store = furnished(kept).await;
    let number = said(&store, "I live in Bergen").await;
    let key = "entity:user:identity:residence.bergen".to_owned();
    let third = cairn_domain::Belief { key, ..belief("bergen", None) };
    let links = vec![link(number, Stance::Support, "I live in Bergen")];
    assert!(believe(&store, vec![made(third, None, links)]).await.expect("written"));
    assert_eq!(problems(&store.verify().await.expect("verified")), [""; 0]);
    unguarded(kept, "receipt").await;
    unguarded(kept, "receipt_detail").await;
    unguarded(kept, "belief_evidence").await;
    let id = |value: &str| belief(value, None).id.to_string();
    for (tampering, undo, problem) in [
        (
            "UPDATE receipt SET actor = 'somebody' WHERE number = 2",
            "UPDATE receipt SET actor = 'test' WHERE number = 2",
            "receipt 2 is not what was written".to_owned(),
        ),
        (
            "UPDATE receipt SET number = 22 WHERE number = 3",
            "UPDATE receipt SET number = 3 WHERE number = 22",
            "receipt 3 of the ledger is gone".to_owned(),
        ),
        (
            "UPDATE receipt_detail SET detail = detail || ' ' WHERE number = 1",
            "UPDATE receipt_detail SET detail = TRIM(detail) WHERE number = 1",
            "what receipt 1 tells is not what was written".to_owned(),
        ),
        (
            "UPDATE belief_evidence SET excerpt = 'I live on the moon' WHERE belief = 0 AND place = 0",
            "UPDATE belief_evidence SET excerpt = 'I live in Oslo' WHERE belief = 0 AND place = 0",
            format!("{} rests on words that nobody said", id("oslo")),
        ),
        (
            "UPDATE belief_evidence SET stance = 'context' WHERE belief = 2",
            "UPDATE belief_evidence SET stance = 'support' WHERE belief = 2",
            format!("{} rests on nothing", id("bergen")),
        ),
        (
            "UPDATE belief SET status = 'superseded' WHERE number = 1",
            "SELECT 1",
            format!("{} was superseded by nothing", id("rome")),
        ),
    ] {
        let tampering = if tampering.contains("number = 22") && matches!(kept, Kept::Folder(_)) {
            format!("PRAGMA foreign_keys = OFF; {tampering}")
        } else {
            tampering.to_owned()
        };
        // A server does not let a number change that something refers to.
        if tampering.contains("number = 22") && matches!(kept, Kept::Server(_)) {
            continue;
        }
        assert_eq!(ask(kept, &tampering).await, Ok(()), "{tampering}");
        let found = store.verify().await.expect("verified");
        assert_eq!(problems(&found), [problem.as_str()], "{tampering}");
        let undo = format!("{}{undo}", if undo.contains("22") { "PRAGMA foreign_keys = OFF; " } else { "" });
        assert_eq!(ask(kept, &undo).await, Ok(()), "{undo}");
    }
}

#[test]
fn beliefs_in_a_folder() {
    cairn_testkit::run(beliefs::all(folder, open));
}

#[test]
fn beliefs_on_a_server() {
    if postgres::url().is_some() {
        cairn_testkit::run(beliefs::all(server, open));
    }
}

/// covers: K-112, K-113, K-114, K-115, K-116, K-117, K-51, K-111, X-K8, I1
#[test]
fn a_folder_refuses_every_hostile_statement() {
    cairn_testkit::run(hostile_statements_are_refused(&folder()));
}

/// covers: K-112, K-113, K-114, K-115, K-116, K-117, K-51, K-111, X-K8, I1
#[test]
fn a_server_refuses_every_hostile_statement() {
    if postgres::url().is_some() {
        cairn_testkit::run(hostile_statements_are_refused(&server()));
    }
}

/// covers: I7, K-117
#[test]
fn tampering_with_a_folder_is_found_out() {
    cairn_testkit::run(what_was_tampered_with_is_named(&folder()));
}

/// covers: I7, K-117
#[test]
fn tampering_with_a_server_is_found_out() {
    if postgres::url().is_some() {
        cairn_testkit::run(what_was_tampered_with_is_named(&server()));
    }
}
