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

/// A log of 200 KB is found by what matters in it, and shown by it: to people, and to a model.
///
/// covers: C-259
#[test]
fn a_long_log_is_found_and_shown_by_what_matters_in_it() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    let mut log: Vec<String> = (0..3_200)
        .map(|at| {
            format!(
                "2026-11-01T10:{:02}:{:02} INFO worker-{} processed batch {at}",
                at / 60 % 60,
                at % 60,
                at % 8
            )
        })
        .collect();
    log[1_700] = "2026-11-01T10:28:20 ERROR quartz-ledger refused connection: certificate expired".to_owned();
    log[2_100] = "config value max_batch changed from 64 to 512".to_owned();
    let log = log.join("\n");
    assert!(log.len() > 150_000);
    let steps = [
        ("systemctl status importer", "importer.service: failed (exit code 3)"),
        ("journalctl -u importer", &log),
    ];
    let mut lines = Vec::new();
    for (at, (command, result)) in steps.iter().enumerate() {
        for (half, text) in
            [("c", format!("Bash {{\"command\":\"{command}\"}}")), ("r", (*result).to_owned())]
        {
            let line = json!({"id": format!("l{at}{half}"), "session": "log", "role": "tool", "speaker": "Bash",
                              "at": format!("2026-11-01T11:0{at}:{}0Z", if half == "c" { 1 } else { 4 }), "text": text});
            lines.push(line.to_string());
        }
    }
    cairn.write("log.jsonl", lines.join("\n"));
    cairn.json("ingest log.jsonl");
    for (question, words) in [
        ("why did quartz-ledger fail?", "quartz-ledger refused connection: certificate expired"),
        ("what was max_batch changed to?", "max_batch changed from 64 to 512"),
    ] {
        let answer = cairn.json(&format!("recall '{question}' --read-only"));
        assert_eq!(answer["hits"][0]["source_ids"][0], "l1r", "{question}: {answer}");
        let shown = cairn.done(&format!("recall '{question}' --read-only")).stdout;
        assert!(shown.lines().nth(1).is_some_and(|line| line.contains(words)), "{question}: {shown}");
        let prompt = cairn.done(&format!("context --query '{question}'")).stdout;
        assert!(prompt.contains(words), "{question}: {prompt}");
    }
}

/// A result that the same call gave otherwise later is marked, with the message that has the last one; so is an older state of a thing.
///
/// covers: C-259
#[test]
fn an_older_state_is_marked_with_the_last_one_on_every_surface() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.write("run.jsonl", run_lines());
    cairn.json("ingest run.jsonl");
    let answer = cairn.json("recall 'Did the agent leave the gate open or closed?' -k 5 --read-only");
    let hits = answer["hits"].as_array().expect("hits");
    assert_eq!(
        (&hits[0]["source_ids"][0], &hits[0]["last_state"]),
        (&json!("s8b"), &json!(null)),
        "{answer}"
    );
    let older = hits.iter().find(|hit| hit["source_ids"][0] == "s5b").expect("when it was open");
    assert_eq!(older["last_state"], hits[0]["ref"], "{answer}");

    let mut lines = Vec::new();
    for (at, (command, result)) in [
        ("df -h /srv", "/srv is 95% full"),
        ("prune --all", "reclaimed 11 GB"),
        ("df -h /srv", "/srv is 68% full"),
    ]
    .iter()
    .enumerate()
    {
        for (half, text) in
            [("c", format!("Bash {{\"command\":\"{command}\"}}")), ("r", (*result).to_owned())]
        {
            let line = json!({"id": format!("d{at}{half}"), "session": "disk", "role": "tool", "speaker": "Bash",
                              "at": format!("2026-01-06T10:0{at}:{}0Z", if half == "c" { 1 } else { 4 }), "text": text});
            lines.push(line.to_string());
        }
    }
    cairn.write("disk.jsonl", lines.join("\n"));
    cairn.json("ingest disk.jsonl");
    let answer = cairn.json("recall 'is /srv full' -k 6 --read-only");
    let hits = answer["hits"].as_array().expect("hits");
    let hit = |id: &str| hits.iter().find(|hit| hit["source_ids"][0] == id).expect(id);
    assert_eq!((&hit("d0r")["last_state"], &hit("d2r")["last_state"]), (&hit("d2r")["ref"], &json!(null)));
    let last = hit("d2r")["ref"].as_str().expect("a ref").to_owned();
    let shown = cairn.done("recall 'is /srv full' -k 6 --read-only").stdout;
    assert!(shown.contains("older state: what it was last is in") && shown.contains(&last), "{shown}");
    let prompt = cairn.done("context --query 'is /srv full'").stdout;
    assert!(prompt.contains("[older state, last in msg_"), "{prompt}");
}

/// Of a run that is longer than what is read of it, the beginning is read where a question counts from there, and otherwise what is
/// around the best message.
///
/// covers: C-259
#[test]
fn a_step_at_the_beginning_of_a_very_long_run_is_found() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    let mut lines: Vec<String> = run_lines().lines().map(str::to_owned).collect();
    for step in 9..=2_400 {
        for (half, role, text) in [("a", "assistant", "wait"), ("b", "tool", "Time passes on the quay.")] {
            let (hour, minute) = (11 + step / 600, step / 10 % 60);
            let line = json!({"id": format!("s{step}{half}"), "session": "run", "role": role,
                              "at": format!("2026-01-05T{hour}:{minute:02}:{:02}Z", step % 10 * 6 + i32::from(half == "b")),
                              "text": format!("[step {step}] {text}")});
            lines.push(line.to_string());
        }
    }
    cairn.write("run.jsonl", lines.join("\n"));
    cairn.json("ingest run.jsonl");
    for (question, first) in [
        ("Why did the opening of the gate at step 3 fail?", "s3b"),
        ("In which folder did the agent pick up the red key?", "s2b"),
        ("Which command made the score go up?", "s8b"),
        ("What did the agent do at step 6?", "s6a"),
    ] {
        let answer = cairn.json(&format!("recall '{question}' -k 3 --read-only"));
        assert_eq!(answer["hits"][0]["source_ids"][0], first, "{question}: {answer}");
    }
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
