//! `cairn skills`: how work with tools went, through transcripts of a coding agent.

use crate::support::Cairn;
use serde_json::{Value, json};

/// A transcript of Claude Code in the making; each step takes two seconds.
struct Transcript {
    session: &'static str,
    folder: &'static str,
    lines: Vec<String>,
}

impl Transcript {
    fn new(session: &'static str, folder: &'static str) -> Self {
        Self { session, folder, lines: Vec::new() }
    }

    fn add(&mut self, kind: &str, content: &Value) {
        let number = self.lines.len();
        let at = format!("2026-11-10T10:{:02}:{:02}Z", number * 2 / 60, number * 2 % 60);
        let line = json!({"type": kind, "uuid": format!("{}-{number}", self.session), "sessionId": self.session,
                          "cwd": self.folder, "timestamp": at, "message": {"role": kind, "content": content}});
        self.lines.push(line.to_string());
    }

    fn asks(&mut self, text: &str) {
        self.add("assistant", &json!([{"type": "text", "text": "Yes?"}]));
        self.add("user", &json!(text));
    }

    /// A call and its result; that of what failed begins with `!`.
    fn uses(&mut self, tool: &str, input: &Value, result: &str) {
        let id = format!("t{}", self.lines.len());
        self.add("assistant", &json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]));
        let (is_error, text) = (result.starts_with('!'), result.trim_start_matches('!'));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error});
        self.add("user", &json!([result]));
    }

    fn runs(&mut self, command: &str, result: &str) {
        self.uses("Bash", &json!({"command": command}), result);
    }

    fn edits(&mut self, file: &str) {
        // So long that the file is named far behind.
        self.uses("Write", &json!({"file_path": file, "content": "x".repeat(9_000)}), "File updated.");
    }

    fn take_in(&self, cairn: &Cairn) {
        let name = format!("{}.jsonl", self.session);
        cairn.write(&name, self.lines.join("\n"));
        cairn.json(&format!("ingest {name}"));
    }
}

fn cairn() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn
}

/// covers: C-257
#[test]
fn skills_tell_what_worked_how_long_it_took_how_it_failed_and_what_fixed_it() {
    let cairn = cairn();
    let mut tides = Transcript::new("tides", "/home/mara/tides");
    tides.asks("Why does the test fail?");
    let log = format!("Exit code 101\n{}error: tide table is empty", "compiling\n".repeat(900));
    tides.runs("cargo test -p gauge 2>&1 | tail -50", &format!("!{log}"));
    tides.uses("Read", &json!({"file_path": "src/table.rs"}), "error: only a line of this file");
    tides.edits("/home/mara/tides/src/table.rs");
    tides.runs("cargo test -p gauge", "test result: ok. 4 passed; 0 failed");
    tides.runs("git push", "!The user doesn't want to proceed with this tool use.");
    tides.take_in(&cairn);
    let mut kiln = Transcript::new("kiln", "/home/mara/kiln");
    kiln.asks("Build it.");
    kiln.runs("npm run build", "built in 3 s");
    kiln.take_in(&cairn);

    let told = cairn.json("skills");
    let threads: Vec<&Value> =
        told["projects"].as_array().expect("projects").iter().map(|it| &it["thread"]).collect();
    assert_eq!(threads, ["tides", "kiln"], "the most worked in first");
    let project = &told["projects"][0];
    assert_eq!((&project["calls"], &project["since"]), (&json!(4), &json!("2026-11-10T10:00:04Z")));
    let test = &project["skills"][0];
    assert_eq!((&test["tool"], &test["kind"]), (&json!("Bash"), &json!("cargo test")));
    assert_eq!((&test["tried"], &test["worked"], &test["median_ms"]), (&json!(2), &json!(1), &json!(2_000)));
    assert_eq!(test["failure"]["line"], "error: tide table is empty");
    assert_eq!(test["failure"]["fixed_by"][0]["label"], "Write table.rs");
    let of_kind =
        |kind: &str| project["skills"].as_array().expect("skills").iter().find(|it| it["kind"] == kind);
    assert_eq!(of_kind("Read").expect("it was used")["worked"], 1, "what a file says is no failure");
    assert!(of_kind("git push").is_none(), "what was not allowed to run has not failed");

    let reference = test["failure"]["ref"].as_str().expect("a ref");
    assert!(cairn.done(&format!("open {reference}")).stdout.contains("tide table is empty"));
    let shown = cairn.done("skills --thread tides --limit 1").stdout;
    assert!(shown.contains("cargo test") && shown.contains("1 of 2") && shown.contains("2 s"), "{shown}");
    assert!(!shown.contains("kiln") && !shown.contains("Read"), "{shown}");
    assert!(cairn.done("skills --thread glaze").stderr.contains("no tool was used"));
}
