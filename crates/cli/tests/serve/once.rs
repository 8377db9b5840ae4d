//! A write that is sent again is done once.

use crate::{
    serve::world::{Answer, Server, answer},
    support::Cairn,
};
use reqwest::Method;
use serde_json::{Value, json};

async fn remember(server: &Server, key: &str, body: &Value) -> Answer {
    let request = server.request(Method::POST, "/v1/agents/main/remember").header("idempotency-key", key);
    answer(request.json(body)).await
}

async fn messages(server: &Server) -> Value {
    server.get("/v1/agents/main/stats").await.ok()["messages"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_key_gets_the_same_answer_also_from_a_server_that_was_killed() {
    let cairn = Cairn::new();
    let mut server = Server::start(&cairn);
    let told = json!({"text": "I moved to Lisbon."});
    let first = remember(&server, "k-1", &told).await;
    assert!(!first.headers.contains_key("idempotency-replayed"));
    let again = remember(&server, "k-1", &told).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(first.body, again.body);
    let other = remember(&server, "k-1", &json!({"text": "I moved to Porto."})).await;
    assert!(other.refused(422).contains("another request"));
    server.kill();
    let server = Server::start(&cairn);
    assert_eq!(remember(&server, "k-1", &told).await.ok(), first.body);
    assert_eq!(messages(&server).await, 1);
    // The same words under another key are said again.
    let second = remember(&server, "k-2", &json!({"text": "yes", "session": "a"})).await.ok();
    assert_eq!(second["duplicate"], false);
    remember(&server, &"x".repeat(201), &told).await.refused(400);
    remember(&server, "with space", &told).await.refused(400);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_refused_may_be_tried_again_under_its_key() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    remember(&server, "k", &json!({"text": "   "})).await.refused(400);
    remember(&server, "k", &json!({"text": "I moved to Lisbon."})).await.ok();
    assert_eq!(messages(&server).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_at_once_with_one_key_are_one() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let told = json!({"text": "I moved to Lisbon."});
    let all = futures_util::future::join_all((0..20).map(|_| remember(&server, "k", &told))).await;
    let done: Vec<&Answer> = all.iter().filter(|answer| answer.status.is_success()).collect();
    assert!(!done.is_empty());
    assert!(done.iter().all(|answer| answer.body == done[0].body));
    assert!(all.iter().all(|answer| [200, 409].contains(&answer.status.as_u16())));
    assert_eq!(messages(&server).await, 1);
    assert_eq!(remember(&server, "k", &told).await.ok(), done[0].body);
}
