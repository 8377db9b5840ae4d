//! State records and maturation candidates, as an operator reads them.

use super::as_operator;
use crate::support::Cairn;
use serde_json::{Value, json};

fn words(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

/// A session in which three steps worked in this order.
fn worked(cairn: &Cairn, day: &str, session: &str) {
    let mut lines = vec![
        json!({"id": format!("{session}-q"), "session": session, "thread": "tides", "role": "user",
                                "at": format!("2026-11-{day}T08:00:00Z"), "text": "Publish the gauge tables, please."}),
    ];
    for (at, command) in
        ["make tables", "npm version minor", "npm publish", "git push --tags"].iter().enumerate()
    {
        for (part, text) in
            [("call", format!("Bash {{\"command\":\"{command}\"}}")), ("result", "done".to_owned())]
        {
            lines.push(json!({"id": format!("{session}-{at}-{part}"), "session": session, "thread": "tides", "role": "tool",
                              "speaker": "Bash", "at": format!("2026-11-{day}T08:0{}:00Z", at + 1), "text": text}));
        }
    }
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    assert_eq!(cairn.feed("ingest -", lines.join("\n")).code, 0);
}

/// A life with a candidate, a proposal and a handoff: the refs of the first two.
fn life() -> (Cairn, String, String) {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n");
    cairn.at("2026-11-01T10:00:00Z");
    cairn.done("init --no-model");
    cairn.done("remember 'I live in Oslo.' --session s1 --thread home");
    cairn.done("remember 'I work at Bosch.' --session s1 --thread home");
    cairn.done("rhythms run beliefs");
    cairn.done("handoff write");
    let proposed =
        cairn.json("propose SOUL.md '- I never promise a date.' --reason 'she asked for it'")["ref"].clone();
    as_operator(&cairn, "operator init");
    let beliefs = cairn.json("beliefs --all")["beliefs"].clone();
    let oslo = beliefs.as_array().expect("beliefs").iter().find(|it| it["value"] == "oslo").expect("oslo");
    let (oslo, proposed) = (oslo["ref"].as_str().expect("a ref"), proposed.as_str().expect("a ref"));
    (cairn, oslo.to_owned(), proposed.to_owned())
}

/// The state record of a record.
fn state(cairn: &Cairn, reference: &str) -> Value {
    cairn.json(&format!("govern record {reference}"))["records"][0].clone()
}

/// A belief says where it comes from, how it stands, who may use it, who may change it, and how that is undone.
///
/// covers: W-181, W-182, W-186
#[test]
fn a_belief_says_where_it_stands_before_and_after_it_is_verified() {
    let (cairn, oslo, proposed) = life();
    let (oslo, state) = (oslo.as_str(), |reference: &str| state(&cairn, reference));
    let candidate = state(oslo);
    assert_eq!(
        (&candidate["kind"], &candidate["state"]),
        (&"belief".into(), &"candidate".into()),
        "{candidate}"
    );
    assert_eq!(words(&candidate["allowed_consumers"]), ["memory_promotion", "ui_review", "approval_gates"]);
    assert_eq!(candidate["mutation_policy"], "evidence_only");
    assert!(
        words(&candidate["source"])[0].starts_with("mem_") && candidate["freshness"].is_number(),
        "{candidate}"
    );
    let memory = state(words(&candidate["source"])[0]);
    assert!(memory["kind"] == "memory" && words(&memory["source"])[0].starts_with("msg_"), "{memory}");
    assert!(!words(&memory["allowed_consumers"]).contains(&"tool_execution"), "{memory}");

    let candidates = cairn.json("govern candidates")["candidates"].clone();
    let candidates = candidates.as_array().expect("candidates");
    let claim = candidates.iter().find(|it| it["ref"] == oslo).expect("the belief");
    assert_eq!(
        (&claim["lane"], &claim["application_mode"]),
        (&"claim".into(), &"operator_review".into()),
        "{claim}"
    );
    assert!(
        candidates.iter().any(|it| it["ref"] == proposed.as_str() && it["lane"] == "safety"),
        "{candidates:?}"
    );
    assert_eq!(state(oslo), candidate, "listing candidates applies none");

    as_operator(&cairn, &format!("review decide {oslo} accept_verified --for recall --reason seen"));
    let verified = state(oslo);
    assert_eq!(
        (&verified["state"], &verified["mutation_policy"]),
        (&"verified".into(), &"operator_only".into())
    );
    let consumers = words(&verified["allowed_consumers"]);
    assert!(consumers.contains(&"recall") && !consumers.contains(&"context_injection"), "{verified}");
    assert!(verified["rollback"].as_str().is_some_and(|undo| undo.contains("rollback")), "{verified}");
    assert!(!verified["receipts"].as_array().expect("receipts").is_empty());
}

/// So does everything else that may shape behavior.
///
/// covers: W-181, W-182
#[test]
fn every_record_that_may_shape_behavior_says_where_it_stands() {
    let (cairn, _, proposed) = life();
    let state = |reference: &str| state(&cairn, reference);
    let proposal = state(&proposed);
    assert_eq!(
        (&proposal["kind"], &proposal["status"]),
        (&"proposal".into(), &"pending".into()),
        "{proposal}"
    );
    assert_eq!(words(&proposal["allowed_consumers"]), ["ui_review", "approval_gates"]);
    let handoff = state("handoff/home");
    assert_eq!(
        (&handoff["kind"], &handoff["mutation_policy"]),
        (&"handoff".into(), &"regenerated".into()),
        "{handoff}"
    );
    let soul = state("identity/SOUL.md");
    assert_eq!(
        (&soul["kind"], &soul["mutation_policy"]),
        (&"identity".into(), &"operator_only".into()),
        "{soul}"
    );
    assert!(words(&soul["allowed_consumers"]) == ["ui_review"], "nobody has written into it: {soul}");
    for (day, session) in [("07", "a"), ("08", "b"), ("09", "c")] {
        worked(&cairn, day, session);
    }
    let all = cairn.json("govern record")["records"].clone();
    let skill =
        all.as_array().expect("records").iter().find(|it| it["kind"] == "skill").expect("a skill").clone();
    assert!(
        words(&skill["source"]).len() == 3 && words(&skill["allowed_consumers"]).contains(&"recall"),
        "{skill}"
    );
    assert_eq!(state(skill["ref"].as_str().expect("a ref")), skill);
    for kind in ["belief", "memory", "handoff", "skill", "proposal", "identity"] {
        assert!(all.as_array().expect("records").iter().any(|it| it["kind"] == kind), "{kind}: {all}");
    }
    assert_eq!(cairn.run("govern record handoff/nowhere").code, 1);
}
