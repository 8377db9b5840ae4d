//! The same server with its agents in PostgreSQL: several share one database, its keys and what was answered once.

use crate::{
    postgres::database::Database,
    serve::world::{Server, answer, until},
    support::Cairn,
};
use reqwest::Method;
use serde_json::json;

/// covers: W-179
#[tokio::test(flavor = "multi_thread")]
async fn two_servers_on_one_database_know_the_same() {
    let Some(database) = tokio::task::spawn_blocking(Database::new).await.expect("a database") else {
        return;
    };
    let (here, there) =
        (Cairn::new().with_database(database.url()), Cairn::new().with_database(database.url()));
    let (mut one, mut two) = (Server::start(&here), Server::start(&there));
    let told = json!({"text": "I moved to Lisbon in March.", "session": "s", "id": "1"});
    let remember =
        || one.request(Method::POST, "/v1/agents/main/remember").header("idempotency-key", "k1").json(&told);
    let kept = answer(remember()).await.ok();
    assert_eq!(kept["decisions"][0]["verdict"], "create", "{kept}");
    // The other server answers the same request as the first did, and finds what was said.
    let again =
        two.request(Method::POST, "/v1/agents/main/remember").header("idempotency-key", "k1").json(&told);
    let again = answer(again).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(again.ok(), kept);
    let found = two.post("/v1/agents/main/recall", &json!({"query": "moved to Lisbon"})).await.ok();
    assert!(found["hits"].to_string().contains("Lisbon"), "{found}");
    let memory = kept["decisions"][0]["ref"].as_str().expect("a memory");
    let why = two.get(&format!("/v1/agents/main/why/{memory}")).await.ok();
    assert!(why.to_string().contains("I moved to Lisbon in March."), "{why}");
    let session = two.get("/v1/agents/main/sessions/s/messages").await.ok();
    assert_eq!(session["messages"][0]["source_ids"], json!(["1"]), "{session}");
    two.get("/v1/agents/nobody/stats").await.refused(404);
    assert_eq!(two.get("/readyz").await.ok()["ok"], true);

    // A key that one makes opens the other, for its agent and no more, and is revoked for both.
    let key = here.json("key add laptop --for main")["secret"].as_str().expect("a key").to_owned();
    two.with_key(&key);
    until("the key", async || two.get("/v1/agents/main/stats").await.status.is_success()).await;
    two.get("/v1/agents/other/stats").await.refused(404);
    two.get("/v1/keys").await.refused(403);
    one.with_key(&key).get("/v1/agents/main/stats").await.ok();
    there.done("key revoke laptop");
    until("its end", async || one.get("/v1/agents/main/stats").await.status.as_u16() == 401).await;
    assert!(one.stop().success() && two.stop().success());
    tokio::task::spawn_blocking(move || drop(database)).await.expect("gone");
}

/// covers: X-P1
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_loses_nothing_it_acknowledged() {
    let Some(database) = tokio::task::spawn_blocking(Database::new).await.expect("a database") else {
        return;
    };
    let cairn = Cairn::new().with_database(database.url());
    let mut server = Server::start(&cairn);
    let mut acknowledged = Vec::new();
    for number in 0..20 {
        let told = json!({"text": format!("Number {number} was said."), "id": format!("n{number}"), "no_wait": true});
        server.post("/v1/agents/main/remember", &told).await.ok();
        acknowledged.push(told);
    }
    server.kill();
    let server = Server::start(&cairn);
    for told in acknowledged {
        let again = server.post("/v1/agents/main/remember", &told).await.ok();
        assert_eq!(again["duplicate"], true, "{told}");
    }
    drop(server);
    tokio::task::spawn_blocking(move || drop(database)).await.expect("gone");
}
