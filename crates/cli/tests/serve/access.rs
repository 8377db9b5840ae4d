//! Who is let in, and to what.

use crate::{
    support::Cairn,
    world::{Answer, Server, answer},
};
use reqwest::Method;
use serde_json::{Value, json};
use std::process::Stdio;

/// A key that `cairn key add` printed.
fn key(cairn: &Cairn, line: &str) -> String {
    cairn.json(&format!("key add {line}"))["secret"].as_str().expect("a key").to_owned()
}

/// Asks for an operation of the document, with something in every place.
async fn ask(server: &Server, method: &str, path: &str) -> Answer {
    let path = path.replace("{agent}", "main").replace("{key}", "key_none");
    let path = path.replace("{ref}", "mem_00000000000000000000000000").replace("{name}", "Lisbon");
    let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
    answer(server.request(method, &path).json(&json!({"name": "x"}))).await
}

/// Every operation of an operator.
fn of_operators(document: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let scope = operation["x-cairn-scope"].as_str().expect("every operation says what it needs");
            if scope == "operator" {
                found.push((method.clone(), path.clone()));
            }
        }
    }
    assert!(found.len() >= 6, "{found:?}");
    found
}

/// covers: W-179, C-253
#[tokio::test(flavor = "multi_thread")]
async fn an_agents_key_opens_nothing_of_an_operators_and_an_operators_does() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    let (agent, operator) = (key(&cairn, "laptop"), key(&cairn, "me --operator"));
    let mut server = Server::start(&cairn);
    let document = server.get("/openapi.json").await.ok();
    for (method, path) in of_operators(&document) {
        server.key = None;
        ask(&server, &method, &path).await.refused(401);
        server.with_key(&agent);
        let refused = ask(&server, &method, &path).await.refused(403);
        assert!(refused.contains("operator"), "{method} {path}: {refused}");
        server.with_key(&operator);
        let status = ask(&server, &method, &path).await.status.as_u16();
        assert!(![401, 403].contains(&status), "{method} {path}: {status}");
    }
}

/// covers: C-253
#[tokio::test(flavor = "multi_thread")]
async fn a_key_for_one_agent_does_not_know_of_another() {
    let cairn = Cairn::new();
    cairn.done("--agent one remember 'The password is swordfish.'");
    cairn.done("--agent two remember 'Nothing of interest.'");
    let two = key(&cairn, "two --for two");
    let mut server = Server::start(&cairn);
    server.with_key(&two);
    server.post("/v1/agents/two/recall", &json!({"query": "interest"})).await.ok();
    let asked = json!({"query": "swordfish"});
    let other = server.post("/v1/agents/one/recall", &asked).await;
    let nobody = server.post("/v1/agents/nobody/recall", &asked).await;
    // One that is there and one that is not are told apart by nothing but the name.
    assert_eq!(other.refused(404).replace("one", "nobody"), nobody.refused(404));
    server.post("/v1/agents/new/remember", &json!({"text": "I was here."})).await.refused(404);
    assert!(!cairn.path("home/agents/new").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_shown_once_kept_as_a_hash_and_opens_nothing_once_revoked() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    let laptop = key(&cairn, "laptop");
    assert!(laptop.starts_with("cairn_") && laptop.len() == 6 + 64, "256 bits: {}", laptop.len());
    let kept = cairn.read("home/keys.json");
    assert!(!kept.contains(&laptop) && !kept.contains(&laptop[6..]), "{kept}");
    #[cfg(unix)]
    {
        let metadata = std::fs::metadata(cairn.path("home/keys.json")).expect("the file");
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o777, 0o600);
    }
    let mut server = Server::start(&cairn);
    server.get("/v1/agents/main/stats").await.refused(401);
    server.with_key("cairn_0000").get("/v1/agents/main/stats").await.refused(401);
    server.with_key(&laptop).get("/v1/agents/main/stats").await.ok();
    let listed = cairn.json("key list");
    assert!(listed["keys"][0]["used_at"].is_string(), "{listed}");
    assert!(listed["keys"][0].get("hash").is_none());
    let revoked = cairn.json("key revoke laptop");
    assert!(revoked["revoked_at"].is_string());
    // At once, without a new start.
    server.get("/v1/agents/main/stats").await.refused(401);
    assert!(cairn.run("key revoke laptop").code != 0, "there is no living key of that name");
}

/// covers: C-253
#[tokio::test(flavor = "multi_thread")]
async fn without_keys_only_this_machine_is_answered_and_no_page_of_a_browser() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    let server = Server::start(&cairn);
    let stats = || server.request(Method::GET, "/v1/agents/main/stats");
    answer(stats()).await.ok();
    answer(stats().header("host", "cairn.example.org")).await.refused(403);
    answer(stats().header("origin", "https://evil.example.org")).await.refused(403);
    answer(stats().header("origin", &server.url)).await.ok();
    server.get("/v1/agents").await.refused(403);
    let elsewhere = Cairn::new().run("serve --bind 0.0.0.0 --port 0");
    assert!(elsewhere.code == 1 && elsewhere.stderr.contains("key add"), "{}", elsewhere.stderr);
    let preflight = server.request(Method::OPTIONS, "/v1/agents/main/recall").header("origin", &server.url);
    let preflight = answer(preflight.header("access-control-request-method", "POST")).await;
    assert!(!preflight.headers.contains_key("access-control-allow-origin"), "CORS is off");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_that_the_configuration_names_is_answered() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[serve]\norigins = [\"https://app.example.org\"]\n");
    cairn.done("remember 'I moved to Lisbon.'");
    let server = Server::start(&cairn);
    let asked =
        server.request(Method::GET, "/v1/agents/main/stats").header("origin", "https://app.example.org");
    let answered = answer(asked).await;
    assert_eq!(answered.headers["access-control-allow-origin"], "https://app.example.org");
    answered.ok();
}

/// covers: W-178
#[tokio::test(flavor = "multi_thread")]
async fn a_second_server_says_who_holds_the_home_and_a_strangers_port_is_left_alone() {
    let cairn = Cairn::new();
    let mut server = Server::start(&cairn);
    let second = cairn.run("serve --port 0");
    assert_eq!(second.code, 1);
    let (pid, address) = (server.pid().to_string(), server.url.trim_start_matches("http://").to_owned());
    assert!(second.stderr.contains(&pid) && second.stderr.contains(&address), "{}", second.stderr);
    // One that was killed holds nothing.
    server.kill();
    let stranger = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = stranger.local_addr().expect("an address").port();
    let refused = cairn.run(&format!("serve --port {port}"));
    assert!(refused.code == 1 && refused.stderr.contains("choose another port"), "{}", refused.stderr);
    let mut command = cairn.command("--json serve --port 0");
    command.stderr(Stdio::null());
    assert!(Server::start_with(command).stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_too_often_is_told_to_wait() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[serve]\nrequests_per_second = 5\n");
    cairn.done("remember 'I moved to Lisbon.'");
    let server = Server::start(&cairn);
    let mut refused = None;
    for _ in 0..100 {
        let answered = server.get("/v1/agents/main/sessions").await;
        if answered.status == 429 {
            refused = Some(answered);
            break;
        }
    }
    let refused = refused.expect("bounded");
    assert!(refused.refused(429).contains('5'));
    assert_eq!(refused.headers["retry-after"], "1");
    server.get("/healthz").await.ok();
}
