//! A writer that was stopped in the middle of its work: who only reads does not wait for it.

use crate::durability::home::{Home, ids, life, transcript};
use fastrand::Rng;
use std::{
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

/// The longest that a question may take while somebody else holds the write lock.
const SOON: Duration = Duration::from_secs(20);

/// covers: W-24
#[test]
fn questions_are_answered_while_a_stopped_writer_holds_the_lock() {
    let home = Home::new();
    let said = life(&mut Rng::with_seed(51), "kept", 30);
    home.ingest(1, &said).good();
    let writer = home.database();
    writer.execute_batch("BEGIN IMMEDIATE; UPDATE agent SET index_epoch = index_epoch").expect("locked");
    // It had written its line, and not yet committed the row.
    let path = home.archive(1);
    let archive = fs::read_to_string(&path).expect("an archive");
    let last = archive.trim_end().lines().last().expect("a line").to_owned();
    fs::write(&path, format!("{}\n{last}\n", archive.trim_end())).expect("written");
    for args in [&["recall", "lantern", "--read-only"][..], &["recall", "lantern"], &["timeline"]] {
        let begun = Instant::now();
        assert!(!home.run(1, args).good().stdout.is_empty(), "{args:?}");
        assert!(begun.elapsed() < SOON, "{args:?} took {:?}", begun.elapsed());
    }
    writer.execute_batch("ROLLBACK").expect("released");
    drop(writer);
    fs::write(&path, &archive).expect("written");
    home.check_whole(1, &ids(&said), &said);
}

/// Commands that only read.
const QUESTIONS: [&[&str]; 7] = [
    &["recall", "lantern", "--read-only"],
    &["recall", "lantern"],
    &["timeline"],
    &["context", "--query", "lantern"],
    &["sessions"],
    &["memories", "list"],
    &["stats"],
];

/// Stops real writers wherever they are, whatever locks they hold.
///
/// covers: W-24
#[test]
fn questions_are_answered_while_real_writers_stand_still() {
    let home = Home::new();
    let said = life(&mut Rng::with_seed(52), "kept", 400);
    home.ingest(1, &said[..40]).good();
    fs::write(home.path().join("said.jsonl"), transcript(&said)).expect("written");
    let file = home.path().join("said.jsonl").display().to_string();
    let writers: [&[&str]; 3] = [&["ingest", &file, "--wait"], &["rebuild"], &["dream"]];
    let (mut rng, mut stood) = (Rng::with_seed(53), 0);
    for round in 0..6 {
        let mut command = home.command(1, writers[round % writers.len()]);
        let mut writer = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        thread::sleep(Duration::from_millis(rng.u64(20..400)));
        signal(writer.id(), "STOP");
        let stands = writer.try_wait().expect("asked").is_none();
        stood += usize::from(stands);
        for args in QUESTIONS.iter().filter(|_| stands) {
            let begun = Instant::now();
            home.run(1, args).good();
            assert!(begun.elapsed() < SOON, "{args:?} took {:?}", begun.elapsed());
        }
        signal(writer.id(), "CONT");
        writer.wait().expect("it ends");
    }
    assert!(stood > 0, "no writer was stopped in time: this proves nothing");
    home.ingest(1, &said).good();
    home.check_whole(1, &ids(&said), &said);
}

/// Sends a signal to a process, which may be gone.
fn signal(process: u32, name: &str) {
    let _ = std::process::Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
}
