//! Bounded restarts against servers that are up, down, hanging, and others than before.
#![cfg(unix)]

use crate::{serve::world::Server, support::Cairn};
use serde_json::{Value, json};
use std::process::Command;

/// A home in which one session was begun.
fn begun(words: &str) -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done("init --no-model");
    cairn.done(&format!("remember '{words}' --session s-17"));
    cairn
}

/// The report of a restart and its exit code.
fn restarted(cairn: &Cairn, key: &str, url: &str, more: &[&str]) -> (i32, Value) {
    let mut args =
        vec!["--json", "restart", "run", key, "--server", url, "--message", "Going on with the kiln."];
    args.extend(more);
    let ran = cairn.run_args(&args);
    (ran.code, serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr)))
}

/// The phases of the calls that were made, each with its failure.
fn calls(report: &Value) -> String {
    let steps = report["steps"].as_array().expect("steps").iter();
    let told = |step: &Value| {
        format!("{}:{}", step["phase"].as_str().unwrap_or_default(), step["failure"].as_str().unwrap_or("ok"))
    };
    steps.map(told).collect::<Vec<_>>().join(" ")
}

fn messages(cairn: &Cairn) -> u64 {
    cairn.json("stats")["messages"].as_u64().expect("a number")
}

/// covers: W-174, W-175, W-176, W-177, W-179
#[test]
fn a_restart_goes_on_where_it_was_and_hands_back_everywhere_else() {
    let cairn = begun("The kiln is fired on Fridays.");
    let plan = cairn.json("restart plan s-17 --calls 3");
    let key = plan["key"].as_str().expect("a key").to_owned();
    assert!(key.starts_with("main/s-17/msg_"), "{key}");
    assert_eq!(plan["phases"].as_array().expect("phases").len(), 3);
    assert_eq!((&plan["phases"][0]["calls"], &plan["phases"][2]["calls"]), (&json!(2), &json!(3)));
    assert_ne!(cairn.run("restart plan nowhere").code, 0);
    assert_eq!(cairn.run("restart run nonsense --server http://127.0.0.1:1 --message x").code, 2);

    let mut server = Server::start(&cairn);
    let (code, report) = restarted(&cairn, &key, &server.url, &[]);
    assert_eq!((code, &report["exit"]), (0, &json!("continued")), "{report}");
    assert_eq!(calls(&report), "reach:ok identity:ok continue:ok continue:ok");
    let context = report["context"].as_str().expect("what the agent is told");
    assert!(context.contains("fired on Fridays"), "{context}");
    let said = messages(&cairn);
    assert_eq!(said, 2);

    // The budget of the continuation is its own: what the others did not use does not widen it.
    let (code, report) = restarted(&cairn, &key, &server.url, &["--calls", "0"]);
    assert_eq!((code, &report["exit"], messages(&cairn)), (1, &json!("budget_spent"), said), "{report}");
    let (code, report) = restarted(&cairn, &key, &server.url, &["--calls", "1"]);
    assert_eq!((code, &report["exit"], &report["context"]), (1, &json!("budget_spent"), &Value::Null));
    assert_eq!(calls(&report), "reach:ok identity:ok continue:ok");
    let said = messages(&cairn);

    // Another server than before, with a session of the same name, and one without it.
    let other = begun("The loom stands in the attic.");
    let mut elsewhere = Server::start(&other);
    let (code, report) = restarted(&cairn, &key, &elsewhere.url, &[]);
    assert_eq!((code, &report["exit"]), (1, &json!("key_mismatch")), "{report}");
    assert_eq!(
        (calls(&report).as_str(), messages(&other)),
        ("reach:ok identity:ok", 1),
        "nothing is written"
    );
    assert_ne!(report["last_key"], json!(key));
    let gone = key.replace("s-17", "s-18");
    let (code, report) = restarted(&cairn, &gone, &elsewhere.url, &[]);
    assert_eq!((code, &report["exit"]), (1, &json!("same_failure_twice")), "{report}");
    assert_eq!(calls(&report), "reach:status 404 reach:status 404");
    elsewhere.kill();

    // One that hangs.
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &server.pid().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    };
    signal("-STOP");
    let (code, report) = restarted(&cairn, &key, &server.url, &["--within-ms", "300"]);
    signal("-CONT");
    assert_eq!((code, &report["exit"]), (1, &json!("same_failure_twice")), "{report}");
    assert_eq!((calls(&report).as_str(), &report["last_key"]), ("reach:timeout reach:timeout", &Value::Null));

    // One that is down.
    let url = server.url.clone();
    server.kill();
    let (code, report) = restarted(&cairn, &key, &url, &[]);
    assert_eq!((code, &report["exit"]), (1, &json!("same_failure_twice")), "{report}");
    assert_eq!(calls(&report), "reach:unreachable reach:unreachable");
    assert_eq!(messages(&cairn), said, "nothing more was written");
}
