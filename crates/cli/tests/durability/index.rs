//! Index files are derived: whatever becomes of them, the same question has the same answer.

use crate::durability::home::{Home, Said, ids, life};
use fastrand::Rng;
use serde_json::Value;
use std::{fs, path::PathBuf};

fn segments(home: &Home) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.agent("index")).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("the folder can be listed").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "segment")).collect()
}

/// 1,500 messages, all but the last hundred in index files.
fn indexed() -> (Home, Vec<Said>) {
    let home = Home::new();
    let said = life(&mut Rng::with_seed(31), "indexed", 1_500);
    home.ingest(1, &said[..1_400]).good();
    home.run(1, &["rebuild"]).good();
    home.ingest(1, &said[1_400..]).good();
    assert!(!segments(&home).is_empty(), "1,400 messages are worth a file");
    (home, said)
}

/// A name, the damage done to the files, and words of the note that reports it; empty where nothing is amiss.
type Damage = (&'static str, fn(&Home), &'static str);

const QUESTIONS: [&str; 5] =
    ["indexedn3", "indexedn1450", "kestrel over the harbour", "velvet juniper quarry", "zephyr"];

/// Refs and scores of every question's hits, and what was said beside them.
fn answers(home: &Home) -> (Vec<Value>, String) {
    let mut notes = String::new();
    let mut answers = Vec::new();
    for question in QUESTIONS {
        let recall = home.run(1, &["recall", question, "--json"]).good();
        notes.push_str(&recall.stderr);
        let hits = recall.json()["hits"].as_array().cloned().expect("recall answers with hits");
        assert!(!hits.is_empty(), "{question}");
        answers.extend(hits.into_iter().map(|hit| serde_json::json!([hit["ref"], hit["score"]])));
    }
    (answers, notes)
}

/// covers: C-35, W-25
#[test]
fn the_same_answers_come_without_an_index_or_with_a_damaged_one() {
    let (home, said) = indexed();
    let (before, notes) = answers(&home);
    assert_eq!(notes, "");
    let damages: [Damage; 7] = [
        ("files deleted", |home| segments(home).iter().for_each(|path| fs::remove_file(path).unwrap()), ""),
        ("folder deleted", |home| fs::remove_dir_all(home.agent("index")).unwrap(), ""),
        (
            "files cut by half",
            |home| rewrite(home, |bytes| bytes.truncate(bytes.len() / 2)),
            "was damaged or old",
        ),
        ("files emptied", |home| rewrite(home, Vec::clear), "was damaged or old"),
        (
            "one bit changed",
            |home| {
                rewrite(home, |bytes| {
                    let at = bytes.len() / 2;
                    bytes[at] ^= 1;
                });
            },
            "was damaged or old",
        ),
        (
            "files of noise",
            |home| rewrite(home, |bytes| Rng::with_seed(32).fill(bytes)),
            "was damaged or old",
        ),
        ("folder replaced by a file", replace_folder, "was no folder"),
    ];
    for (label, damage, note) in damages {
        eprintln!("— {label}");
        damage(&home);
        let (after, notes) = answers(&home);
        assert!(notes.contains(note) && notes.is_empty() == note.is_empty(), "{notes}");
        assert!(notes.lines().all(|line| line.starts_with("note: ")), "{notes}");
        assert_eq!(after, before);
        home.run(1, &["rebuild"]).good();
        assert!(!segments(&home).is_empty(), "the index is written again");
        assert_eq!(answers(&home), (before.clone(), String::new()));
    }
    home.check_whole(1, &ids(&said), &said);
}

fn rewrite(home: &Home, change: impl Fn(&mut Vec<u8>)) {
    for path in segments(home) {
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }
}

fn replace_folder(home: &Home) {
    fs::remove_dir_all(home.agent("index")).unwrap();
    fs::write(home.agent("index"), "in the way").unwrap();
}

/// `verify` names a damaged index file, and `doctor --fix` and the next `rebuild` put it in order.
///
/// covers: W-25
#[test]
fn a_damaged_index_file_is_named_and_mended() {
    let (home, said) = indexed();
    rewrite(&home, |bytes| bytes.truncate(100));
    let verify = home.run(1, &["verify", "--json"]);
    assert_eq!(verify.status.code(), Some(1));
    let finding = &verify.json()["findings"][0];
    assert!(finding["problem"].as_str().is_some_and(|problem| problem.ends_with("is damaged")), "{finding}");
    home.run(1, &["doctor", "--fix"]).good();
    home.check_whole(1, &ids(&said), &said);
}

/// An index file left half-written by a killed process does not stay for good.
#[test]
fn unfinished_index_files_are_cleared_away() {
    let (home, _) = indexed();
    let unfinished = home.agent("index/keywords-0000000000-0000000512.4242.part");
    fs::write(&unfinished, "half").unwrap();
    home.run(1, &["rebuild"]).good();
    assert!(!unfinished.exists());
}
