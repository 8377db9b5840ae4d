//! Several programs on one agent: each moment of each rhythm is carried out once.

use crate::{
    support::Cairn,
    world::{Server, until},
};
use serde_json::Value;
use std::process::Stdio;

fn rhythms(cairn: &Cairn) -> Vec<Value> {
    cairn.json("rhythms")["rhythms"].as_array().expect("rhythms").clone()
}

/// Two servers, and three times the command that a crontab would run, all at once.
///
/// covers: L-03, L-17, L-24, I8
#[tokio::test]
async fn two_servers_and_a_command_line_carry_each_rhythm_out_once() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n");
    for (at, text) in
        ["I live in Lisbon.", "My sister Ana works at Bosch.", "I prefer tea over coffee."].iter().enumerate()
    {
        cairn.done(&format!("remember '{text}' --id m{at} --session s"));
    }
    // From here on what is due is counted.
    let known = rhythms(&cairn).len();
    assert!(known >= 8, "{known}");
    cairn.at("2026-11-23T10:16:00Z");
    let overdue = rhythms(&cairn).iter().filter(|one| !one["stuck"].is_null()).count();
    assert_eq!(overdue, known, "every one is due");
    let servers = [Server::start(&cairn), Server::start(&cairn)];
    let line = "rhythms run --due";
    let commands: Vec<_> = (0..3)
        .map(|_| cairn.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs"))
        .collect();
    for server in &servers {
        server.get("/v1/agents/main/stats").await.ok();
    }
    for mut command in commands {
        assert!(command.wait().expect("it ends").success());
    }
    until("every rhythm", async || {
        rhythms(&cairn).iter().all(|one| one["stuck"].is_null() && one["last"]["state"] == "done")
    })
    .await;
    // Runs are numbered one after another: as many as there are rhythms is once each.
    let last = rhythms(&cairn).iter().filter_map(|one| one["last"]["run"].as_u64()).max();
    assert_eq!(last, Some(known as u64));
    assert_eq!(cairn.json("verify")["ok"], true);
}
