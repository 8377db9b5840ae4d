//! `cairn skills`: how work with tools went, through transcripts of a coding agent.

use crate::support::{
    Cairn,
    erasing::{answered, signed_in},
};
use serde_json::{Value, json};

/// A transcript of Claude Code in the making; each step takes two seconds.
struct Transcript {
    session: &'static str,
    folder: &'static str,
    day: u32,
    lines: Vec<String>,
}

impl Transcript {
    fn new(session: &'static str, folder: &'static str) -> Self {
        Self { session, folder, day: 10, lines: Vec::new() }
    }

    fn add(&mut self, kind: &str, content: &Value) {
        let number = self.lines.len();
        let at = format!("2026-11-{}T10:{:02}:{:02}Z", self.day, number * 2 / 60, number * 2 % 60);
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

/// A history in which a release was made three times, among other work.
fn releases(cairn: &Cairn) {
    let mut work = Transcript::new("work", "/home/mara/tides");
    for (number, name) in ["harbor", "gauge", "moon"].into_iter().enumerate() {
        work.asks(&format!("Look into {name} please"));
        work.runs("cargo build", "finished");
        work.edits(&format!("src/{name}.rs"));
        work.asks(&format!("Release version {number} please"));
        work.edits("CHANGELOG.md");
        work.runs("cargo set-version --bump minor", "bumped");
        if number == 1 {
            work.runs("git tag v1", "!fatal: tag 'v1' already exists");
        }
        work.runs(&format!("git tag v{number} && git push --tags"), "pushed");
        work.runs("git status", "clean");
    }
    work.take_in(cairn);
}

const RELEASE: &str =
    "Write CHANGELOG.md → cargo set-version --bump minor → git tag → git push --tags worked 3 times";

/// covers: C-258, W-113
#[test]
fn a_procedure_that_worked_three_times_is_told_where_it_fits_until_it_fails() {
    let cairn = cairn();
    releases(&cairn);
    let mined = cairn.json("skills")["projects"][0]["procedures"].clone();
    let mined = mined.as_array().expect("procedures");
    assert_eq!(mined.len(), 1, "{mined:?}");
    let steps: Vec<&str> =
        mined[0]["steps"].as_array().expect("steps").iter().filter_map(|it| it["label"].as_str()).collect();
    assert_eq!(steps, ["Write CHANGELOG.md", "cargo set-version", "git tag", "git push"]);
    assert_eq!((&mined[0]["worked"], &mined[0]["confidence"]), (&json!(3), &json!(0.75)));
    let evidence = mined[0]["evidence"].as_array().expect("evidence");
    assert_eq!(evidence.len(), 3);
    for reference in evidence {
        let opened = cairn.done(&format!("open {}", reference.as_str().expect("a ref"))).stdout;
        assert!(opened.contains("CHANGELOG.md"), "{opened}");
    }
    let shown = cairn.done("skills").stdout;
    assert!(shown.contains("git tag → git push --tags") && shown.contains("worked 3 times"), "{shown}");

    let context = |words: &str| cairn.done(&format!("context {words}")).stdout.replace(['“', '”'], "");
    let asked = context("--mode code --thread tides --query 'release version 7'");
    assert!(asked.contains(RELEASE), "{asked}");
    for other in [
        "--mode code --thread tides --query 'what is the moon made of?'",
        "--mode code --thread kiln --query 'release version 7'",
        "--mode chat --thread tides --query 'release version 7'",
    ] {
        assert!(!context(other).contains("worked 3 times"), "{other}");
    }
    let recalled = cairn.json("recall 'How do I release a version?' --thread tides")["procedures"].clone();
    assert_eq!((&recalled[0]["thread"], &recalled[0]["worked"]), (&json!("tides"), &json!(3)), "{recalled}");
    let recalled = cairn.done("recall 'How do I release a version?'").stdout;
    assert!(recalled.contains("worked before:") && recalled.contains("git push --tags"), "{recalled}");
    let tagged = context("--mode code --thread tides --query 'why does git tag not work?'");
    assert!(tagged.contains("git tag: 3 of 4 worked; failed as fatal: tag 'v1' already exists"), "{tagged}");

    let mut failing = Transcript::new("zz-failing", "/home/mara/tides");
    failing.day = 11;
    failing.asks("Release version 4 please");
    failing.edits("CHANGELOG.md");
    failing.runs("cargo set-version --bump minor", "!error: no such command: `set-version`");
    failing.take_in(&cairn);
    let procedure = &cairn.json("skills")["projects"][0]["procedures"][0];
    assert_eq!((&procedure["failed_since"], &procedure["confidence"]), (&json!(1), &json!(0.375)));
    assert!(cairn.done("skills").stdout.contains("failed once since"));
    let asked = context("--mode code --thread tides --query 'release version 7'");
    assert!(!asked.contains("worked 3 times"), "what fails is not recommended: {asked}");
}

/// covers: C-257, C-258, X-P5
#[test]
fn skills_move_with_the_messages_and_are_erased_with_them() {
    let cairn = cairn();
    releases(&cairn);
    let before = cairn.json("skills");
    cairn.done("export whole.cairn");
    cairn.write("other/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done("--home other import whole.cairn");
    assert_eq!(cairn.json("--home other skills"), before);
    let made = signed_in(&cairn, "operator init");
    assert_eq!(made.code, 0, "{}", made.stderr);
    answered(&cairn, "erase --session work --yes --reason 'asked to be forgotten'");
    assert_eq!(cairn.json("skills")["projects"], json!([]));
}

/// covers: C-258
#[test]
fn planted_procedures_are_found_and_none_is_invented() {
    let cairn = cairn();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../eval/data/skills.jsonl");
    let lines = std::fs::read_to_string(data).expect("the data");
    let few: Vec<&str> = lines.lines().filter(|line| line.contains("\"split\": \"train\"")).take(2).collect();
    cairn.write("skills.jsonl", few.join("\n"));
    let told = cairn.json("eval skills skills.jsonl");
    assert!(told["found"]["percent"].as_f64() >= Some(85.0), "{told}");
    assert_eq!(
        (&told["invented"]["of_these"], told["invented"]["all"].as_u64() > Some(0)),
        (&json!(0), true),
        "{told}"
    );
    assert_eq!(told["invented where the steps are in any order"]["of_these"], 0, "{told}");
}
