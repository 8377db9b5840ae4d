//! `cairn ingest --watch`: a folder is followed while it is written, and nobody has to log anything.

use crate::support::Cairn;
use std::{
    fs::OpenOptions,
    io::Write,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long a message may take from the transcript to recall.
const PATIENCE: Duration = Duration::from_secs(10);

/// A process that ends with the test, however the test ends.
struct Watcher(Child);

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn watch(cairn: &Cairn) -> Watcher {
    let mut command = cairn.command("ingest --watch sessions");
    Watcher(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("cairn starts"))
}

/// Adds bytes to the end of a file.
fn append(cairn: &Cairn, name: &str, text: &str) {
    let file = OpenOptions::new().append(true).create(true).open(cairn.path(name));
    file.and_then(|mut file| file.write_all(text.as_bytes())).expect("the file grows");
}

/// Asks from another process until the answer is as expected.
fn wait_for(cairn: &Cairn, line: &str, expected: &[&str]) {
    let begun = Instant::now();
    loop {
        let ran = cairn.run(&format!("--json recall {line}"));
        let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        let found = answer["hits"].is_array().then(|| crate::support::texts(&answer["hits"]));
        if found.as_ref().is_some_and(|found| found == expected) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{line}: {found:?}\n{}", ran.stderr);
        thread::sleep(Duration::from_millis(50));
    }
}

/// covers: L-28, L-30
#[test]
fn a_growing_transcript_is_followed_and_found_from_another_process() {
    let cairn = Cairn::new();
    cairn.write(
        "sessions/one.jsonl",
        "{\"id\":\"w1\",\"session\":\"s1\",\"text\":\"The otter came back.\"}\n",
    );
    let watcher = watch(&cairn);
    wait_for(&cairn, "otter", &["The otter came back."]);

    append(&cairn, "sessions/one.jsonl", "{\"id\":\"w2\",\"session\":\"s2\",\"text\":\"The badger ");
    append(&cairn, "sessions/two.jsonl", "{\"id\":\"w3\",\"session\":\"s3\",\"text\":\"The lynx waits.\"}\n");
    wait_for(&cairn, "lynx", &["The lynx waits."]);
    assert_eq!(cairn.hits("badger"), [] as [String; 0], "half a line is no message");

    append(&cairn, "sessions/one.jsonl", "sleeps.\"}\n");
    wait_for(&cairn, "badger", &["The badger sleeps."]);
    drop(watcher);
    assert_eq!(cairn.json("stats")["messages"], 3);

    append(&cairn, "sessions/two.jsonl", "{\"id\":\"w4\",\"session\":\"s4\",\"text\":\"The crane left.\"}\n");
    let _watcher = watch(&cairn);
    wait_for(&cairn, "crane", &["The crane left."]);
    assert_eq!(cairn.json("stats")["messages"], 4, "what was followed before is not added twice");
}
