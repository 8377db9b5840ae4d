//! Secrets never reach the disk, whichever way they come in.

use crate::support::Cairn;
use std::{fs, path::Path};

/// Secrets as people paste them.
const SECRETS: [(&str, &str); 4] = [
    ("My password is hunter2-and-more, please keep it.", "hunter2-and-more"),
    (
        "The deploy bot uses ghp_16C7e42F292c6912E7710c838347Ae178B4a on GitHub.",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    ),
    ("AWS knows us as AKIAQX7ZT3LMNB4WVKRD in Frankfurt.", "AKIAQX7ZT3LMNB4WVKRD"),
    ("Pay with 4111 1111 1111 1111 as always.", "4111 1111 1111 1111"),
];

/// Every file below a folder that holds these bytes.
fn holding(folder: &Path, secret: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(holding(&path, secret));
        } else {
            let bytes = fs::read(&path).expect("a file");
            if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

fn nothing_holds_a_secret(cairn: &Cairn, when: &str) {
    for (_, secret) in SECRETS {
        let found = holding(&cairn.path("home"), secret);
        assert!(found.is_empty(), "after {when}, {secret} stands in {found:?}");
    }
}

/// Looks at the whole home: archive, database with its log, indexes, ops log, backups.
///
/// covers: C-218
#[test]
fn no_secret_reaches_the_disk_by_any_way_in() {
    let cairn = Cairn::new();
    for (i, (text, secret)) in SECRETS.iter().enumerate() {
        let ran = cairn.run_args(&["remember", text, "--session", &format!("s{i}"), "--explain"]);
        assert_eq!((ran.code, ran.stdout.contains(secret)), (0, false), "{}{}", ran.stdout, ran.stderr);
    }
    nothing_holds_a_secret(&cairn, "remember");
    let line = |(text, _): &(&str, &str)| {
        let mut line = serde_json::json!({"session": "import", "text": text, "note": text,
                                          "tags": [{"password": "hunter2-and-more"}]})
        .to_string();
        line.push('\n');
        line
    };
    let transcript: String = SECRETS.iter().map(line).collect();
    let ran = cairn.at("2026-11-16T10:00:00Z").feed("ingest -", &transcript);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    nothing_holds_a_secret(&cairn, "ingest");
    cairn.done("form");
    nothing_holds_a_secret(&cairn, "form");
    assert_eq!(cairn.feed("ingest --feed -", &transcript).code, 0);
    cairn.done("form");
    let notes: String = SECRETS.iter().flat_map(|(text, _)| [*text, "\n\n"]).collect();
    cairn.write("notes/keys.md", format!("# Keys\n\n{notes}"));
    cairn.done("ingest --knowledge notes");
    nothing_holds_a_secret(&cairn, "ingest --knowledge");
    cairn.done("backup");
    cairn.done("rebuild");
    nothing_holds_a_secret(&cairn, "backup and rebuild");
    let bundle = cairn.done("export -").stdout;
    assert!(SECRETS.iter().all(|(_, secret)| !bundle.contains(secret)));
    assert!(bundle.contains("[secret:"), "something was masked");
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// Names are words, too: of sessions, threads, speakers, ids, fields, folders and files.
///
/// covers: C-218
#[test]
fn no_secret_in_a_name_reaches_the_disk() {
    let cairn = Cairn::new();
    let (_, secret) = SECRETS[1];
    let name = format!("bot {secret}");
    let said = ["remember", "We ship on Friday.", "--session", &name, "--thread", &name, "--speaker", &name];
    let ran = cairn.run_args(&[&said[..], &["--id", &name]].concat());
    assert_eq!((ran.code, ran.stdout.contains(secret)), (0, false), "{}{}", ran.stdout, ran.stderr);
    nothing_holds_a_secret(&cairn, "names of remember");
    let line = serde_json::json!({"id": name, "session": name, "thread": name, "speaker": name,
                                  "text": "The kiln is hot.", name.as_str(): {name.as_str(): 1}});
    let session = serde_json::json!({"type": "user", "uuid": "u1", "sessionId": name, "gitBranch": name,
        "cwd": format!("/home/mara/{name}"), "message": {"content": "Why does the test fail?"}});
    for line in [line, session] {
        let ran = cairn.feed("ingest -", format!("{line}\n"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    nothing_holds_a_secret(&cairn, "names of ingest");
    cairn.write(&format!("notes {secret}/{secret}.md"), "The boat is called Aurora.\n");
    let folder = format!("notes {secret}");
    for _ in 0..2 {
        let ran = cairn.run_args(&["ingest", "--knowledge", &folder]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    nothing_holds_a_secret(&cairn, "names of files");
    assert!(cairn.done("recall 'what is the boat called?'").stdout.contains("Aurora"));
    cairn.done("form");
    nothing_holds_a_secret(&cairn, "forming");
}
