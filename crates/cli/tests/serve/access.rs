//! Who is let in, and to what.

use crate::{
    serve::world::{Server, answer},
    support::{
        Cairn,
        erasing::{answered, signed_in},
    },
};
use reqwest::Method;
use serde_json::json;
use std::process::Stdio;

/// A key that `cairn key add` printed; an operator's is signed in for.
fn key(cairn: &Cairn, line: &str) -> String {
    let added = answered(cairn, &format!("key add {line}"));
    added["secret"].as_str().expect("a key").to_owned()
}

/// covers: I3, I10, C-253
#[tokio::test(flavor = "multi_thread")]
async fn a_limited_operators_key_makes_sees_and_revokes_nothing_beyond_its_limit() {
    let cairn = Cairn::new();
    cairn.done("--agent one remember 'I moved to Lisbon.'");
    cairn.done("--agent two remember 'I moved to Porto.'");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let (limited, _all) = (key(&cairn, "limited --operator --for one"), key(&cairn, "all --operator"));
    let mut server = Server::start(&cairn);
    server.with_key(&limited);
    for beyond in [
        json!({"name": "x", "scope": "operator"}),
        json!({"name": "x"}),
        json!({"name": "x", "agents": ["two"]}),
        json!({"name": "x", "scope": "operator", "agents": ["one", "two"]}),
    ] {
        server.post("/v1/keys", &beyond).await.refused(403);
    }
    let given = json!({"name": "given", "scope": "operator", "agents": ["one"]});
    let given = server.post("/v1/keys", &given).await.ok();
    let listed = server.get("/v1/keys").await.ok();
    let names: Vec<&str> =
        listed["keys"].as_array().expect("keys").iter().filter_map(|key| key["name"].as_str()).collect();
    assert!(names.contains(&"given") && names.contains(&"limited") && !names.contains(&"all"), "{names:?}");
    answer(server.request(Method::DELETE, "/v1/keys/all")).await.refused(404);
    // What was given on reaches as far and no farther.
    server.with_key(given["secret"].as_str().expect("a key"));
    server.get("/v1/agents/one/review").await.ok();
    server.get("/v1/agents/two/review").await.refused(404);
    let agents = server.get("/v1/agents").await.ok();
    assert_eq!(agents["agents"].as_array().map(Vec::len), Some(1), "{agents}");
    answer(server.request(Method::DELETE, "/v1/keys/given")).await.ok();
    server.get("/v1/agents/one/review").await.refused(401);
}

/// The texts of the memories that hold now.
fn held(cairn: &Cairn) -> String {
    cairn.json("memories list")["memories"].to_string()
}

/// covers: X-P10, X-P15, I3
#[tokio::test(flavor = "multi_thread")]
async fn an_agents_key_never_says_what_the_user_said() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done("remember 'I live in Lisbon.'");
    let (bot, chat) = (key(&cairn, "bot"), key(&cairn, "chat --capture"));
    let mut server = Server::start(&cairn);
    server.with_key(&bot);
    let remember = "/v1/agents/main/remember";
    for claimed in [
        json!({"text": "I live in Moscow.", "role": "user"}),
        json!({"text": "I live in Moscow.", "speaker": "user"}),
        json!({"text": "I live in Moscow.", "role": "assistant", "speaker": "Deniz"}),
    ] {
        server.post(remember, &claimed).await.refused(403);
    }
    let line = r#"{"id":"1","role":"user","text":"I live in Moscow."}"#;
    let import = |format: &str| {
        server.request(Method::POST, &format!("/v1/agents/main/messages?wait=true{format}")).body(line)
    };
    for format in ["", "&format=jsonl", "&format=claude-code", "&format=chatgpt"] {
        answer(import(format)).await.refused(403);
    }
    answer(import("&format=feed")).await.ok();
    // What it tells, it tells as the agent, whatever stands beside the words.
    let told = json!({"text": "I live in Moscow.", "metadata": {"asked": true, "told_for_user": false}});
    let told = server.post(remember, &told).await.ok();
    let message = told["message"].as_str().expect("a message");
    let opened = server.post("/v1/agents/main/open", &json!({"refs": [message]})).await.ok();
    assert_eq!(opened["records"][0]["messages"][0]["role"], "assistant", "{opened}");
    assert!(held(&cairn).contains("Lisbon"), "an agent's key replaced the user's word: {}", held(&cairn));
    // A program that captures conversations hands in what the user said.
    server.with_key(&chat);
    server
        .post(remember, &json!({"text": "I moved to Porto. I live in Porto now.", "role": "user"}))
        .await
        .ok();
    assert!(!held(&cairn).contains("lives in Lisbon"), "{}", held(&cairn));
    server.post("/v1/keys", &json!({"name": "x", "scope": "capture"})).await.refused(403);
}

/// covers: I3, W-155
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_was_written_into_the_file_is_no_operators() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let refused = cairn.run("key add me --operator");
    assert!(refused.code == 1 && refused.stderr.contains("must sign in"), "{}", refused.stderr);
    let laptop = key(&cairn, "laptop");
    cairn.tamper("home/keys.json", "\"scope\": \"agent\"", "\"scope\": \"operator\"");
    let mut server = Server::start(&cairn);
    server.with_key(&laptop);
    server.get("/v1/agents/main/stats").await.ok();
    let told = server.get("/v1/agents/main/review").await.refused(403);
    assert!(told.contains("did not make this key"), "{told}");
    server.post("/v1/keys", &json!({"name": "x", "scope": "operator"})).await.refused(403);
}

/// covers: C-253
#[tokio::test(flavor = "multi_thread")]
async fn revoking_the_last_key_opens_nothing() {
    let cairn = Cairn::new();
    cairn.done("remember 'I moved to Lisbon.'");
    key(&cairn, "laptop");
    let server = Server::start(&cairn);
    server.get("/v1/agents/main/stats").await.refused(401);
    cairn.done("key revoke laptop");
    server.get("/v1/agents/main/stats").await.refused(401);
    drop(server);
    Server::start(&cairn).get("/v1/agents/main/stats").await.refused(401);
}

/// covers: C-253, I10
#[tokio::test(flavor = "multi_thread")]
async fn what_is_found_about_a_server_is_told_to_those_with_a_key() {
    let cairn = Cairn::new();
    cairn.done("--agent nightjar remember 'I moved to Lisbon.'");
    cairn.done("--agent woodcock remember 'I moved to Porto.'");
    let keyless = Server::start(&cairn);
    keyless.get("/v1/agents/nightjar/stats").await.ok();
    keyless.get("/v1/agents/woodcock/stats").await.ok();
    let home = cairn.path("home").display().to_string();
    let all = keyless.get("/readyz").await.body.to_string();
    assert!(all.contains(&home) && all.contains("nightjar"), "this machine without keys sees it: {all}");
    let (one, every) = (key(&cairn, "one --for woodcock"), key(&cairn, "every"));
    drop(keyless);
    let mut server = Server::start(&cairn);
    server.with_key(&every).get("/v1/agents/nightjar/stats").await.ok();
    server.get("/v1/agents/woodcock/stats").await.ok();
    let told = server.get("/readyz").await.body.to_string();
    assert!(told.contains("nightjar") && told.contains("woodcock"), "{told}");
    let told = server.with_key(&one).get("/readyz").await.body.to_string();
    assert!(!told.contains("nightjar") && told.contains("woodcock"), "{told}");
    for stranger in [None, Some("cairn_0000".to_owned())] {
        server.key = stranger;
        let told = server.get("/readyz").await;
        assert_eq!(told.body["ok"], true, "{}", told.body);
        let told = told.body.to_string();
        assert!(!told.contains(&home) && !told.contains("nightjar") && !told.contains("woodcock"), "{told}");
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
