//! `erase`: what goes, what stays, and who may.

use crate::support::{
    Cairn,
    erasing::{answered, furnished, gone, signed_in, what_is_erased_stays_erased},
    files,
};
use std::fs;

/// covers: X-P5, I4, I7, X-B4
#[test]
fn what_is_erased_stays_erased_in_a_folder() {
    what_is_erased_stays_erased(&Cairn::new());
}

/// The words are in no file of the home: not in the database or its log, the archive, an index, a log or a backup.
///
/// covers: X-P5
#[test]
fn no_file_of_the_home_holds_what_was_erased() {
    let cairn = Cairn::new();
    furnished(&cairn);
    cairn.done("backup");
    let holding = || -> Vec<String> {
        let mut found = Vec::new();
        for path in all_files(&cairn.path("home")) {
            let bytes = fs::read(&path).expect("a file");
            if bytes.windows(6).any(|bytes| bytes.eq_ignore_ascii_case(b"ankara")) {
                found.push(path.display().to_string());
            }
        }
        found
    };
    assert!(holding().len() >= 3, "a check that cannot see it proves nothing: {:?}", holding());
    answered(&cairn, "erase --session s1 --yes --reason 'asked to be forgotten'");
    assert_eq!(holding(), Vec::<String>::new());
    gone(&cairn);
    let sealed = cairn.json("verify");
    assert!(sealed["seals"].as_u64() >= Some(1), "{sealed}");
}

/// covers: I3, W-168, W-179, X-P5
#[test]
fn only_an_operator_erases() {
    let cairn = Cairn::new();
    furnished(&cairn);
    let before = files(&cairn.path("home/agents/main/archive"));
    let nobody = cairn.run("erase --all --yes --reason why");
    assert_eq!(nobody.code, 1);
    assert!(nobody.stderr.contains("CAIRN_OPERATOR_PASSPHRASE"), "{}", nobody.stderr);
    let mut wrong = cairn.command("erase --all --yes --reason why");
    wrong.env("CAIRN_OPERATOR_PASSPHRASE", "a loud harbour");
    let wrong = cairn.finish(wrong, b"");
    assert_eq!(wrong.code, 1);
    assert!(wrong.stderr.contains("does not open"), "{}", wrong.stderr);
    for line in ["erase", "erase --yes", "erase --all --yes", "erase dig_0123", "erase --before yesterday"] {
        assert_eq!(signed_in(&cairn, line).code, 2, "{line}");
    }
    let unknown = signed_in(&cairn, "erase msg_00000000000000000000000000 --yes --reason why");
    assert_eq!(unknown.code, 1);
    assert!(unknown.stderr.contains("no words of msg_"), "{}", unknown.stderr);
    assert_eq!(cairn.json("stats")["messages"], 7);
    assert_eq!(files(&cairn.path("home/agents/main/archive")), before);
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: X-P5
#[test]
fn everything_before_a_time_goes_and_the_rest_stays() {
    let cairn = Cairn::new();
    furnished(&cairn);
    let erased = answered(&cairn, "erase --before 2026-11-03T00:00:00Z --yes --reason 'kept long enough'");
    assert_eq!(erased["messages"].as_array().map(Vec::len), Some(4), "three, and an echo: {erased}");
    let left = cairn.json("timeline").to_string();
    assert!(left.contains("Bosch") && left.contains("glaze") && !left.contains("tea"), "{left}");
    assert_eq!(cairn.json("verify")["ok"], true);
    let all = answered(&cairn, "erase --all --yes --reason 'moved out'");
    assert_eq!(all["messages"].as_array().map(Vec::len), Some(3), "{all}");
    let stats = cairn.json("stats");
    for what in ["messages", "memories", "beliefs", "digests", "entities"] {
        assert_eq!(stats[what], 0, "{what}: {stats}");
    }
    assert_eq!(cairn.json("verify")["ok"], true);
    cairn.done("remember 'A new beginning is made today.' --session new");
    assert_eq!(cairn.hits("beginning"), ["A new beginning is made today."]);
    assert_eq!(cairn.json("verify")["ok"], true);
    cairn.done("rebuild");
    assert_eq!(cairn.json("stats")["messages"], 1);
}

fn all_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(all_files(&path)) } else { found.push(path) }
    }
    found
}

/// A key is made of somebody's words: it stands where it can be erased, also under a key of which nothing was held.
///
/// covers: X-P5, I4, I7
#[test]
fn no_receipt_holds_the_key_of_what_was_erased() {
    let cairn = Cairn::new();
    furnished(&cairn);
    let beliefs = cairn.json("beliefs --all");
    let sister = beliefs["beliefs"].as_array().expect("beliefs").iter().find(|it| it["value"] == "ankara");
    let sister = sister.unwrap_or_else(|| panic!("{beliefs}")).clone();
    let (id, key) = (sister["ref"].as_str().expect("a ref"), sister["key"].as_str().expect("a key"));
    assert!(key.contains("ece"), "{key}");
    answered(&cairn, &format!("review decide {id} reject --reason 'not ours to keep'"));
    cairn.at("2026-11-06T10:00:00Z");
    cairn.done("remember 'My sister Ece lives in Ankara.' --id again --session s9");
    cairn.done("rhythms run beliefs");
    let log = cairn.json("operator log --limit 9");
    let noted = log["receipts"].as_array().expect("receipts").iter().find(|it| it["subject"] == "a key");
    let noted = noted.unwrap_or_else(|| panic!("{log}"));
    assert_eq!((&noted["was"], &noted["becomes"]), (&key.into(), &"not held".into()), "{noted}");
    assert!(cairn.done("export").stdout.contains(key), "a check that cannot see it proves nothing");
    answered(&cairn, "erase --session s1 --yes --reason 'asked to be forgotten'");
    let bundle = cairn.done("export").stdout;
    let at = bundle.find(key).map(|at| bundle.get(at.saturating_sub(200)..(at + 100).min(bundle.len())));
    assert!(at.is_none(), "{at:?}");
    gone(&cairn);
}

fn lose_database(cairn: &Cairn) {
    for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let _ = fs::remove_file(cairn.path("home/agents/main").join(name));
    }
}

/// Neither a database that was set aside, nor an old bundle or transcript after the database is lost, brings back what was erased.
///
/// covers: X-P5, I4
#[test]
fn losing_the_database_brings_nothing_back() {
    let cairn = Cairn::new();
    furnished(&cairn);
    cairn.done("export before.cairn");
    let main = cairn.path("home/agents/main");
    fs::copy(main.join("memory.db"), main.join("memory.db.damaged-2026-11-05T10-00-00Z")).expect("copied");
    fs::copy(cairn.path("before.cairn"), cairn.path("home/kept.cairn")).expect("copied");
    let plan = cairn.json("erase --session s1");
    assert_eq!(plan["copies"].as_array().map(Vec::len), Some(2), "{plan}");
    answered(&cairn, "erase --session s1 --yes --reason 'asked to be forgotten'");
    assert!(!cairn.path("home/kept.cairn").exists() && cairn.path("before.cairn").exists());
    lose_database(&cairn);
    let imported = cairn.json("import before.cairn");
    assert_eq!((&imported["erased"], &imported["memories"]), (&3.into(), &false.into()), "{imported}");
    let said = cairn.done("ingest said.jsonl");
    assert!(said.stdout.contains("3 left out: an operator has erased them"), "{}", said.stdout);
    for words in ["my sister ece lives in ankara.", "MY SISTER ECE LIVES IN ANKARA."] {
        let said = cairn.run(&format!("remember '{words}'"));
        assert_eq!(said.code, 2, "{words}: {}", said.stdout);
    }
    cairn.done("form");
    gone(&cairn);
}

/// The mode and the ledger outlive the database; what cannot be restored is told.
///
/// covers: I4, W-168, X-P5
#[test]
fn losing_the_database_loses_no_receipt_and_no_mode() {
    let cairn = Cairn::new();
    furnished(&cairn);
    let beliefs = cairn.json("beliefs");
    let tea = beliefs["beliefs"].as_array().expect("beliefs").iter().find(|it| it["value"] != "ankara");
    let tea = tea.unwrap_or_else(|| panic!("{beliefs}"))["ref"].as_str().expect("a ref").to_owned();
    answered(&cairn, &format!("review decide {tea} accept_verified --reason 'it is so'"));
    answered(&cairn, "operator apply --mode enforce --reason reviewed --yes");
    let log = cairn.json("operator log --limit 50");
    cairn.done("backup");
    lose_database(&cairn);
    let fixed = cairn.done("doctor --fix").stdout;
    for told in ["provenance_mode `enforce` holds again", "1 verified belief(s)", "the newest backup"] {
        assert!(fixed.contains(told), "{told} is not in: {fixed}");
    }
    assert_eq!(cairn.json("operator status")["mode"], "enforce");
    assert_eq!(cairn.json("operator log --limit 50"), log);
    assert_eq!(cairn.json("verify")["ok"], true);
    // And it grows from where it was.
    answered(&cairn, "operator apply --mode observe --reason again --yes");
    assert_eq!(cairn.json("verify")["ok"], true);
}
