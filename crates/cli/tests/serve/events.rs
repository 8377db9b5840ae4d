//! Events are delivered over HTTP and over a socket.

use crate::{serve::world::Server, support::Cairn};
use futures_util::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tokio_tungstenite::{
    connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest},
};

const REMEMBER: &str = "/v1/agents/main/remember";

#[tokio::test(flavor = "multi_thread")]
async fn events_name_what_happened_and_hold_no_words() {
    let cairn = Cairn::new();
    cairn.done("remember 'I like tea.'");
    let server = Server::start(&cairn);
    let response = server.request(Method::GET, "/v1/agents/main/events").send().await.expect("an answer");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let kept = server.post(REMEMBER, &json!({"text": "I moved to Lisbon."})).await.ok();
    server.post("/v1/agents/main/recall", &json!({"query": "Lisbon"})).await.ok();
    let (mut stream, mut told) = (response.bytes_stream(), String::new());
    while !(told.contains("event: captured") && told.contains("event: recalled")) {
        let next = tokio::time::timeout(Duration::from_secs(30), stream.next()).await;
        told.push_str(&String::from_utf8_lossy(&next.expect("in time").expect("more").expect("bytes")));
    }
    assert!(told.contains(kept["message"].as_str().expect("a ref")), "{told}");
    assert!(!told.contains("Lisbon"), "{told}");
}

fn socket_url(server: &Server) -> String {
    format!("{}/v1/agents/main/socket", server.url.replace("http://", "ws://"))
}

/// covers: C-253
#[tokio::test(flavor = "multi_thread")]
async fn a_socket_tells_the_same_and_lets_nobody_flood_it() {
    let cairn = Cairn::new();
    cairn.done("remember 'I like tea.'");
    let server = Server::start(&cairn);
    let mut foreign = socket_url(&server).into_client_request().expect("a request");
    foreign.headers_mut().insert("origin", "https://evil.example.org".parse().expect("a value"));
    match connect_async(foreign).await {
        Err(Error::Http(response)) => assert_eq!(response.status().as_u16(), 403),
        other => panic!("{other:?}"),
    }
    let (mut socket, _) = connect_async(socket_url(&server)).await.expect("connected");
    let kept = server.post(REMEMBER, &json!({"text": "I moved to Lisbon."})).await.ok();
    let captured: Value = loop {
        let next = tokio::time::timeout(Duration::from_secs(30), socket.next()).await.expect("in time");
        if let Message::Text(text) = next.expect("more").expect("a message") {
            let event: Value = serde_json::from_str(&text).expect("JSON");
            if event["event"] == "captured" {
                break event;
            }
        }
    };
    assert_eq!(captured["data"]["message"], kept["message"]);
    for flood in ["many small frames", "one large frame"] {
        let (mut socket, _) = connect_async(socket_url(&server)).await.expect("connected");
        let frame =
            || Message::text(if flood == "one large frame" { "x".repeat(1 << 20) } else { "x".into() });
        for _ in 0..if flood == "one large frame" { 1 } else { 500 } {
            if socket.send(frame()).await.is_err() {
                break;
            }
        }
        let ended = tokio::time::timeout(Duration::from_secs(30), async {
            while let Some(Ok(message)) = socket.next().await {
                if message.is_close() {
                    break;
                }
            }
        });
        ended.await.unwrap_or_else(|_| panic!("{flood}: it goes on listening"));
    }
    server.get("/healthz").await.ok();
}

/// covers: C-253
#[tokio::test(flavor = "multi_thread")]
async fn a_socket_needs_a_key_where_there_are_keys() {
    let cairn = Cairn::new();
    cairn.done("remember 'I like tea.'");
    let key = cairn.json("key add laptop")["secret"].as_str().expect("a key").to_owned();
    let server = Server::start(&cairn);
    match connect_async(socket_url(&server)).await {
        Err(Error::Http(response)) => assert_eq!(response.status().as_u16(), 401),
        other => panic!("{other:?}"),
    }
    let mut request = socket_url(&server).into_client_request().expect("a request");
    let protocols = format!("cairn.v1, bearer.{key}").parse().expect("a value");
    request.headers_mut().insert("sec-websocket-protocol", protocols);
    let (_, response) = connect_async(request).await.expect("let in");
    assert_eq!(response.headers()["sec-websocket-protocol"], "cairn.v1", "the key is not said back");
}

/// covers: C-253
#[tokio::test(flavor = "multi_thread")]
async fn whoever_listens_with_a_key_hears_nothing_once_it_is_revoked() {
    let cairn = Cairn::new();
    cairn.done("remember 'I like tea.'");
    let key = cairn.json("key add laptop")["secret"].as_str().expect("a key").to_owned();
    let mine = cairn.json("key add mine")["secret"].as_str().expect("a key").to_owned();
    let mut server = Server::start(&cairn);
    server.with_key(&key);
    let listening = server.request(Method::GET, "/v1/agents/main/events").send().await.expect("an answer");
    assert!(listening.status().is_success());
    cairn.done("key revoke laptop");
    server.with_key(&mine).post(REMEMBER, &json!({"text": "I moved to Lisbon."})).await.ok();
    let told = tokio::time::timeout(Duration::from_secs(30), listening.text()).await.expect("it ends");
    assert!(!told.expect("a text").contains("captured"), "nothing is told any more");
}
