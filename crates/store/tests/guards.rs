//! The database itself refuses forbidden changes, whoever asks.

use cairn_domain::{Draft, MessageLimits, Role, Time};
use cairn_store::Store;
use rusqlite::Connection;
use std::path::Path;

use crate::common::{now, open, run};

async fn with_one_message(folder: &Path) -> Store {
    let store = open(folder).await;
    let now = now();
    let message = Draft::new(Role::User, "I moved to Lisbon.")
        .into_message(now, &MessageLimits::default())
        .expect("a message");
    store.append(vec![message], now).await.expect("kept");
    store
}

/// covers: W-24, X-B3, X-P3
#[test]
fn a_message_cannot_be_changed_or_taken_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let _store = run(with_one_message(folder.path()));
    let database = Connection::open(folder.path().join("memory.db")).expect("opened");
    for hostile in [
        "UPDATE message SET text = 'I never moved.'",
        "DELETE FROM message",
        "UPDATE message SET agent_id = 2",
        "INSERT INTO message SELECT agent_id, seq + 1, message_id, source_id, session_id, thread_id, mode, role, speaker,
         said_at, recorded_at, text, text_fnv, metadata, previous_seq, exchange_seq, exchange_index, archive_day,
         archive_offset, archive_bytes, archive_line FROM message",
    ] {
        assert!(database.execute(hostile, []).is_err(), "{hostile}");
    }
    let text: String =
        database.query_row("SELECT text FROM message", [], |row| row.get(0)).expect("still there");
    assert_eq!(text, "I moved to Lisbon.");
}

#[test]
fn what_a_column_may_say_is_checked_without_a_table_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let _store = run(with_one_message(folder.path()));
    let database = Connection::open(folder.path().join("memory.db")).expect("opened");
    for table in ["message", "memory", "evidence", "relation", "entity", "refinement"] {
        let columns = "SELECT group_concat('?') FROM pragma_table_info(?1)";
        let columns: String = database.query_row(columns, [table], |row| row.get(0)).expect("columns");
        let insert = format!("EXPLAIN INSERT INTO {table} VALUES ({columns})");
        let mut steps = database.prepare(&insert).expect("sql");
        let steps = steps.raw_query().mapped(|row| row.get::<_, String>(1));
        let steps: Vec<String> = steps.map(|step| step.expect("a step")).collect();
        assert!(steps.iter().any(|step| step.ends_with("Insert")), "{table}: {steps:?}");
        assert!(!steps.contains(&"OpenEphemeral".to_owned()), "{table}");
    }
    let copy = |role: &str| {
        let sql = format!(
            "INSERT INTO message SELECT agent_id, seq + 1, randomblob(16), source_id, session_id, thread_id, mode, '{role}',
             speaker, said_at, recorded_at, text, text_fnv, metadata, previous_seq, exchange_seq, exchange_index, archive_day,
             archive_offset, archive_bytes, archive_line FROM message"
        );
        database.execute(&sql, [])
    };
    let refused = copy("nobody").expect_err("refused").to_string();
    assert!(refused.contains("CHECK constraint failed: role = 'user' OR"), "{refused}");
    assert_eq!(copy("tool").expect("taken"), 1);
    let whole: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("checked");
    assert_eq!(whole, "ok");
}

/// covers: W-01, W-210, X-P3
#[test]
fn every_table_has_its_agent_first_and_the_file_is_in_wal_mode() {
    let folder = tempfile::tempdir().expect("a folder");
    let _store = run(with_one_message(folder.path()));
    let database = Connection::open(folder.path().join("memory.db")).expect("opened");
    let mode: String = database.query_row("PRAGMA journal_mode", [], |row| row.get(0)).expect("a mode");
    assert_eq!(mode, "wal");
    let mut tables = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        .expect("sql");
    let tables: Vec<String> =
        tables.query_map([], |row| row.get(0)).expect("tables").map(|name| name.expect("a name")).collect();
    assert!(tables.len() >= 7, "{tables:?}");
    for table in tables.iter().filter(|table| *table != "migration") {
        let first: String = database
            .query_row("SELECT name FROM pragma_table_info(?1) WHERE pk = 1", [table], |row| row.get(0))
            .expect("a key");
        assert_eq!(first, "agent_id", "{table}");
    }
}

/// covers: C-157
#[test]
fn frequent_statements_use_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    let _store = run(with_one_message(folder.path()));
    let database = Connection::open(folder.path().join("memory.db")).expect("opened");
    for (statement, wanted) in [
        (
            "SELECT seq FROM message WHERE agent_id = 1 AND message_id = x'00'",
            "message_by_id (agent_id=? AND message_id=?)",
        ),
        (
            "SELECT role FROM message WHERE agent_id = 1 AND session_id = 1 ORDER BY seq DESC LIMIT 1",
            "message_by_session (agent_id=? AND session_id=?)",
        ),
        (
            "SELECT text FROM message WHERE agent_id = 1 AND session_id = 1 AND seq < 9 ORDER BY seq DESC LIMIT 2",
            "message_by_session (agent_id=? AND session_id=? AND seq<?)",
        ),
        (
            "SELECT archive_day FROM message WHERE agent_id = 1 ORDER BY seq DESC LIMIT 1",
            "sqlite_autoindex_message_1 (agent_id=?)",
        ),
        (
            "SELECT text FROM message WHERE agent_id = 1 AND seq >= 5 ORDER BY seq LIMIT 9",
            "sqlite_autoindex_message_1 (agent_id=? AND seq>?)",
        ),
        (
            "SELECT m.text, s.name FROM message AS m
             LEFT JOIN session AS s ON s.agent_id = m.agent_id AND s.session_id = m.session_id
             WHERE m.agent_id = 1 AND m.seq >= 5 ORDER BY m.seq LIMIT 9",
            "sqlite_autoindex_message_1 (agent_id=? AND seq>?)",
        ),
        ("SELECT session_id FROM session WHERE agent_id = 1 AND name = 's'", "(agent_id=? AND name=?)"),
        (
            "SELECT number FROM digest_source WHERE agent_id = 1 AND source = 'mem_' ORDER BY number DESC LIMIT 9",
            "COVERING INDEX digest_by_source (agent_id=? AND source=?)",
        ),
        (
            "SELECT text FROM digest WHERE agent_id = 1 AND kind = 'month' AND newest = 1 AND scope = '' AND span_from >= 1
             AND span_from < 9 AND span_until <= 9 ORDER BY span_from DESC LIMIT 4",
            "digest_by_kind (agent_id=? AND kind=? AND newest=? AND scope=? AND span_from>? AND span_from<?)",
        ),
        (
            "SELECT DISTINCT digest_id FROM digest WHERE agent_id = 1 AND digest_id >= x'00' AND digest_id <= x'ff'
             ORDER BY digest_id LIMIT 3",
            "digest_by_id (agent_id=? AND digest_id>? AND digest_id<?)",
        ),
    ] {
        let plan = format!("EXPLAIN QUERY PLAN {statement}");
        let plan: String = database.query_row(&plan, [], |row| row.get(3)).expect("a plan");
        assert!(plan.contains(wanted), "{statement}: {plan}");
    }
}

/// A lease keeps others out until it ends; then whoever comes may have the job.
#[test]
fn a_job_is_held_by_one_until_its_lease_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = Time::from_millis;
    run(async {
        let (one, other) = (open(folder.path()).await, open(folder.path()).await);
        assert!(one.claim_job("tend", "one".into(), at(0), at(100)).await.expect("asked"));
        assert!(!other.claim_job("tend", "other".into(), at(99), at(200)).await.expect("asked"));
        assert!(
            one.claim_job("tend", "one".into(), at(50), at(150)).await.expect("asked"),
            "a holder may renew"
        );
        assert!(
            other.claim_job("tend", "other".into(), at(150), at(300)).await.expect("asked"),
            "a dead holder's lease ends"
        );
        one.finish_job("tend", "one".into(), 7, at(160)).await.expect("told");
        let job = other.read(|view| view.jobs()).await.expect("jobs").remove(0);
        assert_eq!(
            (job.watermark, job.lease),
            (0, Some(("other".into(), at(300)))),
            "one no longer has a say"
        );
        other.finish_job("tend", "other".into(), 9, at(170)).await.expect("told");
        let job = other.read(|view| view.jobs()).await.expect("jobs").remove(0);
        assert_eq!((job.watermark, job.lease), (9, None));
    });
}

/// covers: C-154, X-W2
#[test]
fn days_are_sealed_when_they_end_and_never_reopened() {
    let folder = tempfile::tempdir().expect("a folder");
    let day_ms = 86_400_000;
    run(async {
        let store = open(folder.path()).await;
        for (i, now) in
            [0, 1, 2 * day_ms, day_ms, 2 * day_ms + 1, 5 * day_ms, -day_ms].into_iter().enumerate()
        {
            let now = Time::from_millis(1_794_736_800_000 + now);
            let message = Draft::new(Role::User, format!("message {i}"))
                .into_message(now, &MessageLimits::default())
                .expect("a message");
            store.append(vec![message], now).await.expect("kept");
        }
        assert_eq!(store.verify().await.expect("verified").findings, []);
    });
    let lines = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join("archive").join(name)).expect(name);
        text.lines().filter(|line| !line.trim().is_empty()).count()
    };
    for (name, messages) in
        [("2026-11-15.jsonl", 2), ("2026-11-17.jsonl", 3), ("2026-11-20.jsonl", 2), ("SEALS", 2)]
    {
        assert_eq!(lines(name), messages, "{name}");
    }
    let files = std::fs::read_dir(folder.path().join("archive")).expect("a folder").count();
    assert_eq!(files, 4, "a clock that runs backward makes no file of its own");
}

/// Writers on several threads and jobs that hold the desk between them: nobody is forgotten in the line.
#[test]
fn everybody_in_line_is_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let store = open(folder.path()).await;
        let now = now();
        let mut tasks = tokio::task::JoinSet::new();
        for writer in 0..6 {
            let store = store.clone();
            tasks.spawn(async move {
                for i in 0..40 {
                    let draft =
                        Draft { source_id: Some(format!("{writer}-{i}")), ..Draft::new(Role::User, "hello") };
                    let message = draft.into_message(now, &MessageLimits::default()).expect("a message");
                    store.append(vec![message], now).await.expect("kept");
                }
            });
        }
        for holder in 0..2 {
            let store = store.clone();
            tasks.spawn(async move {
                for _ in 0..60 {
                    store.claim_job("job", format!("holder-{holder}"), now, now).await.expect("asked");
                }
            });
        }
        let all = async { while tasks.join_next().await.is_some_and(|done| done.is_ok()) {} };
        tokio::time::timeout(std::time::Duration::from_mins(1), all).await.expect("everybody was served");
        assert_eq!(store.read(|view| view.counts()).await.expect("counts").messages, 240);
    });
}
