//! Erased words stay erased: one story, told of a folder and of a server.

use super::{Cairn, Ran};
use serde_json::Value;

pub(crate) const PASSPHRASE: &str = "a quiet harbour";
const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";
const SAID: &str = r#"{"id":"m1","session":"s1","at":"2026-11-01T10:00:00Z","role":"user","text":"My sister Ece lives in Ankara."}
{"id":"m2","session":"s1","at":"2026-11-01T10:00:10Z","role":"assistant","text":"I will remember where she lives."}
{"id":"m3","session":"s2","at":"2026-11-02T10:00:00Z","role":"user","text":"I prefer tea over coffee."}
{"id":"m4","session":"s3","at":"2026-11-03T10:00:00Z","role":"user","text":"My sister Ece lives in Ankara."}
{"id":"m5","session":"s3","at":"2026-11-03T10:00:30Z","role":"user","text":"I work at Bosch in Berlin."}
{"id":"m6","session":"s4","at":"2026-11-03T11:00:00Z","role":"user","text":"The half-marathon is on the first Sunday of March."}
"#;

/// Runs a command line as the operator.
pub(crate) fn signed_in(cairn: &Cairn, line: &str) -> Ran {
    let mut command = cairn.command(line);
    command.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
    cairn.finish(command, b"")
}

/// The JSON answer of a command that the operator signs in for.
pub(crate) fn answered(cairn: &Cairn, line: &str) -> Value {
    let ran = signed_in(cairn, &format!("--json {line}"));
    assert_eq!(ran.code, 0, "cairn {line}\n{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("one JSON document")
}

/// A home in which somebody told where somebody lives, twice, and other things.
pub(crate) fn furnished(cairn: &Cairn) {
    cairn.write("home/config.toml", CONFIG);
    cairn.write("said.jsonl", SAID);
    cairn.at("2026-11-04T10:00:00Z");
    cairn.done("ingest said.jsonl");
    cairn.at("2026-11-05T10:00:00Z");
    cairn.done("remember 'The glaze of the blue bowl cracked.' --id m7 --session s5");
    cairn.done("form");
    cairn.done("rhythms run beliefs");
    cairn.done("consolidate");
    cairn.done("dream");
    let made = signed_in(cairn, "operator init");
    assert_eq!(made.code, 0, "{}", made.stderr);
}

/// Everything that can be asked, in one text.
pub(crate) fn everything(cairn: &Cairn) -> String {
    let asked = ["timeline", "sessions", "memories list --all", "beliefs --all", "digests", "entities"];
    let answers = asked.iter().map(|line| cairn.json(line).to_string());
    let found = cairn.json("recall 'where does my sister live?'")["hits"].to_string();
    answers.chain([found, cairn.done("export").stdout]).collect()
}

/// Delete, dream, import again: still gone. And what was not erased is as it was.
pub(crate) fn what_is_erased_stays_erased(cairn: &Cairn) {
    furnished(cairn);
    let bundle = cairn.done("export").stdout;
    cairn.write("before.cairn", &bundle);
    cairn.done("backup");
    assert!(everything(cairn).contains("Ankara"), "a check that cannot see it proves nothing");
    let id = super::refs(&cairn.json("recall 'where does my sister live?'")["hits"])[0].clone();

    let plan = cairn.json(&format!("erase {id}"));
    assert_eq!(plan["done"], false);
    assert_eq!(plan["messages"].as_array().map(Vec::len), Some(2), "the echo goes with it: {plan}");
    assert!(!plan["memories"].as_array().expect("memories").is_empty(), "{plan}");
    assert_eq!(cairn.json("stats")["messages"], 7, "a plan changes nothing");

    let erased = answered(cairn, &format!("erase {id} --yes --reason 'asked to be forgotten'"));
    for part in ["messages", "memories", "beliefs", "digests", "entities", "receipts", "formed_again"] {
        assert_eq!(erased[part], plan[part], "{part}: done as planned");
    }
    assert!(erased["receipt"].is_u64(), "{erased}");
    gone(cairn);
    assert_eq!(cairn.json("stats")["messages"], 5);

    cairn.at("2026-11-06T10:00:00Z");
    cairn.done("dream");
    cairn.done("consolidate");
    cairn.done("rhythms run beliefs");
    gone(cairn);
    let again = cairn.json("ingest said.jsonl");
    let counts = ["added", "duplicates", "erased"].map(|name| again[name].as_u64());
    assert_eq!(counts, [Some(0), Some(4), Some(2)], "{again}");
    let other = r#"{"id":"x1","session":"elsewhere","role":"user","text":"my sister Ece lives in  Ankara."}"#;
    cairn.feed("ingest -", other);
    cairn.done("import before.cairn");
    let said = cairn.run("remember 'My sister Ece lives in Ankara.'");
    assert_eq!(said.code, 2, "{}", said.stdout);
    assert!(said.stderr.contains("were erased") && said.stderr.contains("hint:"), "{}", said.stderr);
    cairn.done("form");
    cairn.done("rhythms run beliefs");
    gone(cairn);
    cairn.done("rebuild");
    gone(cairn);

    let texts = super::texts(&cairn.json("recall 'tea or coffee?'")["hits"]);
    assert!(texts.iter().any(|text| text.contains("tea")), "{texts:?}");
    assert!(cairn.json("beliefs").to_string().contains("tea"), "what else is held stands");
    cairn.done("remember 'My sister Ece moved to Izmir.' --id m9 --session s6");
    assert!(cairn.json("recall Izmir").to_string().contains("Izmir"), "something else is kept as ever");
    let verified = cairn.json("verify");
    assert_eq!(verified["ok"], true, "{verified}");
}

/// Nothing says the words any more, and everything fits together.
pub(crate) fn gone(cairn: &Cairn) {
    let all = everything(cairn);
    for word in ["Ankara", "ankara", "Ece"] {
        let at = all.find(word).map(|at| all.get(at.saturating_sub(200)..(at + 100).min(all.len())));
        assert!(at.is_none(), "{word}: {at:?}");
    }
    let verified = cairn.json("verify");
    assert_eq!(verified["ok"], true, "{verified}");
}
