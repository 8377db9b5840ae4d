//! Several programs on one agent: each moment of each rhythm is carried out once.

use crate::{
    postgres::database::Database,
    serve::world::{Server, until},
    support::Cairn,
};
use serde_json::Value;
use std::process::Stdio;
use tokio::runtime::Runtime;

fn home() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n");
    cairn
}

fn rhythms(cairn: &Cairn) -> Vec<Value> {
    cairn.json("rhythms")["rhythms"].as_array().expect("rhythms").clone()
}

/// A server in each home, and twice in each the command that a crontab would run, all at once on one agent.
fn carried_out_once(homes: &[&Cairn]) {
    for (at, text) in
        ["I live in Lisbon.", "My sister Ana works at Bosch.", "I prefer tea over coffee."].iter().enumerate()
    {
        homes[0].done(&format!("remember '{text}' --id m{at} --session s"));
    }
    // From here on what is due is counted.
    let known = rhythms(homes[0]).len();
    assert!(known >= 8, "{known}");
    for home in homes {
        home.at("2026-11-23T10:16:00Z");
    }
    let overdue = rhythms(homes[0]).iter().filter(|one| !one["stuck"].is_null()).count();
    assert_eq!(overdue, known, "every one is due");
    let servers: Vec<Server> = homes.iter().map(|home| Server::start(home)).collect();
    let run_due = |home: &&Cairn| {
        let mut command = home.command("rhythms run --due");
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs")
    };
    let commands: Vec<_> = homes.iter().chain(homes).map(run_due).collect();
    let runtime = Runtime::new().expect("a runtime");
    runtime.block_on(async {
        for server in &servers {
            server.get("/v1/agents/main/stats").await.ok();
        }
    });
    for mut command in commands {
        assert!(command.wait().expect("it ends").success());
    }
    runtime.block_on(until("every rhythm", async || {
        rhythms(homes[0]).iter().all(|one| one["stuck"].is_null() && one["last"]["state"] == "done")
    }));
    // Runs are numbered one after another: as many as there are rhythms is once each.
    let last = rhythms(homes[0]).iter().filter_map(|one| one["last"]["run"].as_u64()).max();
    assert_eq!(last, Some(known as u64));
    assert_eq!(homes[0].json("verify")["ok"], true);
}

/// covers: L-03, L-17, L-24, I8
#[test]
fn a_server_and_a_command_line_carry_each_rhythm_out_once() {
    carried_out_once(&[&home()]);
}

/// covers: L-03, L-17, L-24, I8
#[test]
fn two_servers_and_a_command_line_carry_each_rhythm_out_once() {
    let Some(database) = Database::new() else { return };
    let [one, other] = [home(), home()].map(|home| home.with_database(database.url()));
    carried_out_once(&[&one, &other]);
}
