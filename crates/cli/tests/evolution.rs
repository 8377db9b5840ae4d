//! `cairn evolution` and `cairn research`: friction in work with tools, proposals against it, and shards that leave only when an operator
//! says so.

use crate::support::{
    Cairn,
    erasing::{answered, signed_in},
};
use serde_json::{Value, json};
use std::fs;

const CONFIG: &str = "[embedder]\nkind = \"none\"\n";

/// A transcript of Claude Code in the making: one session, a step every two seconds.
struct Transcript {
    session: &'static str,
    day: u32,
    /// The number of its first line.
    first: usize,
    lines: Vec<String>,
}

impl Transcript {
    fn new(session: &'static str, day: u32) -> Self {
        Self { session, day, first: 0, lines: Vec::new() }
    }

    fn add(&mut self, kind: &str, content: &Value) {
        let number = self.first + self.lines.len();
        let at = format!("2026-11-{:02}T10:{:02}:{:02}Z", self.day, number * 2 / 60, number * 2 % 60);
        let line = json!({"type": kind, "uuid": format!("{}-{number}", self.session), "sessionId": self.session,
                          "cwd": "/home/mara/tides", "timestamp": at,
                          "message": {"role": kind, "model": "model-7", "content": content}});
        self.lines.push(line.to_string());
    }

    fn asks(&mut self, text: &str) {
        self.add("assistant", &json!([{"type": "text", "text": "Yes?"}]));
        self.add("user", &json!(text));
    }

    /// A command and its output; that of what failed begins with `!`.
    fn runs(&mut self, command: &str, result: &str) {
        let id = format!("t{}", self.first + self.lines.len());
        let input = json!({"command": command, "timeout": 5000});
        self.add("assistant", &json!([{"type": "tool_use", "id": id, "name": "Bash", "input": input}]));
        let (is_error, text) = (result.starts_with('!'), result.trim_start_matches('!'));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error});
        self.add("user", &json!([result]));
    }

    fn take_in(&self, cairn: &Cairn) {
        let name = format!("{}.jsonl", self.session);
        cairn.write(&name, self.lines.join("\n"));
        cairn.json(&format!("ingest {name}"));
    }
}

/// Two sessions in which psql works only with a host, and the user is told twice that it is done.
fn work(cairn: &Cairn) {
    let mut monday = Transcript::new("monday", 9);
    monday.asks("How many tides are stored? Ask Emma Clark if it fails.");
    monday.runs("psql -c 'select 1'", "!psql: error: connection to the socket failed");
    monday.runs("psql --host=db -c 'select 1'", "1 row");
    monday.asks("It's still broken.");
    monday.take_in(cairn);
    let mut friday = Transcript::new("friday", 13);
    friday.asks("And today?");
    friday.runs("psql -c 'select 2'", "!psql: error: connection to the socket failed");
    friday.runs("psql --host=db -c 'select 2'", "2 rows");
    friday.asks("Perfect, thanks!");
    friday.take_in(cairn);
}

fn cairn() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    work(&cairn);
    cairn
}

fn text_of(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}")).to_owned()
}

/// covers: W-83, W-87, W-88, W-89, W-90
#[test]
fn the_spine_joins_calls_files_handoffs_windows_and_what_the_user_said_by_the_exchange() {
    let cairn = cairn();
    cairn.write("chart.csv", "hour,height\n6,2.4\n");
    cairn.json("attach chart.csv --session monday");
    let shown = cairn.json("evolution show");
    let exchanges = shown["exchanges"].as_array().expect("exchanges");
    assert_eq!(exchanges.len(), 2, "{shown}");
    let signals: Vec<&Value> = exchanges.iter().map(|one| &one["signal"]).collect();
    assert_eq!(signals, ["satisfied", "unsolved"], "the newest first");
    let monday = text_of(&exchanges[1], "ref");
    let spine = cairn.json(&format!("evolution show {monday}"));
    assert_eq!((&spine["session"], &spine["thread"]), (&json!("monday"), &json!("tides")));
    let calls = spine["calls"].as_array().expect("calls");
    let told: Vec<(&str, &str)> = calls
        .iter()
        .map(|call| (call["kind"].as_str().expect("a kind"), call["outcome"].as_str().expect("an outcome")))
        .collect();
    assert_eq!(told, [("psql", "failed"), ("psql", "worked")]);
    assert_eq!(calls[0]["shape"], "command:text(18) timeout:number");
    assert_eq!(calls[0]["took_ms"], 2_000);
    assert!(!spine["calls"].to_string().contains("select 1"), "no argument is shown");
    let window = &spine["windows"][0];
    assert_eq!(window["relabel"], "worked_to_failed", "it looks as if it had worked: {window}");
    assert_eq!(window["signatures"], json!(["psql: error: connection to the socket failed"]));
    assert!((window["score"].as_f64().expect("a score") - 0.55).abs() < 1e-9, "{window}");
    let last = cairn.json(&format!("evolution show {}", text_of(&spine, "signal_ref")));
    assert_eq!(last["attachments"][0]["name"], "chart.csv", "attached after the last message: {last}");
    let printed = cairn.done(&format!("evolution show {}", text_of(&calls[0], "result"))).stdout;
    assert!(printed.contains("psql") && printed.contains("unsolved"), "{printed}");
    assert!(cairn.run("evolution show msg_0123456789").stderr.contains("error:"));
}

/// covers: W-84, W-85, W-86, W-91, W-95
#[test]
fn friction_is_proposed_once_decided_by_an_operator_and_never_proposed_again() {
    let cairn = cairn();
    let before = cairn.json("evolution report");
    let friction = &before["projects"][0]["frictions"][0];
    assert_eq!(
        (&friction["kind"], &friction["times"], &friction["exchanges"]),
        (&json!("detour"), &json!(2), &json!(2))
    );
    assert!(before["proposals"].as_array().expect("a list").is_empty(), "looking proposes nothing: {before}");
    cairn.done("rhythms run evolution");
    let tools = || fs::read_to_string(cairn.path("home/agents/main/identity/TOOLS.md")).ok();
    let kept = tools();
    assert!(kept.as_ref().is_none_or(|text| !text.contains("psql")), "a proposal writes no file");
    let report = cairn.json("evolution report");
    let proposal = report["proposals"][0].clone();
    assert_eq!(report["proposals"].as_array().map(Vec::len), Some(1), "{report}");
    assert_eq!((&proposal["origin"], &proposal["file"]), (&json!("evolution"), &json!("TOOLS.md")));
    let text = text_of(&proposal, "text");
    assert!(
        text.contains("`psql --host=db -c 'select 2'` works") && text.starts_with("- In tides:"),
        "{text}"
    );
    for name in ["expects", "verify", "rollback"] {
        assert!(!text_of(&proposal["scaffold"], name).is_empty(), "{proposal}");
    }
    assert_eq!(proposal["evidence"].as_array().map(Vec::len), Some(2));
    let id = text_of(&proposal, "ref");
    let shown = cairn.done(&format!("review show {id}")).stdout;
    assert!(
        shown.contains("expects:") && shown.contains("verify:") && shown.contains("take back:"),
        "{shown}"
    );

    cairn.done("rhythms run evolution");
    assert_eq!(cairn.json("evolution report")["proposals"].as_array().map(Vec::len), Some(1), "once");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    answered(&cairn, &format!("review decide {id} reject --reason 'I know'"));
    cairn.done("rhythms run evolution");
    let after = cairn.json("evolution report");
    assert_eq!(after["proposals"].as_array().map(Vec::len), Some(1), "what was rejected stays rejected");
    assert_eq!(after["projects"][0]["frictions"][0]["status"], "rejected");

    // Accepted, it is written, counted from then on, and taken back to the byte.
    let undone = cairn.json("operator log")["receipts"][0]["number"].as_u64().expect("a number");
    answered(&cairn, &format!("review rollback {undone} --reason 'after all' --yes"));
    let confirms = text_of(&cairn.json(&format!("review show {id}")), "confirms");
    let accepted =
        answered(&cairn, &format!("review decide {id} accept_verified --reason so --confirm {confirms}"));
    assert!(tools().is_some_and(|text| text.contains("psql --host=db")));
    assert_eq!(cairn.json("evolution report")["projects"][0]["frictions"][0]["since"], 0);
    let receipt = accepted["receipt"]["number"].as_u64().expect("a number");
    answered(&cairn, &format!("review rollback {receipt} --reason no --yes"));
    assert_eq!(tools(), kept, "to the byte");
}

/// covers: W-113
#[test]
fn whoever_works_in_a_project_is_told_its_friction_until_an_operator_has_decided() {
    let cairn = cairn();
    let context = |words: &str| cairn.done(&format!("context {words}")).stdout;
    let hint = "“psql -c 'select 2'” failed 2×: “psql: error: connection to the socket failed”; “psql --host=db -c 'select 2'” worked";
    let begun = context("--mode code --thread tides");
    assert!(begun.contains("[WHAT WORKED FOR YOU HERE]") && begun.contains(hint), "{begun}");
    assert!(context("--mode code --thread tides --query 'why does psql not answer?'").contains(hint));
    for other in [
        "--mode chat --thread tides",
        "--mode code --thread kiln",
        "--mode code",
        "--mode code --thread tides --query 'what is the moon made of?'",
    ] {
        assert!(!context(other).contains("failed 2×"), "{other}");
    }
    cairn.done("rhythms run evolution");
    assert!(context("--mode code --thread tides").contains(hint), "what only waits is still told");
    let proposal = text_of(&cairn.json("evolution report")["proposals"][0], "ref");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    answered(&cairn, &format!("review decide {proposal} reject --reason 'I know'"));
    assert!(
        !context("--mode code --thread tides").contains("failed 2×"),
        "what was rejected is told no more"
    );
    let off = self::cairn();
    off.write("home/config.toml", format!("{CONFIG}[evolution]\nenabled = false\n"));
    assert!(!off.done("context --mode code --thread tides").stdout.contains("failed 2×"));
}

/// covers: C-269, W-85
#[test]
fn what_repeats_is_listed_with_its_evidence_and_what_follows_from_it_is_proposed() {
    let cairn = cairn();
    let kept = cairn.json("remember 'The kiln costs 30 euros.'");
    let memory = text_of(&kept["decisions"][0], "ref");
    let thought =
        cairn.json(&format!("reflect 'I state prices before I have looked them up.' --on {memory}"));
    let reflection = text_of(&thought["decisions"][0], "ref");
    let shown = cairn.json(&format!("memories show {reflection}"))["memory"].clone();
    assert_eq!(
        (&shown["form"], &shown["data_source"]),
        (&json!("reflection"), &json!("assistant_message")),
        "{shown}"
    );
    let why = cairn.done(&format!("why {reflection}")).stdout;
    assert!(why.contains("The kiln costs 30 euros.") && why.contains("looked them up"), "{why}");
    assert!(cairn.hits("'prices looked up'").iter().any(|hit| hit.contains("I state prices")), "it is found");
    let again = cairn.json(&format!("reflect 'I state prices before I have looked them up.' --on {memory}"));
    assert_eq!(text_of(&again["decisions"][0], "ref"), reflection, "the same thought is one");
    let unchanged = cairn.json(&format!("memories show {memory}"))["memory"].clone();
    assert_eq!(unchanged["status"], "new", "it changes nothing that it looks back on: {unchanged}");
    for refused in [
        "reflect 'I am hasty.' --on mem_0123456789abcdefghjkmnpqrs",
        "reflect 'I am hasty.'",
        "reflect '' --on KILN",
    ] {
        let ran = cairn.run(refused);
        assert!(ran.code != 0 && ran.stderr.contains("error:"), "{refused}: {}", ran.stderr);
    }

    let listed = cairn.json("patterns");
    let patterns = listed["patterns"].as_array().expect("patterns");
    let of = |source: &str| patterns.iter().find(|one| one["source"] == source);
    let friction = of("friction").expect("friction");
    assert_eq!((&friction["times"], &friction["thread"]), (&json!(2), &json!("tides")), "{listed}");
    let told = of("reflection").expect("a reflection");
    assert_eq!(told["evidence"], json!([reflection]), "{listed}");
    let evidence: Vec<&str> =
        friction["evidence"].as_array().expect("refs").iter().filter_map(Value::as_str).collect();
    let proposed = cairn.json(&format!(
        "propose TOOLS.md '- psql needs --host=db.' --reason 'a pattern' --evidence {},{reflection}",
        evidence.join(",")
    ));
    assert_eq!(proposed["evidence"].as_array().map(Vec::len), Some(evidence.len() + 1), "{proposed}");
    assert!(cairn.done("patterns --thread tides").stdout.contains("friction"));
    assert!(!cairn.done("patterns --thread kiln").stdout.contains("friction"));
}

/// covers: W-84
#[test]
fn evolution_is_switched_off_and_says_so() {
    let cairn = cairn();
    cairn.write("home/config.toml", format!("{CONFIG}[evolution]\nenabled = false\n"));
    let told = cairn.done("evolution report");
    assert!(
        told.stderr.contains("[evolution]") && !told.stdout.contains("detour"),
        "{} {}",
        told.stdout,
        told.stderr
    );
    cairn.done("rhythms run evolution");
    assert!(cairn.json("evolution report")["proposals"].as_array().expect("a list").is_empty());
}

/// covers: W-92, W-93
#[test]
fn a_shard_is_looked_through_exactly_as_it_leaves() {
    let cairn = cairn();
    let monday = text_of(&cairn.json("research list")["shards"][1], "ref");
    let shown = cairn.json(&format!("research show {monday}"));
    assert_eq!((&shown["ref"], &shown["approved"]), (&json!(monday), &json!(false)));
    let page = cairn.done(&format!("research show {monday}"));
    assert!(page.stdout.contains("[person]") && !page.stdout.contains("Emma"), "{}", page.stdout);
    assert!(page.stderr.contains("masked, in brackets"), "{}", page.stderr);
    let absent = cairn.run("research show shd_0123456789abcdef01234567");
    assert!(absent.code != 0 && absent.stderr.contains("shd_0123456789abcdef01234567"), "{}", absent.stderr);
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    answered(&cairn, &format!("operator training {monday} --approve --reason 'looked through' --yes"));
    cairn.done("research export out.jsonl");
    let line: Value = serde_json::from_str(&cairn.read("out.jsonl")).expect("JSON");
    assert_eq!(line["work"], shown["work"], "what was shown is what leaves");
}

/// covers: W-91, W-92, W-93
#[test]
fn a_shard_leaves_redacted_and_only_as_an_operator_approved_it() {
    let cairn = cairn();
    let listed = cairn.json("research list");
    let shards = listed["shards"].as_array().expect("shards");
    assert_eq!(shards.len(), 2, "one a session: {listed}");
    assert!(
        shards.iter().all(|shard| shard["approved"] == false && shard["source"] == "code model-7"),
        "{listed}"
    );
    assert!(
        shards
            .iter()
            .all(|shard| ["hot", "warm", "cold"].contains(&shard["class"].as_str().expect("a class")))
    );
    let refused = cairn.run("research export out.jsonl");
    assert!(
        refused.code != 0 && refused.stderr.contains("hint:") && refused.stderr.contains("operator training"),
        "{}",
        refused.stderr
    );
    assert!(!cairn.path("out.jsonl").exists());

    let monday = text_of(&shards[1], "ref");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let nobody = cairn.run(&format!("operator training {monday} --approve --reason seen --yes"));
    assert_ne!(nobody.code, 0, "an agent cannot approve");
    let absent =
        signed_in(&cairn, "operator training shd_0123456789abcdef01234567 --approve --reason so --yes");
    assert!(absent.stderr.contains("there is no shard"), "{}", absent.stderr);
    let approved =
        answered(&cairn, &format!("operator training {monday} --approve --reason 'looked through' --yes"));
    let receipt = approved["receipt"].as_u64().expect("a receipt");
    let listed = cairn.json("research list");
    assert_eq!(
        (&listed["shards"][1]["class"], &listed["shards"][1]["receipt"]),
        (&json!("research_export"), &json!(receipt))
    );
    cairn.done("research export out.jsonl");
    let exported = cairn.read("out.jsonl");
    assert_eq!(exported.lines().count(), 1, "the other was not approved: {exported}");
    let line: Value = serde_json::from_str(&exported).expect("JSON");
    assert_eq!(
        (&line["ref"], &line["approved"], &line["relabeled"]),
        (&json!(monday), &json!(true), &json!(1))
    );
    assert!(line["masked"].as_u64().expect("a count") > 0 && exported.contains("[person]"), "{exported}");
    assert!(!exported.contains("Emma") && !exported.contains("select 1"), "{exported}");
    assert!(cairn.run("research export out.jsonl").stderr.contains("already exists"));

    // A session that goes on is another shard.
    let mut monday = Transcript { first: 100, ..Transcript::new("monday", 9) };
    monday.asks("Once more.");
    monday.runs("psql --host=db -c 'select 3'", "3 rows");
    monday.take_in(&cairn);
    assert!(cairn.run("research export later.jsonl").stderr.contains("no shard is approved"));
    let friday = text_of(&cairn.json("research list")["shards"][0], "ref");
    let given = answered(&cairn, &format!("operator training {friday} --approve --reason seen --yes"));
    let number = given["receipt"].as_u64().expect("a receipt");
    answered(&cairn, &format!("operator rollback {number} --reason 'not yet' --yes"));
    assert!(
        cairn.run("research export later.jsonl").stderr.contains("no shard is approved"),
        "it was taken back"
    );
    answered(&cairn, &format!("operator training {friday} --exclude --reason private --yes"));
    assert_eq!(cairn.json("research list")["shards"][0]["class"], "excluded");
}

/// covers: W-85, W-93
#[test]
fn what_is_erased_is_in_no_friction_no_proposal_and_no_shard() {
    let cairn = cairn();
    cairn.done("rhythms run evolution");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    answered(&cairn, "erase --session friday --reason 'not ours' --yes");
    let report = cairn.json("evolution report");
    assert!(report["projects"][0]["frictions"].as_array().expect("a list").is_empty(), "{report}");
    assert!(report["proposals"].as_array().expect("a list").is_empty(), "it quoted what is gone: {report}");
    assert_eq!(cairn.json("research list")["shards"].as_array().map(Vec::len), Some(1));
}

/// covers: W-84
#[test]
fn planted_friction_is_found_and_clean_work_has_none() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    let report = cairn.json("eval growth --question friction --seed 2");
    for half in report["halves"].as_array().expect("halves") {
        let count = |name: &str| half[name].as_u64().expect("a count");
        assert!(count("found") * 10 >= count("planted") * 9, "{half}");
        assert_eq!(count("clean_with_friction"), 0, "{half}");
        assert!(count("clean") >= 10 && half["kinds"].as_array().map(Vec::len) == Some(10), "{half}");
    }
}
