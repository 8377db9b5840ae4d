//! `cairn doctor`, `verify` and `rebuild`.

use crate::support::{Cairn, files};
use std::fs;

const MAIN: &str = "home/agents/main";

/// A home with messages of two days, of which the first is over.
fn two_days() -> Cairn {
    let cairn = Cairn::new();
    cairn.at("2026-11-14T10:00:00Z").done("remember 'The bees are in the chimney.' --session s1");
    cairn.at("2026-11-15T10:00:00Z").done("remember 'The beekeeper comes on Friday.' --session s1");
    cairn.done("stats"); // The first to look after a day is over seals it.
    cairn
}

/// covers: W-24, W-25, X-W2
#[test]
fn a_healthy_home_is_found_healthy() {
    let cairn = two_days();
    let before = files(&cairn.path("home/agents/main/archive"));
    for line in ["doctor", "doctor --json", "verify", "verify --json", "rebuild", "rebuild --json"] {
        cairn.tell(line);
    }
    insta::assert_snapshot!(cairn.story());
    assert!(files(&cairn.path("home/agents/main/archive")) == before, "looking changes no word");
}

/// covers: W-24, X-W2
#[test]
fn a_sealed_day_that_was_changed_is_found_out() {
    let cairn = two_days();
    let sealed = format!("{MAIN}/archive/2026-11-14.jsonl");
    cairn.tamper(&sealed, "chimney", "cellars");
    for line in ["verify", "verify --json", "doctor"] {
        cairn.tell(line);
    }
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.hits("chimney -k 1"), ["The bees are in the chimney."], "the database still knows");
}

/// covers: W-25, X-W2
#[test]
fn a_lost_database_comes_back_from_the_archive() {
    let cairn = two_days();
    let known = cairn.json("timeline");
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(cairn.path(&format!("{MAIN}/memory.db{end}")));
    }
    assert_eq!(cairn.json("timeline"), known);
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: W-25
#[test]
fn a_damaged_database_is_refused_and_mended_without_losing_a_word() {
    let cairn = two_days();
    let known = cairn.json("timeline");
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(cairn.path(&format!("{MAIN}/memory.db{end}")));
    }
    cairn.write(&format!("{MAIN}/memory.db"), "This is a shopping list and no database. ".repeat(400));
    for line in ["recall bees", "doctor", "doctor --fix", "doctor"] {
        cairn.tell(line);
    }
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.json("timeline"), known);
}

/// covers: C-35, W-25
#[test]
fn a_damaged_index_is_found_out_and_rebuilt() {
    let cairn = two_days();
    cairn.done("rebuild");
    let (segment, bytes) = files(&cairn.path("home/agents/main/index")).remove(0);
    fs::write(&segment, &bytes[..bytes.len() / 2]).expect("the index is cut");
    assert_eq!(cairn.hits("chimney -k 1"), ["The bees are in the chimney."], "search does without it");
    fs::write(&segment, &bytes[..bytes.len() / 2]).expect("the index is cut");
    cairn.tell("verify");
    cairn.tell("doctor --fix");
    cairn.tell("verify");
    insta::assert_snapshot!(cairn.story());
}

/// covers: W-25
#[test]
fn a_lost_archive_is_written_again_from_the_database() {
    let cairn = two_days();
    let day = format!("{MAIN}/archive/2026-11-14.jsonl");
    let words = cairn.read(&day);
    fs::remove_file(cairn.path(&day)).expect("the file is gone");
    for line in ["verify", "doctor --fix", "verify"] {
        cairn.tell(line);
    }
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.read(&day).trim_end(), words.trim_end());
}
