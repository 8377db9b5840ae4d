//! Whatever is sent, the server says what was wrong with it and goes on.

use crate::{
    serve::world::{Server, answer},
    support::Cairn,
};
use reqwest::Method;
use serde_json::json;
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

const RECALL: &str = "/v1/agents/main/recall";

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_refused_with_words_that_help() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    let server = Server::start(&cairn);
    let json = |body: &str| {
        server.request(Method::POST, RECALL).header("content-type", "application/json").body(body.to_owned())
    };
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("null", 422),
        ("[]", 422),
        ("[\"x\"]", 422),
        ("{}", 422),
        ("{\"query\": 7}", 422),
        ("{\"query\": \"x\", \"wish\": 1}", 422),
        ("{\"query\": \"x\", \"k\": 0}", 400),
        ("{\"query\": \"x\", \"k\": 1001}", 400),
        ("{\"query\": \"x\", \"as_of\": \"yesterday\"}", 422),
        ("{\"query\": \"x\", \"profile\": \"mine\"}", 400),
        (&"[".repeat(100_000), 422),
        (&format!("{{\"query\":{}", "[".repeat(100_000)), 422),
    ] {
        let refused = answer(json(body)).await;
        assert_eq!(refused.status.as_u16(), status, "{} {}", &body[..body.len().min(60)], refused.body);
        refused.refused(status);
    }
    answer(server.request(Method::POST, RECALL).body("query=x")).await.refused(415);
    server.get("/v1/agents/main/nothing").await.refused(404);
    server.get("/v1/agents/NOBODY!/stats").await.refused(400);
    server.get("/v1/agents/nobody/stats").await.refused(404);
    server.get("/v1/agents/main/why/msg_x").await.refused(400);
    server.get("/v1/agents/main/timeline?wish=1").await.refused(400);
    answer(server.request(Method::DELETE, RECALL)).await.refused(405);
    let own = server.get("/v1/agents/main/why/msg_x");
    assert_eq!(own.await.headers["x-request-id"].len(), 32);
    let named = answer(server.request(Method::GET, "/nowhere").header("x-request-id", "mine-7")).await;
    assert_eq!(
        (named.body["request_id"].as_str(), &named.headers["x-request-id"]),
        (Some("mine-7"), &"mine-7".parse().expect("a value"))
    );
    // Nothing was made on the way.
    assert!(!cairn.path("home/agents/nobody").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused_and_a_large_message_is_kept() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let text = "word ".repeat(300_000);
    let kept = server.post("/v1/agents/main/remember", &json!({"text": text, "no_wait": true})).await.ok();
    assert_eq!(kept["pending"], true);
    let huge = format!("{{\"text\": \"{}\"}}", "x".repeat(25 << 20));
    let request = server.request(Method::POST, "/v1/agents/main/remember");
    let refused = answer(request.header("content-type", "application/json").body(huge)).await;
    assert!(refused.refused(413).contains("bytes"));
    server.get("/healthz").await.ok();
}

/// A connection that was opened and says nothing of use, however many of them, holds nobody up.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_never_finish_and_never_read_hold_nobody_up() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    let server = Server::start(&cairn);
    let address = server.url.trim_start_matches("http://").to_owned();
    let mut held = Vec::new();
    for head in [
        "GET /v1/agents/main/st",
        "POST /v1/agents/main/recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
        "POST /v1/agents/main/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999\r\n\r\n{}",
        "GET /v1/agents/main/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\u{fc}",
    ] {
        for _ in 0..20 {
            let mut stream = TcpStream::connect(&address).expect("connected");
            stream.write_all(head.as_bytes()).expect("sent");
            held.push(stream);
        }
    }
    // Asks for more and more and takes none of it.
    let mut greedy = TcpStream::connect(&address).expect("connected");
    greedy.set_write_timeout(Some(Duration::from_millis(200))).expect("set");
    for _ in 0..2_000 {
        let asked = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
        if greedy.write_all(asked.as_bytes()).is_err() {
            break;
        }
    }
    for _ in 0..20 {
        server.post(RECALL, &json!({"query": "Lisbon"})).await.ok();
    }
    // What is no HTTP is answered as such, or not at all.
    let mut nonsense = TcpStream::connect(&address).expect("connected");
    nonsense.set_read_timeout(Some(Duration::from_secs(5))).expect("set");
    nonsense.write_all(b"\0\0\0\0 nonsense\r\n\r\n").expect("sent");
    let mut said = Vec::new();
    let _ = nonsense.read_to_end(&mut said);
    assert!(said.is_empty() || said.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&said));
    let memory = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap_or_default();
    let resident = memory.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: u64 = resident.and_then(|it| it.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    assert!(kilobytes < 600_000, "{kilobytes} kB are resident");
    drop(held);
}
