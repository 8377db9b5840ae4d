//! Runs of agents with tools, as `recall` finds their steps.

use crate::support::Cairn;
use serde_json::json;

/// A run of a few steps, one message a line.
fn run_lines() -> String {
    let steps = [
        ("cd billing", "You are now in billing. There is a gate."),
        ("take red key", "You pick up the red key from the shelf."),
        ("open gate", "You cannot open the gate: it is locked."),
        ("unlock gate with red key", "You unlock the gate with the red key."),
        ("open gate", "You open the gate, revealing a lamp."),
        ("drop red key", "You drop the red key on the ground."),
        ("look at gate", "The gate is a gate like any gate. The red key fits the gate."),
        ("close gate", "You close the gate. Your score has just gone up by one point."),
    ];
    let mut lines = Vec::new();
    for (at, (action, result)) in steps.iter().enumerate() {
        let step = at + 1;
        for (half, role, text) in [("a", "assistant", action), ("b", "tool", result)] {
            let line = json!({"id": format!("s{step}{half}"), "session": "run", "role": role,
                              "at": format!("2026-01-05T10:{step:02}:{}0Z", if half == "a" { 1 } else { 4 }),
                              "text": format!("[step {step}] {text}")});
            lines.push(line.to_string());
        }
    }
    lines.join("\n")
}

/// covers: C-259
#[test]
fn a_question_about_a_run_finds_the_step_it_asks_for() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.write("run.jsonl", run_lines());
    cairn.json("ingest run.jsonl");
    let found = |question: &str| {
        let answer = cairn.json(&format!("recall '{question}' -k 3 --read-only"));
        let hits = answer["hits"].as_array().expect("hits").clone();
        hits.iter().map(|hit| hit["source_ids"][0].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    for (question, first) in [
        ("What did the agent do at step 4?", &["s4a", "s4b"][..]),
        ("Was the gate open or closed before step 8?", &["s5b"]),
        ("Did the agent leave the gate open or closed?", &["s8b", "s5b"]),
        ("Which command made the score go up?", &["s8b", "s8a"]),
        ("Why did the opening of the gate at step 3 fail?", &["s3b", "s3a"]),
        ("In which folder did the agent pick up the red key?", &["s2b", "s1b"]),
    ] {
        let found = found(question);
        assert_eq!(&found[..first.len()], first, "{question}");
    }
    let explained = cairn.json("recall 'What did the agent do at step 4?' --explain --read-only");
    assert!(explained["hits"][0]["why"].to_string().contains("step"), "{explained}");
}

/// covers: C-259
#[test]
fn of_a_long_log_the_error_is_found_and_the_log_is_kept_whole() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    let mut log: Vec<String> = (0..4_000).map(|n| format!("{n} worker heartbeat")).collect();
    log[2_000] = "error: the certificate of the mailserver has expired".to_owned();
    let log = log.join("\n");
    let line =
        json!({"id": "log", "session": "s", "role": "tool", "at": "2026-01-05T10:00:00Z", "text": log});
    cairn.write("log.jsonl", format!("{line}\n"));
    cairn.json("ingest log.jsonl");
    let answer = cairn.json("recall 'certificate expired' --read-only");
    assert_eq!(answer["hits"][0]["source_ids"][0], "log", "{answer}");
    let opened = cairn.json(&format!("open {}", answer["hits"][0]["ref"].as_str().expect("a ref")));
    assert!(opened.to_string().contains("3999 worker heartbeat"), "kept word for word");
}

/// covers: C-259
#[test]
fn runs_are_measured_class_by_class_beside_plain_methods() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    let mut lines = Vec::new();
    for line in run_lines().lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).expect("a line");
        line["type"] = "message".into();
        line["conversation"] = "one".into();
        line["speaker"] = line["role"].clone();
        lines.push(line.to_string());
    }
    let question = json!({"type": "question", "conversation": "one", "id": "q", "category": "state_update",
                          "question": "Was the gate open or closed before step 8?", "evidence": ["s5b"], "answer": "open"});
    cairn.write("runs.jsonl", format!("{}\n{question}\n", lines.join("\n")));
    let report = cairn.json("eval runs runs.jsonl");
    assert_eq!(report["classes"]["state_update"]["turn_r10"]["cairn"], 100.0, "{report}");
    assert!(report["classes"]["all"]["turn_r10"]["plain BM25"].is_number(), "{report}");
    let none = cairn.json("eval runs runs.jsonl --half held");
    assert_eq!(none["classes"]["all"]["turn_r10"]["cairn"], 0.0, "the only run is the first: {none}");
}
