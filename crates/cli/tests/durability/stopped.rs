//! A writer that was stopped in the middle of its work: who only reads does not wait for it.

use crate::durability::home::{Home, ids, life};
use fastrand::Rng;
use std::{
    fs,
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
