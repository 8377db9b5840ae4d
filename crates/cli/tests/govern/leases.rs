//! Leases: what an operator permits for a while, and what ends it.

use super::{as_operator, governed, hook, told};
use crate::support::Cairn;
use serde_json::{Value, json};

/// covers: W-183, W-184, W-185, W-191, W-205
#[test]
fn a_lease_permits_within_its_scope_time_and_budget_and_outcomes_are_kept() {
    let cairn = governed();
    as_operator(&cairn, "operator init");
    let plan = cairn.json(
        "operator lease release --objective publish --command 'make deploy' --until 2026-12-01 --actions 2",
    );
    assert_eq!(plan["what"], "lease/release");
    assert_eq!(told(&cairn, "s", "make deploy"), "deny", "a plan permits nothing");
    let refused = cairn.run("operator lease release --objective publish --command 'make deploy' --until 2026-12-01 --reason so --yes");
    assert_ne!(refused.code, 0, "only an operator permits");
    as_operator(
        &cairn,
        "operator lease release --objective publish --command 'make deploy' --until 2026-12-01 --actions 2 --reason so --yes",
    );
    let answer = hook(&cairn, "pre-tool-use", "s", "Bash", &json!({"command": "make deploy"}));
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().expect("a note to verify");
    assert!(context.contains("cairn: verify"), "{context}");
    hook(&cairn, "post-tool-use", "s", "Bash", &json!({"command": "make deploy"}));
    let outcome = cairn.json("govern outcomes")["outcomes"][0]["outcome"].clone();
    assert_eq!(outcome["authority_snapshot"], json!(["lease/release"]), "{outcome}");
    assert_eq!((&outcome["observed_effect"], &outcome["verification"]), (&json!("done"), &json!("reported")));
    assert_eq!(told(&cairn, "s", "make deploy && rm -rf x"), "deny", "only within its scope");
    assert_eq!(told(&cairn, "s", "make deploy"), "nothing");
    assert_eq!(told(&cairn, "s", "make deploy"), "deny", "its budget is spent");
    let lease = cairn.json("govern leases")["leases"][0].clone();
    assert_eq!((&lease["used"], &lease["ended"]), (&json!(2), &json!("its budget is spent")), "{lease}");
    as_operator(
        &cairn,
        "operator lease later --objective x --command 'make deploy' --until 2026-11-16 --reason so --yes",
    );
    assert_eq!(cairn.at("2026-11-17T00:00:00Z").run("govern decide --command 'make deploy'").code, 0);
    let receipt = cairn.json("govern explain")["decisions"][0]["receipt"].as_u64().expect("a receipt");
    let said = cairn.done(&format!("govern explain {receipt}")).stdout;
    for part in [
        "approve",
        "lease/later does not count: it expired",
        "its budget of 2 action(s) is spent",
        "make rollback",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let recorded =
        cairn.json(&format!("govern outcomes --record {receipt} --effect 'nothing' --verification checked"));
    assert!(recorded["receipt"].as_u64() > Some(receipt));
    cairn.done("verify");
}

/// Calls the hook after the use of a tool that failed, as the host does.
fn failed(cairn: &Cairn, command: &str, error: &str) {
    let told = json!({"session_id": "s", "cwd": cairn.path(""), "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
                      "tool_input": {"command": command}, "error": error, "is_interrupt": false});
    let ran = cairn.feed("hook post-tool-use-failure --within-ms 30000", told.to_string());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

/// covers: W-183, W-185
#[test]
fn an_outcome_on_which_to_stop_ends_a_lease_and_whoever_wants_to_know_is_told() {
    let cairn = governed();
    as_operator(&cairn, "operator init");
    let give = |name: &str, command: &str, more: &str| {
        let line = format!(
            "operator lease {name} --objective {name} --command '{command}' --until 2026-12-01 --actions 9 {more} --reason so --yes"
        );
        as_operator(&cairn, &line);
    };
    let wrong = cairn.run(
        "operator lease x --objective x --command ls --until 2026-12-01 --stop 'when it rains' --reason so --yes",
    );
    assert_eq!(wrong.code, 2, "a condition that nobody can check is not taken: {}", wrong.stderr);
    give("publish", "make deploy", "--stop failed --notify both");
    assert_eq!(told(&cairn, "s", "make deploy"), "nothing");
    hook(&cairn, "post-tool-use", "s", "Bash", &json!({"command": "make deploy"}));
    assert_eq!(cairn.json("govern leases")["leases"][0]["ended"], Value::Null, "it went well");
    assert!(!cairn.done("context").stdout.contains("publish"), "nothing has ended");
    assert_eq!(told(&cairn, "s", "make deploy"), "nothing");
    failed(&cairn, "make deploy", "exit code 2");
    let outcome = cairn.json("govern outcomes")["outcomes"][0].clone();
    assert_eq!(
        (&outcome["outcome"]["failure_class"], &outcome["outcome"]["observed_effect"]),
        (&json!("tool_error"), &json!("exit code 2"))
    );
    let ended = format!("stopped by outcome {}: failed", outcome["receipt"]);
    assert_eq!(cairn.json("govern leases")["leases"][0]["ended"], json!(ended));
    assert!(cairn.done("govern leases").stdout.contains(&ended));
    let answer = hook(&cairn, "pre-tool-use", "s", "Bash", &json!({"command": "make deploy"})).to_string();
    assert!(answer.contains("deny") && answer.contains(&format!("it was {ended}")), "{answer}");
    let sentence = format!("The lease publish (publish) has ended: {ended}.");
    assert!(cairn.done("context").stdout.contains(&sentence), "the agent is told");
    assert!(cairn.run("doctor").stdout.contains(&sentence), "the operator is told");
    // Erasing takes the words of outcomes, and opens nothing.
    let said = cairn.json("remember 'The kettle is red.'");
    as_operator(&cairn, &format!("erase {} --yes --reason asked", said["exchange"].as_str().expect("one")));
    assert_eq!(cairn.json("govern leases")["leases"][0]["ended"], json!(ended));
    assert_eq!(told(&cairn, "s", "make deploy"), "deny");
    cairn.done("verify");
    cairn.at("2026-11-30T10:00:00Z");
    assert!(!cairn.done("context").stdout.contains(&sentence), "not for ever");
    cairn.at("2026-11-15T10:00:00Z");
    // Given anew, it is another; effects end one too, and nobody hears of it who does not want to.
    give("publish", "make deploy", "--stop 'effect=Rolled BACK' --stop failed=interrupted");
    assert_eq!(told(&cairn, "s", "make deploy"), "nothing");
    failed(&cairn, "make deploy", "exit code 2");
    assert_eq!(cairn.json("govern leases")["leases"][0]["ended"], Value::Null, "that is no such failure");
    assert_eq!(told(&cairn, "s", "make deploy"), "nothing");
    failed(&cairn, "make deploy", "the release was rolled back");
    let ended = cairn.json("govern leases")["leases"][0]["ended"].clone();
    assert!(ended.as_str().is_some_and(|it| it.ends_with(": effect=Rolled BACK")), "{ended}");
    assert!(!cairn.done("context").stdout.contains("has ended"));
    assert!(!cairn.run("doctor").stdout.contains("has ended"));
}

/// A check after a call counts more than what the tool said of itself: it is how the work went, for skills and for what proposes changes.
///
/// covers: W-185, C-257
#[test]
fn a_checked_outcome_says_how_the_work_went() {
    let cairn = governed();
    cairn.at("2026-11-15T09:00:00Z");
    cairn.write(
        "home/govern.toml",
        "[[rule]]\ncommand = \"make deploy\"\nmode = \"verify\"\nreason = \"look\"\n",
    );
    let mut lines = Vec::new();
    for (at, text) in ["Bash {\"command\":\"make deploy\"}", "3 files deployed"].iter().enumerate() {
        let line = json!({"id": format!("d{at}"), "session": "d", "thread": "site", "role": "tool", "speaker": "Bash",
                          "at": format!("2026-11-15T08:00:0{at}Z"), "text": text});
        lines.push(line.to_string());
    }
    assert_eq!(cairn.feed("ingest -", lines.join("\n")).code, 0);
    let skill = || cairn.json("skills")["projects"][0]["skills"][0].clone();
    assert_eq!((&skill()["worked"], &skill()["tried"]), (&json!(1), &json!(1)), "{}", skill());
    let decided = cairn.json("govern decide --command 'make deploy'")["receipt"].clone();
    cairn.done(&format!(
        "govern outcomes --record {decided} --effect 'the site answers 502' --verification failed"
    ));
    assert_eq!((&skill()["worked"], &skill()["tried"]), (&json!(0), &json!(1)), "{}", skill());
    assert!(skill().to_string().contains("the site answers 502"), "{}", skill());
    let failed = || cairn.json("evolution report")["projects"][0]["failed"].clone();
    assert_eq!(failed(), 1, "what looks for friction knows it, too");
    cairn.done(&format!(
        "govern outcomes --record {decided} --effect 'it answers 200' --verification checked"
    ));
    assert_eq!((skill()["worked"].clone(), failed()), (json!(1), json!(0)), "{}", skill());
}
