//! State records and maturation candidates, as an operator reads them.

use super::as_operator;
use crate::support::Cairn;
use serde_json::Value;

fn words(value: &Value) -> Vec<&str> {
    value.as_array().expect("a list").iter().filter_map(Value::as_str).collect()
}

/// Every kind of record says where it comes from, how it stands, who may use it, who may change it, and how that is undone.
///
/// covers: W-181, W-182, W-186
#[test]
fn every_record_that_may_shape_behavior_says_where_it_stands() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n");
    cairn.at("2026-11-01T10:00:00Z");
    cairn.done("init --no-model");
    cairn.done("remember 'I live in Oslo.' --session s1 --thread home");
    cairn.done("remember 'I work at Bosch.' --session s1 --thread home");
    cairn.done("rhythms run beliefs");
    cairn.done("handoff write --session s1");
    let proposed =
        cairn.json("propose SOUL.md '- I never promise a date.' --reason 'she asked for it'")["ref"].clone();
    as_operator(&cairn, "operator init");
    let beliefs = cairn.json("beliefs --all")["beliefs"].clone();
    let oslo =
        beliefs.as_array().expect("beliefs").iter().find(|it| it["value"] == "oslo").expect("oslo")["ref"]
            .clone();
    let oslo = oslo.as_str().expect("a ref");

    let state = |reference: &str| cairn.json(&format!("govern state {reference}"))["records"][0].clone();
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
    assert!(candidates.iter().any(|it| it["ref"] == proposed && it["lane"] == "safety"), "{candidates:?}");
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

    let proposal = state(proposed.as_str().expect("a ref"));
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
    let all = cairn.json("govern state")["records"].clone();
    for kind in ["belief", "memory", "handoff", "proposal", "identity"] {
        assert!(all.as_array().expect("records").iter().any(|it| it["kind"] == kind), "{kind}: {all}");
    }
    assert_eq!(cairn.run("govern state handoff/nowhere").code, 1);
}
