//! `cairn diary`, as agents use it, and that its words stand nowhere else.

use crate::support::Cairn;
use std::{fs, path::Path};

const SECRET: &str = "I was impatient with Marta about the xylophone.";

fn home() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n");
    cairn.done("remember 'I live in Lisbon.' --id m1 --session s");
    cairn
}

/// Every file below a folder, the database's own included.
fn all_bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        if entry.path().is_dir() {
            found.extend(all_bytes(&entry.path()));
        } else {
            found.push((entry.path().display().to_string(), fs::read(entry.path()).expect("a file")));
        }
    }
    found
}

/// covers: L-29, X-L4
#[test]
fn what_is_written_is_shown_by_the_diary_and_stands_nowhere_else() {
    let cairn = home();
    let written = cairn.done(&format!("diary write '{SECRET}'"));
    assert!(written.stderr.contains("keep a copy"), "{}", written.stderr);
    assert_eq!(cairn.feed("diary write -", "The bassoon is out of tune.\n").code, 0);
    let listed = cairn.json("diary list");
    assert_eq!(listed["entries"].as_array().map(Vec::len), Some(2), "{listed}");
    assert!(!listed.to_string().contains("xylophone"), "closed: {listed}");
    let entry = listed["entries"][1]["ref"].as_str().expect("a ref").to_owned();
    assert_eq!(cairn.json(&format!("diary show {entry}"))["text"], SECRET);
    // Intake picks it up, and everything else that tends or tells memories runs.
    cairn.done("consolidate");
    cairn.at("2026-12-15T10:00:00Z");
    cairn.done("dream");
    cairn.done("compact");
    cairn.done("backup");
    let shown = cairn.json(&format!("diary show {entry}"));
    let memory = shown["memories"][0]["text"].as_str().expect("a memory");
    assert!(memory.contains("xylophone"), "{shown}");
    let hits = cairn.json("diary recall xylophone");
    assert_eq!(
        (&hits["hits"][0]["ref"], hits["hits"].as_array().map(Vec::len)),
        (&entry.clone().into(), Some(1))
    );
    for line in [
        "recall 'Marta xylophone'",
        "context --query 'Marta xylophone'",
        "timeline",
        "memories list --all",
        "entities",
        "digests",
        "digests current --about short-term",
        "rhythms",
        "diary list",
        "stats",
        "doctor",
        "export -",
        "export --redact -",
    ] {
        let ran = cairn.run(line);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(!told.contains("xylophone") || line.starts_with("recall"), "{line}: {told}");
        assert!(!told.contains("impatient"), "{line}: {told}");
    }
    cairn.done("export bundle.cairn");
    for (file, bytes) in all_bytes(&cairn.path("")) {
        for word in ["xylophone", "impatient", "bassoon"] {
            assert!(
                !bytes.windows(word.len()).any(|part| part == word.as_bytes()),
                "{word} stands in {file}"
            );
        }
    }
    let other = cairn.run(&format!("--agent other diary show {entry}"));
    assert!(other.code != 0 && !other.stderr.contains("xylophone"), "{}", other.stderr);
}

/// covers: X-L4
#[test]
fn a_backup_brings_entries_back_for_whoever_has_the_key() {
    let cairn = home();
    cairn.done(&format!("diary write '{SECRET}'"));
    cairn.done("backup --to copy");
    fs::create_dir_all(cairn.path("home/agents/again")).expect("a folder");
    for name in ["memory.db", "archive"] {
        let from = cairn.path("copy").join(name);
        fs::rename(from, cairn.path("home/agents/again").join(name)).expect("moved");
    }
    let listed = cairn.json("diary list");
    let entry = listed["entries"][0]["ref"].as_str().expect("a ref").to_owned();
    let refused = cairn.run(&format!("--agent again diary show {entry}"));
    assert!(refused.code != 0 && refused.stderr.contains("hint:"), "{}", refused.stderr);
    fs::copy(cairn.path("home/keys/main.diary"), cairn.path("home/keys/again.diary")).expect("copied");
    assert_eq!(cairn.json(&format!("--agent again diary show {entry}"))["text"], SECRET);
}

#[test]
fn what_cannot_be_written_is_refused_with_what_to_do() {
    let cairn = home();
    for line in ["diary write ' '", "diary show dia_nonsense", "diary show dia_00000000000000000000000000"] {
        let ran = cairn.run(line);
        assert!(ran.code != 0 && ran.stderr.contains("hint:"), "{line}: {}", ran.stderr);
    }
    let long = "word ".repeat(20_000);
    let ran = cairn.feed("diary write -", long);
    assert!(ran.code != 0 && ran.stderr.contains("too long"), "{}", ran.stderr);
}
