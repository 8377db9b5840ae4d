//! Damage is repaired while questions are answered; if it cannot be, that is said with a hint.

use crate::{
    serve::world::{Server, until},
    support::Cairn,
};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::{fs, process::Command};

/// How a thing stands by `/readyz`: its health, and what to do.
async fn stands(server: &Server, check: &str) -> Option<(String, String)> {
    let ready = server.get("/readyz").await.body;
    let found = ready["checks"].as_array().expect("checks").iter().find(|it| it["check"] == check)?.clone();
    let text = |field: &Value| field.as_str().unwrap_or_default().to_owned();
    Some((text(&found["health"]), text(&found["fix"])))
}

/// How a thing stands by `/metrics`.
async fn weighs(server: &Server, check: &str) -> f64 {
    let figures = server.get("/metrics").await.ok();
    let name = format!("cairn_check_health{{check=\"{check}\"}} ");
    let line =
        figures.as_str().expect("text").lines().find_map(|line| line.strip_prefix(&name).map(str::to_owned));
    line.expect("a figure").parse().expect("a number")
}

/// covers: C-252
#[tokio::test(flavor = "multi_thread")]
async fn a_lease_of_somebody_who_is_gone_is_told_and_given_back() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    let database = Connection::open(cairn.path("home/agents/main/memory.db")).expect("the database");
    let held = "INSERT INTO job (agent_id, name, watermark, holder, lease_until, updated_at)
                SELECT agent_id, 'compaction', 0, '99999-0xdead', 1, 1 FROM agent";
    assert_eq!(database.execute(held, []).expect("held"), 1);
    drop(database);
    let server = Server::start(&cairn);
    server.get("/v1/agents/main/stats").await.ok();
    let (health, fix) = stands(&server, "lease").await.expect("it is told");
    assert!(health == "warning" && fix.contains("doctor --fix"), "{health}: {fix}");
    assert!((weighs(&server, "lease").await - 1.0).abs() < f64::EPSILON);
    assert!(cairn.done("doctor").stdout.contains("99999-0xdead"));
    let mended = cairn.done("doctor --fix").stdout;
    assert!(mended.contains("fixed  lease: compaction was held by somebody who is gone"), "{mended}");
    assert_eq!(stands(&server, "lease").await, None);
    assert!(weighs(&server, "lease").await.abs() < f64::EPSILON);
}

/// covers: C-252
#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_is_gone_comes_back_while_questions_are_answered() {
    let cairn = Cairn::new();
    let line =
        |i: u32| json!({"id": format!("{i}"), "role": "user", "text": format!("The kettle {i} is green.")});
    cairn.write("chat.jsonl", (0..2_000).map(|i| line(i).to_string()).collect::<Vec<_>>().join("\n"));
    cairn.done("ingest chat.jsonl");
    let index = cairn.path("home/agents/main/index");
    fs::remove_dir_all(&index).expect("taken away");
    let mut server = Server::start(&cairn);
    for number in [7, 77, 1_777] {
        let found =
            server.post("/v1/agents/main/recall", &json!({"query": format!("kettle {number}")})).await.ok();
        assert_eq!(
            found["hits"][0]["text"],
            format!("The kettle {number} is green."),
            "by keywords, at once"
        );
    }
    until("the index", async || fs::read_dir(&index).is_ok_and(|files| files.count() > 0)).await;
    assert!(server.stop().success());
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// Where no small disk can be had, that is said and passed over.
///
/// covers: C-252
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_disk_without_room_stands_in_readyz_doctor_and_the_figures() {
    struct Mounted(String);
    impl Drop for Mounted {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(&self.0).status();
        }
    }
    let cairn = Cairn::new();
    fs::create_dir_all(cairn.path("home")).expect("a folder");
    let at = cairn.path("home").display().to_string();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=48m", "tmpfs", &at]).output();
    if !mount.is_ok_and(|mount| mount.status.success()) {
        eprintln!("skipped: no file system can be mounted here");
        return;
    }
    let _mounted = Mounted(at);
    cairn.done("remember 'I moved to Lisbon.'");
    let server = Server::start(&cairn);
    assert_eq!(server.get("/readyz").await.status.as_u16(), 503);
    let (health, fix) = stands(&server, "disk").await.expect("it is told");
    assert!(health == "bad" && fix.contains("free some space"), "{health}: {fix}");
    assert!((weighs(&server, "disk").await - 2.0).abs() < f64::EPSILON);
    let doctor = cairn.run("doctor");
    assert!(doctor.stdout.contains("disk") && doctor.stdout.contains("free some space"), "{}", doctor.stdout);
    // What can be done is done all the same.
    let found = server.post("/v1/agents/main/recall", &json!({"query": "Lisbon"})).await.ok();
    assert_eq!(found["hits"][0]["text"], "I moved to Lisbon.");
    drop(server);
}
