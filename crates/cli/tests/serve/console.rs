//! The console over HTTP: its files, who may see what, and an operator's sign-in.

use crate::{
    serve::world::Server,
    support::{
        Cairn,
        erasing::{PASSPHRASE, answered, signed_in},
    },
};
use reqwest::{
    Method, StatusCode,
    header::{COOKIE, HOST, ORIGIN, SET_COOKIE},
};
use serde_json::{Value, json};

const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

fn furnished() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    cairn.at("2026-03-01T10:00:00Z");
    cairn.done("remember 'I live in Oslo.' --id oslo --thread house");
    cairn.at("2026-05-01T10:00:00Z");
    cairn.done("remember 'I live in Bergen now.' --id bergen");
    cairn
}

/// covers: C-256
#[tokio::test(flavor = "multi_thread")]
async fn the_console_is_served_packed_and_nothing_inline_is_run() {
    let cairn = furnished();
    let server = Server::start(&cairn);
    let page = server.request(Method::GET, "/").send().await.expect("an answer");
    assert_eq!(page.status(), StatusCode::OK);
    let policy = page.headers()["content-security-policy"].to_str().expect("text").to_owned();
    for wanted in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.contains(wanted), "{policy}");
    }
    assert!(!policy.contains("-inline") && !policy.contains("-eval"), "{policy}");
    let tag = page.headers()["etag"].clone();
    let html = page.text().await.expect("a page");
    assert!(html.contains("/assets/index.js") && !html.contains("http://") && !html.contains("https://"));
    let again =
        server.request(Method::GET, "/").header("If-None-Match", tag).send().await.expect("an answer");
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    let mut packed = 0;
    for part in ["/", "/assets/index.js", "/assets/style.css", "/assets/Today.js"] {
        let sent =
            server.request(Method::GET, part).header("Accept-Encoding", "gzip").send().await.expect("sent");
        assert_eq!(sent.headers()["content-encoding"], "gzip", "{part}");
        packed += sent.bytes().await.expect("bytes").len();
    }
    assert!(packed < 300_000, "the first view takes {packed} bytes");
    let missing = server.request(Method::GET, "/assets/nothing.js").send().await.expect("an answer");
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    let rebound =
        server.request(Method::GET, "/").header(HOST, "evil.example").send().await.expect("an answer");
    assert_eq!(rebound.status(), StatusCode::FORBIDDEN);
}

/// covers: C-256
#[tokio::test(flavor = "multi_thread")]
async fn lists_show_what_was_known_at_a_time() {
    let cairn = furnished();
    let server = Server::start(&cairn);
    let memories = |as_of: &'static str| {
        let server = &server;
        async move {
            let path = format!("/v1/agents/main/memories?as_of={as_of}");
            let found: Value = server.get(&path).await.ok();
            let texts = found["memories"].as_array().expect("memories").iter();
            texts.map(|memory| memory["text"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
        }
    };
    let spring = memories("2026-04-01T00:00:00Z").await;
    assert!(spring.len() == 1 && spring[0].contains("Oslo"), "{spring:?}");
    let summer = memories("2026-06-01T00:00:00Z").await;
    assert!(summer.len() == 1 && summer[0].contains("Bergen"), "{summer:?}");
    assert!(memories("2026-02-01T00:00:00Z").await.is_empty());
    let days: Value = server.get("/v1/agents/main/days?as_of=2026-04-01T00:00:00Z").await.ok();
    assert_eq!(days["days"], json!([{"begins_at": "2026-03-01T00:00:00Z", "messages": 1}]));
    let page: Value = server.get("/v1/agents/main/days?limit=1").await.ok();
    assert_eq!(page["days"][0]["begins_at"], "2026-05-01T00:00:00Z");
    let next = page["next"].as_str().expect("a cursor");
    let page: Value = server.get(&format!("/v1/agents/main/days?limit=1&cursor={next}")).await.ok();
    assert_eq!(page["days"][0]["begins_at"], "2026-03-01T00:00:00Z");
    let house: Value = server.get("/v1/agents/main/memories?all=true&thread=house&category=fact").await.ok();
    assert_eq!(house["memories"].as_array().map(Vec::len), Some(1), "{house}");
    let oslo = house["memories"][0]["ref"].as_str().expect("a ref");
    let history: Value = server.get(&format!("/v1/agents/main/memories/{oslo}/history")).await.ok();
    assert!(history["retention"].as_f64().is_some_and(|share| (0.0..=1.0).contains(&share)), "{history}");
}

/// covers: C-256, W-37, W-21
#[tokio::test(flavor = "multi_thread")]
async fn names_are_drawn_with_what_joins_them_and_memories_are_found_by_them() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    cairn.at("2026-03-01T10:00:00Z");
    cairn.done("remember 'My sister Ece works at Siemens in Lisbon.' --id ece");
    cairn.at("2026-05-01T10:00:00Z");
    cairn.done("remember 'Ece met Tomás in Porto.' --id met");
    let server = Server::start(&cairn);
    let graph: Value = server.get("/v1/agents/main/graph").await.ok();
    let names: Vec<&str> = graph["entities"]
        .as_array()
        .expect("entities")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    let place = |name: &str| names.iter().position(|one| *one == name).expect("a name") as u64;
    let joins = |edge: &Value| {
        let ends = [edge["one"].as_u64(), edge["other"].as_u64()];
        ends.contains(&Some(place("Ece"))) && ends.contains(&Some(place("Lisbon")))
    };
    let edges = graph["edges"].as_array().expect("edges");
    assert!(edges.iter().any(|edge| edge["kind"] == "together" && joins(edge)), "{graph}");
    assert!(edges.iter().all(|edge| edge["one"] != edge["other"]), "{graph}");
    assert_eq!(graph["cut"], false);
    let spring: Value = server.get("/v1/agents/main/graph?as_of=2026-04-01T00:00:00Z").await.ok();
    assert!(!spring["entities"].to_string().contains("Porto"), "{spring}");
    let one: Value = server.get("/v1/agents/main/graph?limit=1").await.ok();
    assert_eq!((one["entities"].as_array().map(Vec::len), &one["edges"]), (Some(1), &json!([])));
    server.get("/v1/agents/main/graph?limit=5001").await.refused(400);

    let about = |filter: &'static str| server.get(filter);
    let all: Value = about("/v1/agents/main/memories?entity=Ece").await.ok();
    assert_eq!(all["memories"].as_array().map(Vec::len), Some(2), "{all}");
    let then: Value = about("/v1/agents/main/memories?entity=Ece&as_of=2026-04-01T00:00:00Z").await.ok();
    assert_eq!(then["memories"].as_array().map(Vec::len), Some(1), "{then}");
    let nobody: Value = about("/v1/agents/main/memories?entity=Nobody").await.ok();
    assert_eq!(nobody["memories"], json!([]));
}

/// covers: C-256
#[tokio::test(flavor = "multi_thread")]
async fn backups_are_listed_for_operators_and_skills_for_all() {
    let cairn = furnished();
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let key = answered(&cairn, "key add me --operator");
    let mut server = Server::start(&cairn);
    server.with_key(key["secret"].as_str().expect("a key"));
    let none: Value = server.get("/v1/agents/main/backups").await.ok();
    assert_eq!((&none["backups"], &none["keep"]), (&json!([]), &json!(7)));
    let made: Value = server.post("/v1/agents/main/backup", &json!({})).await.ok();
    let listed: Value = server.get("/v1/agents/main/backups").await.ok();
    assert_eq!(listed["backups"][0]["folder"], made["folder"], "{listed}");
    assert!(listed["backups"][0]["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{listed}");
    let skills: Value = server.get("/v1/agents/main/skills?thread=house").await.ok();
    assert_eq!(skills, json!({"projects": []}));
    server.get("/v1/agents/main/skills?limit=0").await.refused(400);
}

/// covers: I3, C-256
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_signs_in_for_a_quarter_of_an_hour_and_writes_only_from_the_page() {
    let cairn = furnished();
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let server = Server::start(&cairn);
    let sign_in = |passphrase: &str| {
        server.request(Method::POST, "/v1/session").json(&json!({ "passphrase": passphrase })).send()
    };
    assert_eq!(sign_in("not that one").await.expect("an answer").status(), StatusCode::UNPROCESSABLE_ENTITY);
    let signed = sign_in(PASSPHRASE).await.expect("an answer");
    assert_eq!(signed.status(), StatusCode::OK);
    let cookie = signed.headers()[SET_COOKIE].to_str().expect("text").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Max-Age=900", "Path=/v1"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().expect("a pair").to_owned();
    let session: Value = signed.json().await.expect("JSON");
    let csrf = session["csrf"].as_str().expect("a token").to_owned();
    assert_eq!(session["operator"], true);
    assert!(!cookie.contains(&csrf), "two tokens");

    let asked = |method: Method, path: &'static str| server.request(method, path).header(COOKIE, &cookie);
    let status = async |request: reqwest::RequestBuilder| request.send().await.expect("an answer").status();
    assert_eq!(status(asked(Method::GET, "/v1/agents/main/beliefs")).await, StatusCode::OK);
    assert_eq!(status(asked(Method::GET, "/v1/configuration")).await, StatusCode::OK);
    assert_eq!(status(server.request(Method::GET, "/v1/agents/main/beliefs")).await, StatusCode::FORBIDDEN);
    let write = || asked(Method::POST, "/v1/agents/main/backup");
    assert_eq!(
        status(write()).await,
        StatusCode::FORBIDDEN,
        "a cookie is sent by whoever makes the browser ask"
    );
    assert_eq!(status(write().header("X-Cairn-Csrf", "guessed")).await, StatusCode::FORBIDDEN);
    let foreign = write().header("X-Cairn-Csrf", &csrf).header(ORIGIN, "https://evil.example");
    assert_eq!(status(foreign).await, StatusCode::FORBIDDEN);
    assert_eq!(status(write().header("X-Cairn-Csrf", &csrf)).await, StatusCode::OK);
    let end = asked(Method::DELETE, "/v1/session").header("X-Cairn-Csrf", &csrf);
    assert_eq!(status(end).await, StatusCode::OK);
    assert_eq!(status(asked(Method::GET, "/v1/agents/main/beliefs")).await, StatusCode::FORBIDDEN);
}

/// covers: C-256
#[test]
fn console_tells_where_the_running_server_is() {
    let cairn = furnished();
    let server = Server::start(&cairn);
    let told = cairn.json("console --no-browser");
    assert_eq!(told["started"], false);
    assert_eq!(told["url"].as_str().map(|url| url.trim_end_matches('/')), Some(server.url.as_str()));
}

/// covers: C-256
#[tokio::test(flavor = "multi_thread")]
async fn what_nights_did_is_told_run_by_run() {
    let cairn = furnished();
    cairn.at("2026-05-02T10:00:00Z");
    cairn.done("dream");
    let server = Server::start(&cairn);
    let runs: Value = server.get("/v1/agents/main/rhythms/runs?limit=1").await.ok();
    let run = &runs["runs"][0];
    assert!(run["rhythm"].is_string() && !run["steps"].as_array().expect("steps").is_empty(), "{runs}");
    let changes: Value =
        server.get(&format!("/v1/agents/main/rhythms/runs/{}/changes", run["run"])).await.ok();
    assert!(changes["changes"].is_array(), "{changes}");
    let missing = server.request(Method::GET, "/v1/agents/main/rhythms/runs/99999/changes").send().await;
    assert_eq!(missing.expect("an answer").status(), StatusCode::NOT_FOUND);
    let rhythms: Value = server.get("/v1/agents/main/rhythms").await.ok();
    assert!(rhythms["rhythms"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == "dream")));
    let digests: Value = server.get("/v1/agents/main/digests?kind=day").await.ok();
    assert!(digests["digests"].is_array());
}
