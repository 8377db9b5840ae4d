//! The low-risk lane: what an operator declared beforehand is verified without a look, and nothing broader.

use crate::support::{
    Cairn,
    erasing::{answered, signed_in},
};
use serde_json::Value;

const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

/// A home with an operator in which a wish and a place were told again and again.
fn home() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    let days = [
        "2026-11-01T10:00:00Z",
        "2026-11-02T10:00:00Z",
        "2026-11-03T10:00:00Z",
        "2026-11-04T10:00:00Z",
        "2026-11-05T10:00:00Z",
        "2026-11-06T10:00:00Z",
    ];
    for (day, at) in days.into_iter().enumerate() {
        cairn.at(at);
        cairn.done(&format!("remember 'I prefer tea over coffee.' --id tea{day} --session t{day}"));
        cairn.done(&format!("remember 'I live in Oslo.' --id oslo{day} --session o{day}"));
    }
    cairn.done("rhythms run beliefs");
    cairn.at("2026-11-07T10:00:00Z");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    cairn
}

/// The belief that stands of this kind.
fn belief(cairn: &Cairn, kind: &str) -> Value {
    let beliefs = cairn.json(&format!("beliefs --kind {kind}"));
    beliefs["beliefs"].as_array().expect("beliefs").first().expect("one").clone()
}

/// covers: W-206, W-207, X-B1
#[test]
fn what_was_declared_is_verified_with_a_receipt_and_nothing_broader() {
    let cairn = home();
    cairn.done("rhythms run beliefs");
    assert_eq!(belief(&cairn, "operator_preference")["lane"], "candidate", "nothing was declared");
    for kind in ["identity", "relationship_fact", "self_model", "operator_preference,identity"] {
        let refused = signed_in(&cairn, &format!("operator apply --low-risk {kind} --reason x --yes"));
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("can never be low-risk"), "{}", refused.stderr);
    }
    let line = "operator apply --low-risk operator_preference,tooling_state --reason 'harmless' --yes";
    let applied = answered(&cairn, line);
    assert_eq!(applied["becomes"], "operator_preference,tooling_state");
    assert_eq!(belief(&cairn, "operator_preference")["lane"], "candidate", "a declaration verifies nothing");
    let done = cairn.done("rhythms run beliefs");
    assert!(done.stderr.contains("was declared to be of low risk by receipt"), "{}", done.stderr);
    let tea = belief(&cairn, "operator_preference");
    assert_eq!((&tea["lane"], &tea["status"]), (&"verified".into(), &"active".into()));
    assert_eq!(tea["confidence_parts"]["operator_confirmed"], false, "nobody looked at it: {tea}");
    assert_eq!(belief(&cairn, "identity")["lane"], "candidate", "who somebody is stays with the operator");
    let id = tea["ref"].as_str().expect("a ref");
    let why = cairn.json(&format!("why {id}"));
    let receipt = why["receipts"].as_array().expect("receipts").last().expect("one").clone();
    assert_eq!(receipt["actor"], format!("declared:{}", applied["receipt"]));
    // What is taken back is not taken up again.
    let number = receipt["number"].as_u64().expect("a number");
    answered(&cairn, &format!("review rollback {number} --reason 'not so fast' --yes"));
    cairn.done("rhythms run beliefs");
    assert_eq!(belief(&cairn, "operator_preference")["lane"], "candidate");
    let number = applied["receipt"].as_u64().expect("a number");
    let undone = answered(&cairn, &format!("operator rollback {number} --reason 'after all' --yes"));
    assert_eq!(undone["becomes"], "none");
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: W-206, W-168
#[test]
fn what_no_receipt_of_an_operator_declares_is_no_declaration() {
    let cairn = home();
    let database =
        rusqlite::Connection::open(cairn.path("home/agents/main/memory.db")).expect("the database");
    let set = "INSERT INTO protected_setting VALUES (1, 'low_risk', 'operator_preference', 1, 0)";
    database.execute(set, []).expect("set behind Cairn's back");
    cairn.done("rhythms run beliefs");
    assert_eq!(belief(&cairn, "operator_preference")["lane"], "candidate");
    let found = cairn.run("verify");
    assert_eq!(found.code, 1);
    assert!(found.stdout.contains("no receipt tells that an operator set it"), "{}", found.stdout);
}

/// An agent that says something in several sessions verifies nothing, and praise does not either: the user's own words count.
///
/// covers: W-206, X-P10
#[test]
fn what_only_an_agent_says_is_verified_by_no_declaration() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    cairn.done("remember 'The kiln is warm.' --id kiln");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    answered(&cairn, "operator apply --low-risk operator_preference --reason 'harmless' --yes");
    let mut memory = None;
    for session in ["a", "b", "c", "d", "e", "f"] {
        let line = "remember 'The user prefers coffee over tea.' --role assistant";
        let kept = cairn.json(&format!("{line} --id {session} --session {session}"));
        memory = memory.or_else(|| kept["decisions"][0]["ref"].as_str().map(str::to_owned));
        cairn.done("rhythms run beliefs");
    }
    cairn.done(&format!("feedback {} helpful", memory.expect("a memory")));
    cairn.done("rhythms run beliefs");
    let coffee = belief(&cairn, "operator_preference");
    assert_eq!(coffee["lane"], "candidate", "{coffee}");
    // The same in the user's own words, on two days.
    for (at, id) in [("2026-11-16T10:00:00Z", "own1"), ("2026-11-17T10:00:00Z", "own2")] {
        cairn.at(at);
        cairn.done(&format!("remember 'I prefer coffee over tea.' --id {id} --session {id}"));
    }
    cairn.done("rhythms run beliefs");
    assert_eq!(
        belief(&cairn, "operator_preference")["lane"],
        "verified",
        "a lane that never opens proves nothing"
    );
}

/// An agent's word against a verified belief changes nothing about it; an operator finds it in the queue.
///
/// covers: X-P10, W-162, I2
#[test]
fn an_agents_word_lowers_nothing_that_is_verified() {
    let cairn = home();
    let id = belief(&cairn, "identity")["ref"].as_str().expect("a ref").to_owned();
    answered(&cairn, &format!("review decide {id} accept_verified --reason seen"));
    answered(&cairn, "operator apply --mode enforce --reason seen --yes");
    let before = belief(&cairn, "identity");
    cairn.at("2026-11-08T10:00:00Z");
    for session in ["a", "b", "c", "d"] {
        for text in ["The user lives in Moscow.", "The user no longer lives in Oslo."] {
            let line = format!("remember '{text}' --role assistant --session {session}");
            cairn.done(&format!("{line} --id {session}{}", text.len()));
        }
        cairn.done("rhythms run beliefs");
    }
    cairn.write("feed.jsonl", r#"{"id":"f","role":"user","text":"I live in Moscow."}"#);
    cairn.done("ingest feed.jsonl --feed");
    cairn.done("form");
    cairn.done("rhythms run beliefs");
    cairn.done("rhythms run revalidation");
    let after = belief(&cairn, "identity");
    assert_eq!((&after["lane"], &after["status"]), (&"verified".into(), &"active".into()), "{after}");
    assert!(after["confidence"].as_f64() >= before["confidence"].as_f64(), "{before} {after}");
    assert_eq!(after["confidence_parts"]["contradiction_weight"], 0.0, "{after}");
    let block = cairn.done("context --query 'where do I live?'").stdout;
    let trusted = block.lines().skip_while(|line| !line.starts_with("Held true")).skip(1);
    let mut trusted = trusted.take_while(|line| line.starts_with("blf_"));
    let short = &id[.."blf_".len() + 8];
    assert!(trusted.any(|line| line.starts_with(short)), "{block}");
    let queue = cairn.json("review list");
    let waits = queue["beliefs"].as_array().expect("beliefs").iter().find(|it| it["ref"] == id.as_str());
    assert_eq!(waits.expect("an operator is asked")["shape"], "conflicting", "{queue}");
    // The user's own word does lower it.
    cairn.at("2026-11-09T10:00:00Z");
    cairn.done("remember 'I live in Bergen now, not in Oslo.' --session own");
    cairn.done("rhythms run beliefs");
    let beliefs = cairn.json("beliefs --all");
    let oslo = beliefs["beliefs"].as_array().expect("beliefs").iter().find(|it| it["ref"] == id.as_str());
    assert_eq!(oslo.expect("there")["status"], "stale", "{beliefs}");
}
