//! Vectors on the embedded store: its files, its schema, its repairs. What every store must do with vectors stands in
//! the conformance suite.

use cairn_domain::{Draft, MessageLimits, Role};
use cairn_store::{IndexQuery, NearestQuery, NewVector, Store};
use rusqlite::Connection;
use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::common::{now, open, run};

const DIMENSION: usize = 100;
type Found = Vec<(u32, f32)>;

/// Vectors without any order, the same in every run.
fn vector(number: u32) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(u64::from(number));
    let numbers: Vec<f32> = (0..DIMENSION).map(|_| random.f32() - 0.5).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.into_iter().map(|number| number / length).collect()
}

async fn say(store: &Store, numbers: std::ops::Range<u32>) {
    let message = |number: u32| {
        let draft = Draft {
            source_id: Some(format!("{number:06}")),
            ..Draft::new(Role::User, format!("{number:06}"))
        };
        draft.into_message(now(), &MessageLimits::default()).expect("a message")
    };
    store.append(numbers.map(message).collect(), now()).await.expect("kept");
}

/// Gives messages their vectors; every tenth has two parts.
async fn fill(store: &Store, numbers: std::ops::Range<u32>) {
    let embedder = store.embedder("a".into(), DIMENSION, now()).await.expect("an embedder");
    let of = |seq: u32| {
        let parts = if seq.is_multiple_of(10) { 2 } else { 1 };
        (0..parts).map(move |part| NewVector { seq, part, vector: vector(seq + part * 1_000_000) })
    };
    let (from, to) = (numbers.start, numbers.end);
    assert!(store.add_vectors(embedder.id, from, to, numbers.flat_map(of).collect()).await.expect("kept"));
}

/// The messages nearest to the vector with this number.
async fn nearest(store: &Store, number: u32) -> Found {
    let search = store.read(|view| {
        let near = vector(number);
        let wanted = IndexQuery::near(NearestQuery { vector: &near, n: 20, later_part_penalty: 0.02 });
        Ok(view.search(&wanted)?.nearest(&wanted))
    });
    search.await.expect("searched")
}

async fn answers(store: &Store) -> Vec<Found> {
    let mut answers = Vec::new();
    for number in [0, 7, 500, 999, 1_000_000, 5_000_000] {
        answers.push(nearest(store, number).await);
    }
    answers
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder.join("index")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_vectors =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("vectors-"));
    let mut files: Vec<PathBuf> = entries.filter(is_vectors).collect();
    files.sort();
    files
}

/// covers: W-03
#[test]
fn files_and_the_tail_behind_them_and_no_file_rank_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    run(async {
        let store = open(folder.path()).await;
        say(&store, 0..1_000).await;
        let mut wanted = Vec::new();
        for (from, to, count) in [(0, 500, 1), (500, 600, 2), (600, 640, 1), (640, 1_000, 1)] {
            fill(&store, from..to).await;
            wanted = answers(&store).await;
            assert_eq!(answers(&open(folder.path()).await).await, wanted, "the tail alone or behind files");
            assert_eq!(store.flush_vector_index().await.expect("tended"), to);
            assert_eq!(files(folder.path()).len(), count, "small files are merged, by and by");
            assert_eq!(answers(&store).await, wanted, "files in the hand of who wrote them");
            assert_eq!(answers(&open(folder.path()).await).await, wanted, "files found");
        }
        assert_eq!(wanted[0][0].0, 0);
        for path in files(folder.path()) {
            fs::remove_file(path).expect("removed");
        }
        assert_eq!(answers(&open(folder.path()).await).await, wanted, "no file at all");
        assert_eq!(store.verify().await.expect("verified").findings, []);
        assert_eq!(store.take_repair_notes(), Vec::<String>::new());
    });
}

/// covers: W-03
#[test]
fn a_damaged_file_is_noted_and_written_again() {
    type Damage = fn(&mut Vec<u8>);
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = run(async {
        let store = open(folder.path()).await;
        say(&store, 0..300).await;
        fill(&store, 0..300).await;
        store.flush_vector_index().await.expect("tended");
        answers(&store).await
    });
    let damages: [(&str, Damage); 6] = [
        ("cut short", |bytes| bytes.truncate(bytes.len() - 1)),
        ("emptied", |bytes| bytes.clear()),
        ("grown", |bytes| bytes.push(0)),
        ("of another kind", |bytes| bytes[0] ^= 1),
        ("of another embedder", |bytes| bytes[90] ^= 1),
        ("with a message turned over", |bytes| bytes[140] ^= 1),
    ];
    for (what, damage) in damages {
        let path = files(folder.path()).remove(0);
        let mut bytes = fs::read(&path).expect("read");
        damage(&mut bytes);
        fs::write(&path, bytes).expect("written");
        run(async {
            let store = open(folder.path()).await;
            assert_eq!(store.verify().await.expect("verified").findings.len(), 1, "{what}");
            assert_eq!(answers(&store).await, wanted, "{what}");
            let notes = store.take_repair_notes();
            assert!(notes.len() == 1 && notes[0].contains("damaged or old"), "{what}: {notes:?}");
            assert_eq!(store.flush_vector_index().await.expect("tended"), 300);
            assert_eq!(store.verify().await.expect("verified").findings, [], "{what}");
        });
    }
}

/// Opening reads little, so damage to the bulk of a file shows when it is looked for.
#[test]
fn verify_finds_what_opening_does_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    run(async {
        let store = open(folder.path()).await;
        say(&store, 0..100).await;
        fill(&store, 0..100).await;
        store.flush_vector_index().await.expect("tended");
    });
    let path = files(folder.path()).remove(0);
    let mut bytes = fs::read(&path).expect("read");
    *bytes.last_mut().expect("bytes") ^= 1;
    fs::write(&path, bytes).expect("written");
    run(async {
        let store = open(folder.path()).await;
        let finding = store.verify().await.expect("verified").findings.remove(0);
        assert!(finding.problem.contains("vectors-") && finding.hint.contains("rebuild"), "{finding:?}");
        store.rebuild().await.expect("rebuilt");
        assert_eq!(store.verify().await.expect("verified").findings, []);
        assert_eq!(nearest(&store, 99).await[0].0, 99);
    });
}

/// covers: W-03
#[test]
fn verify_finds_vectors_that_are_missing_or_of_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = run(async {
        let store = open(folder.path()).await;
        say(&store, 0..50).await;
        fill(&store, 0..40).await;
        store
    });
    let database = Connection::open(folder.path().join("memory.db")).expect("opened");
    for (hostile, problem, reached) in [
        (
            "INSERT INTO embedding SELECT agent_id, embedder_id, kind, 999, part, vector FROM embedding WHERE item = 1",
            "1 vector(s)",
            40,
        ),
        ("UPDATE embedder SET vectors = 7", "says it has 7", 40),
        ("DELETE FROM embedding WHERE item = 30 AND part = 0", "message 30 lacks", 30),
        ("UPDATE embedding SET vector = x'00' WHERE item = 20 AND part = 1", "message 20 lacks", 20),
        ("DELETE FROM embedding WHERE item = 5", "message 5 lacks", 5),
    ] {
        database.execute(hostile, []).expect(hostile);
        run(async {
            let findings = store.verify().await.expect("verified").findings;
            assert!(findings.len() == 1 && findings[0].problem.contains(problem), "{hostile}: {findings:?}");
            store.rebuild().await.expect("rebuilt");
            assert_eq!(store.verify().await.expect("verified").findings, [], "{hostile}");
            assert_eq!(
                store.read(|view| view.counts()).await.expect("counts").embedded,
                reached,
                "{hostile}"
            );
            assert_eq!(nearest(&store, reached as u32 - 1).await[0].0, reached as u32 - 1);
        });
    }
}

/// A message's number is where it stands in the archive; its vectors belong to its words.
///
/// covers: X-B3
#[test]
fn rebuilding_carries_vectors_over_by_the_words_they_were_made_of() {
    let folder = tempfile::tempdir().expect("a folder");
    run(async {
        let store = open(folder.path()).await;
        say(&store, 0..30).await;
        fill(&store, 0..25).await;
        store.flush_vector_index().await.expect("tended");
    });
    let file =
        fs::read_dir(folder.path().join("archive")).expect("a folder").next().expect("a file").expect("read");
    let swap = |a: usize, b: usize| {
        let text = fs::read_to_string(file.path()).expect("read");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.swap(a, b);
        fs::write(file.path(), lines.join("\n") + "\n").expect("written");
    };
    for (a, b, reached) in [(3, 20, 25), (10, 11, 25), (2, 28, 2)] {
        swap(a, b);
        run(async {
            let store = open(folder.path()).await;
            store.rebuild().await.expect("rebuilt");
            assert_eq!(store.verify().await.expect("verified").findings, []);
            assert_eq!(store.read(|view| view.counts()).await.expect("counts").embedded, reached);
            let texts = store.read(|view| view.messages_from(0, 30)).await.expect("messages");
            for record in texts.iter().take(reached as usize) {
                let number: u32 = record.message.text.parse().expect("a number");
                let (seq, similarity) = nearest(&store, number).await[0];
                assert!(seq == record.seq && similarity > 0.999, "{number} is at {}", record.seq);
            }
            store.flush_vector_index().await.expect("tended");
        });
    }
}

/// covers: X-B3, W-09
#[test]
fn a_memory_without_vectors_gets_a_place_for_them_and_keeps_everything() {
    let (new, old) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    run(async { say(&open(new.path()).await, 0..50).await });
    let folder = old.path();
    fs::create_dir(folder.join("archive")).expect("made");
    for file in
        fs::read_dir(new.path().join("archive")).expect("a folder").map(|entry| entry.expect("a file"))
    {
        fs::copy(file.path(), folder.join("archive").join(file.file_name())).expect("copied");
    }
    let database = Connection::open(folder.join("memory.db")).expect("opened");
    let first =
        include_str!("../migrations/0001_foundation.sql").replace("/* sqlite:", "").replace(" */", "");
    for script in [
        "CREATE TABLE migration (version BIGINT NOT NULL PRIMARY KEY); INSERT INTO migration VALUES (1)",
        &first,
        include_str!("../migrations/0001_guards.sqlite.sql"),
        include_str!("../migrations/0001_statistics.sqlite.sql"),
    ] {
        database.execute_batch(script).expect("run");
    }
    database.execute("ATTACH ?1 AS new", [new.path().join("memory.db").to_string_lossy()]).expect("attached");
    for table in ["agent", "thread", "session", "message"] {
        database.execute(&format!("INSERT INTO main.{table} SELECT * FROM new.{table}"), []).expect(table);
    }
    drop(database);
    run(async {
        let store = open(folder).await;
        let notes = store.take_repair_notes();
        assert!(notes.len() == 1 && notes[0].starts_with("schema 1 is now"), "{notes:?}");
        assert_eq!(store.read(|view| view.counts()).await.expect("counts").messages, 50);
        assert_eq!(
            store.read(|view| view.messages_from(0, 50)).await.expect("messages"),
            open(new.path()).await.read(|view| view.messages_from(0, 50)).await.expect("messages")
        );
        assert_eq!(store.verify().await.expect("verified").findings, []);
        fill(&store, 0..50).await;
        assert_eq!(nearest(&store, 33).await[0].0, 33);
        let copy = old.path().join("backups/one");
        store.backup(copy.clone()).await.expect("copied");
        assert_eq!(
            nearest(&open(&copy).await, 33).await,
            nearest(&store, 33).await,
            "vectors travel with a copy"
        );
    });
}

/// covers: C-157
#[test]
fn statements_on_vectors_use_an_index() {
    let folder = tempfile::tempdir().expect("a folder");
    run(open(folder.path()));
    let database = Connection::open(folder.path().join("memory.db")).expect("opened");
    for (statement, wanted) in [
        ("SELECT item, part, vector FROM embedding WHERE agent_id = 1 AND embedder_id = 1 AND kind = 'message'
          AND item >= 5 AND item < 9 ORDER BY item, part",
         "PRIMARY KEY (agent_id=? AND embedder_id=? AND kind=? AND item>? AND item<?)"),
        ("SELECT item FROM embedding WHERE agent_id = 1 AND embedder_id = 1 AND kind = 'message'
          ORDER BY item DESC, part DESC LIMIT 9",
         "PRIMARY KEY (agent_id=? AND embedder_id=? AND kind=?)"),
    ] {
        let plan = format!("EXPLAIN QUERY PLAN {statement}");
        let mut plans = database.prepare(&plan).expect("a plan");
        let plans: Vec<String> = plans.query_map([], |row| row.get(3)).expect("rows").map(|row| row.expect("a row")).collect();
        assert!(plans.len() == 1 && plans[0].contains(wanted), "{statement}: {plans:?}");
    }
}

/// Prints what a vector takes on disk and how long a cold start takes:
/// `cargo test --release -p cairn-store --test store -- --ignored --nocapture figures`
#[test]
#[ignore = "measures; run it in release"]
fn figures_on_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let size = |path: PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
    let messages = 250_000;
    run(async {
        let store = open(folder.path()).await;
        for from in (0..messages).step_by(4_000) {
            say(&store, from..(from + 4_000).min(messages)).await;
        }
        let database = || {
            let database = Connection::open(folder.path().join("memory.db")).expect("opened");
            database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("checkpointed");
            size(folder.path().join("memory.db"))
        };
        let before = database();
        let embedder = store.embedder("a".into(), 384, now()).await.expect("an embedder");
        let begun = std::time::Instant::now();
        for from in (0..messages).step_by(64) {
            let to = (from + 64).min(messages);
            let one = |seq| NewVector { seq, part: 0, vector: [vector(seq), vec![0.0; 284]].concat() };
            assert!(
                store.add_vectors(embedder.id, from, to, (from..to).map(one).collect()).await.expect("kept")
            );
            if store.vector_index_needs_flush() {
                store.flush_vector_index().await.expect("tended");
            }
        }
        store.flush_vector_index().await.expect("tended");
        println!("adding and tending: {:.1} s", begun.elapsed().as_secs_f64());
        println!("database: {:.0} bytes a vector", (database() - before) as f64 / f64::from(messages));
        let files: Vec<u64> = files(folder.path()).into_iter().map(size).collect();
        println!(
            "{} files: {:.0} bytes a vector",
            files.len(),
            files.iter().sum::<u64>() as f64 / f64::from(messages)
        );
    });
    for _ in 0..3 {
        run(async {
            let store = open(folder.path()).await;
            store.read(|view| view.newest(1, None)).await.expect("read");
            let begun = std::time::Instant::now();
            let near = NearestQuery { vector: &[], n: 1, later_part_penalty: 0.0 };
            let len = store
                .read(|view| Ok(view.search(&IndexQuery::near(near))?.vectors().map_or(0, |it| it.len())));
            let len = len.await.expect("read");
            println!("opening an index of {len}: {:.2} ms", begun.elapsed().as_secs_f64() * 1e3);
        });
    }
}
