//! How the server says that it is well, and how it ends.

use crate::{
    serve::world::{Server, until},
    support::Cairn,
};
use serde_json::json;
use std::fs;

/// covers: W-72
#[tokio::test(flavor = "multi_thread")]
async fn it_says_that_it_is_alive_and_ready_and_gives_figures() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    server.post("/v1/agents/main/remember", &json!({"text": "I moved to Lisbon."})).await.ok();
    server.post("/v1/agents/main/recall", &json!({"query": "Lisbon"})).await.ok();
    assert_eq!(server.get("/healthz").await.ok()["status"], "ok");
    let ready = server.get("/readyz").await.ok();
    assert_eq!(ready["ok"], true, "{ready}");
    let figures = server.get("/metrics").await.ok();
    let figures = figures.as_str().expect("text");
    for figure in [
        "cairn_recall_seconds_bucket{stage=\"total\"",
        "cairn_recall_seconds_bucket{stage=\"embed\"",
        "cairn_recall_seconds_bucket{stage=\"beside\"",
        "cairn_recall_seconds_bucket{stage=\"search\"",
        "cairn_recall_seconds_bucket{stage=\"finish\"",
        "cairn_write_seconds_bucket{stage=\"prepare\"",
        "cairn_write_seconds_bucket{stage=\"decide\"",
        "cairn_write_seconds_bucket{stage=\"commit\"",
        "cairn_growth_seconds_bucket{stage=\"message\"",
        "cairn_check_health{check=\"disk\"}",
        "cairn_write_seconds_bucket{stage=\"acknowledge\"",
        "cairn_write_seconds_bucket{stage=\"form\"",
        "cairn_queue_depth{queue=\"forming\"}",
        "cairn_queue_depth{queue=\"embedding\"}",
        "cairn_queue_lag_seconds{queue=\"forming\"}",
        "cairn_fallbacks_total{what=\"lexical_only\"}",
        "cairn_http_requests_total{method=\"POST\",route=\"/v1/agents/{agent}/recall\",status=\"200\"} 1",
    ] {
        assert!(figures.contains(figure), "{figure}:\n{figures}");
    }
    assert!(!figures.contains("main"), "no agent is named");
}

/// covers: C-252
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_index_is_mended_while_questions_are_answered() {
    let cairn = Cairn::new();
    let line =
        |i: u32| json!({"id": format!("{i}"), "role": "user", "text": format!("The kettle {i} is green.")});
    let lines = (0..2_000).map(|i| line(i).to_string()).collect::<Vec<_>>().join("\n");
    cairn.write("chat.jsonl", lines);
    cairn.done("ingest chat.jsonl");
    let index = cairn.path("home/agents/main/index");
    let segments: Vec<_> =
        fs::read_dir(&index).expect("an index").flatten().map(|entry| entry.path()).collect();
    assert!(!segments.is_empty(), "there is something to damage");
    for segment in &segments {
        fs::write(segment, b"damaged").expect("written");
    }
    let mut server = Server::start(&cairn);
    let found = server.post("/v1/agents/main/recall", &json!({"query": "kettle 77"})).await.ok();
    assert_eq!(found["hits"][0]["text"], "The kettle 77 is green.");
    until("a new index", async || {
        let whole = |path: &std::path::PathBuf| fs::metadata(path).is_ok_and(|it| it.len() > 1_000);
        fs::read_dir(&index).expect("an index").flatten().any(|entry| whole(&entry.path()))
    })
    .await;
    assert!(server.stop().success());
    let doctor = cairn.run("doctor");
    assert_eq!(doctor.code, 0, "{}{}", doctor.stdout, doctor.stderr);
}

/// covers: C-252
#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_stands_in_readyz_with_what_to_do() {
    let cairn = Cairn::new();
    cairn.write(
        "home/config.toml",
        "[embedder]\nkind = \"http\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\ndimension = 8\n",
    );
    let server = Server::start(&cairn);
    server
        .post("/v1/agents/main/remember", &json!({"text": "I moved to Lisbon.", "no_wait": true}))
        .await
        .ok();
    until("a word about the embedder", async || {
        let ready = server.get("/readyz").await.ok();
        let checks = ready["checks"].as_array().expect("checks");
        checks.iter().any(|check| {
            check["check"] == "embedding" && check["health"] == "warning" && check["fix"].is_string()
        })
    })
    .await;
    // Everything else goes on.
    server.post("/v1/agents/main/recall", &json!({"query": "Lisbon"})).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn asked_to_end_it_finishes_what_is_under_way() {
    let cairn = Cairn::new();
    let mut server = Server::start(&cairn);
    server.post("/v1/agents/main/remember", &json!({"text": "first"})).await.ok();
    let listening =
        server.request(reqwest::Method::GET, "/v1/agents/main/events").send().await.expect("an answer");
    let client = server.client.clone();
    let url = format!("{}/v1/agents/main/remember", server.url);
    let writers: Vec<_> = (0..10)
        .map(|i| {
            let (client, url) = (client.clone(), url.clone());
            tokio::spawn(async move {
                let told = json!({"text": format!("Writer {i} said this."), "id": format!("w{i}")});
                client
                    .post(url)
                    .json(&told)
                    .send()
                    .await
                    .is_ok_and(|answer| answer.status().is_success())
                    .then_some(i)
            })
        })
        .collect();
    tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    assert!(server.stop().success(), "an orderly end, also with somebody listening");
    drop(listening);
    let mut kept = Vec::new();
    for writer in writers {
        kept.extend(writer.await.expect("a writer"));
    }
    for i in kept {
        let found = cairn.hits(&format!("'Writer {i} said this.' -k 1"));
        assert_eq!(found, [format!("Writer {i} said this.")]);
    }
    assert_eq!(cairn.json("stats")["agent"], "main");
}

/// covers: X-P3
#[tokio::test(flavor = "multi_thread")]
async fn its_clock_runs_on_from_where_it_was_set() {
    let cairn = Cairn::new();
    cairn.at("2030-01-01T00:00:00Z");
    let server = Server::start(&cairn);
    let kept = server.post("/v1/agents/main/remember", &json!({"text": "I moved to Lisbon."})).await.ok();
    let opened = server.post("/v1/agents/main/open", &json!({"refs": [kept["message"]]})).await.ok();
    let at = opened["records"][0]["messages"][0]["at"].as_str().expect("a time").to_owned();
    assert!(at.starts_with("2030-01-01T00:0") && at != "2030-01-01T00:00:00Z", "{at}");
}

/// covers: C-252
#[test]
fn what_nobody_works_off_is_found_and_worked_off() {
    let cairn = Cairn::new();
    cairn.write("chat.jsonl", "{\"id\":\"1\",\"role\":\"user\",\"text\":\"My sister's name is Ece.\"}\n");
    cairn.done("ingest chat.jsonl");
    assert!(!cairn.done("doctor").stdout.contains("queue"), "it has only just come in");
    cairn.at("2026-11-15T11:00:00Z");
    let found = cairn.done("doctor").stdout;
    assert!(found.contains("queue: 1 message(s) wait to be looked at, the first for 60 min"), "{found}");
    let mended = cairn.done("doctor --fix").stdout;
    assert!(mended.contains("fixed  queue"), "{mended}");
    assert_eq!(cairn.json("memories list")["memories"].as_array().map(Vec::len), Some(1));
}

/// covers: W-178
#[cfg(target_os = "linux")]
#[test]
fn a_service_can_be_seen_before_it_is_installed() {
    let cairn = Cairn::new();
    let shown = cairn.done("service install --dry-run --port 8123").stdout;
    for part in [
        "systemd/user/cairn.service",
        "\"--port\" \"8123\"",
        "[HOME]/home",
        "Restart=on-failure",
        "StartLimitBurst",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(cairn.json("service status")["installed"], false);
    assert_eq!(cairn.json("service remove")["removed"], false);
}

/// covers: W-102
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_stopped_leaves_a_handoff_of_what_was_said_since() {
    let cairn = Cairn::new();
    let mut server = Server::start(&cairn);
    let said =
        json!({"text": "We decided to keep the tide tables in SQLite.", "session": "s", "thread": "tides"});
    server.post("/v1/agents/main/remember", &said).await.ok();
    assert!(server.stop().success());
    let handoff = cairn.json("handoff show --thread tides");
    assert_eq!(handoff["reason"], "shutdown", "{handoff}");
    assert!(handoff["text"].as_str().expect("a text").contains("SQLite"), "{handoff}");
}
