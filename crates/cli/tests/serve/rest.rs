//! The verbs and the lists.

use crate::{
    serve::world::{Server, answer, until},
    support::Cairn,
};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const MAIN: &str = "/v1/agents/main";

fn at(path: &str) -> String {
    format!("{MAIN}{path}")
}

/// covers: K-119, C-255
#[tokio::test(flavor = "multi_thread")]
async fn what_a_program_tells_it_finds_again_and_can_trace_to_the_words() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let told =
        json!({"text": "I moved to Lisbon in March.", "session": "s1", "thread": "home", "id": "ext-1"});
    let kept = server.post(&at("/remember"), &told).await.ok();
    assert_eq!((&kept["duplicate"], &kept["decisions"][0]["verdict"]), (&json!(false), &json!("create")));
    let memory = kept["decisions"][0]["ref"].as_str().expect("a memory").to_owned();
    assert_eq!(server.post(&at("/remember"), &told).await.ok()["duplicate"], true);

    let found = server.post(&at("/recall"), &json!({"query": "Where did I move? Lisbon?"})).await.ok();
    let hits = found["hits"].as_array().expect("hits");
    assert!(hits.iter().any(|hit| hit["source_ids"] == json!(["ext-1"])), "{found}");

    let opened = server.post(&at("/open"), &json!({"refs": [kept["message"], memory]})).await.ok();
    assert_eq!(opened["records"][0]["messages"][0]["text"], told["text"]);
    assert_eq!(opened["records"][1]["kind"], "memory");

    let why = server.get(&at(&format!("/why/{memory}"))).await.ok();
    assert_eq!(why["evidence"][0]["message"]["text"], told["text"]);
    assert_eq!(why["evidence"][0]["holds"], true);
    let why = server.get(&at(&format!("/why/{}", kept["message"].as_str().expect("a ref")))).await.ok();
    assert_eq!(why["evidence"][0]["memories"][0]["ref"], memory.as_str());

    let timeline = server.get(&at("/timeline?k=5")).await.ok();
    assert_eq!(timeline["entries"][0]["text"], told["text"]);
    // What programs see is what the command line says.
    for (path, line) in [("/memories", "memories list"), ("/entities", "entities"), ("/threads", "threads")] {
        assert_eq!(server.get(&at(path)).await.ok(), cairn.json(line), "{line}");
    }
    assert_eq!(server.get(&at("/sessions")).await.ok()["sessions"][0]["session"], "s1");
    assert_eq!(server.get(&at("/stats")).await.ok()["messages"], 1);
    assert_eq!(server.get(&at("/entities/Lisbon")).await.ok()["memories"][0]["ref"], memory.as_str());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_set_right_and_what_helped_counts_more() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let kept = server.post(&at("/remember"), &json!({"text": "My sister's name is Ece."})).await.ok();
    let memory = kept["decisions"][0]["ref"].clone();
    let before = server.get(&at(&format!("/memories/{}", memory.as_str().expect("a ref")))).await.ok();
    let rated = server.post(&at("/feedback"), &json!({"ref": memory, "helpful": true})).await.ok();
    let utility = |record: &Value| record["utility"].as_f64().expect("a number");
    assert!(utility(&rated["memories"][0]) > utility(&before), "{rated}");
    let context = server.post(&at("/context"), &json!({"query": "what is my sister's name?"})).await.ok();
    assert!(context["text"].as_str().expect("a text").contains("Ece"), "{context}");
    let begun = server.post(&at("/context"), &json!({})).await.ok();
    assert!(begun["refs"].as_array().expect("refs").contains(&memory), "{begun}");
    let corrected = json!({"ref": memory, "text": "The user's sister is called Ela."});
    let corrected = server.post(&at("/correct"), &corrected).await.ok();
    let decision = &corrected["decisions"][0];
    assert_eq!((&decision["verdict"], decision.get("supersedes")), (&"create".into(), None), "{corrected}");
    assert!(decision["reason"].as_str().expect("a reason").contains("only the user replaces"), "{corrected}");
    let own = server.post(&at("/remember"), &json!({"text": "My sister's name is Ela, not Ece."})).await.ok();
    assert_eq!(own["decisions"][0]["supersedes"], memory, "the user's own word does: {own}");
    server.post(&at("/context"), &json!({"budget": 1})).await.refused(400);
    server
        .post(&at("/feedback"), &json!({"ref": "mem_00000000000000000000000000", "helpful": true}))
        .await
        .refused(404);
}

/// covers: C-255
#[tokio::test(flavor = "multi_thread")]
async fn the_tools_are_there_over_http_as_well() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let call = async |path: &str, name: &str, arguments: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        let request =
            server.request(Method::POST, path).header("accept", "application/json, text/event-stream");
        let request = request.header("mcp-protocol-version", "2025-06-18");
        answer(request.json(&body)).await.ok()
    };
    let kept = call("/mcp", "remember", json!({"text": "The user moved to Lisbon."})).await;
    assert!(!kept["result"]["isError"].as_bool().unwrap_or(false), "{kept}");
    let found = call(&at("/mcp"), "recall", json!({"query": "Lisbon"})).await;
    assert!(found["result"].to_string().contains("Lisbon"), "{found}");
    let page = server.request(Method::POST, "/mcp").header("origin", "https://evil.example.org");
    answer(page.json(&json!({}))).await.refused(403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_read_from_its_end_part_by_part() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let session = "a/b ü";
    let line = |n: u32| json!({"id": format!("{n}"), "session": session, "role": "user", "text": format!("Line {n}."), "n": n});
    let lines = (0..7).map(|n| line(n).to_string()).collect::<Vec<_>>().join("\n");
    let taken = server
        .request(Method::POST, &at("/messages"))
        .header("content-type", "application/x-ndjson")
        .body(lines);
    assert_eq!(answer(taken).await.ok()["added"], 7);
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let part = server.get(&at(&format!("/sessions/a%2Fb%20%C3%BC/messages?limit=3{cursor}"))).await.ok();
        seen.extend(
            part["messages"].as_array().expect("messages").iter().map(|it| it["metadata"]["n"].as_u64()),
        );
        match part["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, (0..7).rev().map(Some).collect::<Vec<_>>());
    assert_eq!(server.get(&at("/sessions/nothing/messages")).await.ok()["messages"], json!([]));
    server.get(&at("/sessions/s/messages?cursor=x")).await.refused(400);
}

#[tokio::test(flavor = "multi_thread")]
async fn memories_are_looked_after() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let kept = server.post(&at("/remember"), &json!({"text": "My sister's name is Ece."})).await.ok();
    let memory = kept["decisions"][0]["ref"].as_str().expect("a memory").to_owned();
    let change = async |how: &str| server.post(&at(&format!("/memories/{memory}/{how}")), &json!({})).await;
    assert_eq!(change("pin").await.ok()["pinned"], true);
    assert!(change("forget").await.refused(400).contains("pinned"));
    // A pin is lifted by a person: here at the terminal, over HTTP with an operator's key.
    assert!(change("unpin").await.refused(403).contains("operator"));
    cairn.done(&format!("memories unpin {memory}"));
    assert_eq!(change("forget").await.ok()["tier"], "dormant");
    let all = server.get(&at("/memories?all=true")).await.ok();
    assert_eq!(
        (
            server.get(&at("/memories")).await.ok()["memories"].as_array().map(Vec::len),
            all["memories"].as_array().map(Vec::len)
        ),
        (Some(0), Some(1))
    );
    assert_eq!(change("wake").await.ok()["tier"], "episodic");
    assert_eq!(server.get(&at(&format!("/memories/{memory}"))).await.ok()["ref"], memory.as_str());
    let nobody = "mem_00000000000000000000000000";
    server.get(&at(&format!("/memories/{nobody}"))).await.refused(404);
}

/// Nobody asks for it, and nobody's program knows of it.
///
/// covers: L-28, L-30
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_in_in_bulk_is_looked_at_behind_the_answer() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let lines = "{\"id\":\"1\",\"role\":\"user\",\"text\":\"My sister's name is Ece.\"}\nnot json\n\
                 {\"id\":\"2\",\"role\":\"user\",\"text\":\"I am allergic to peanuts.\"}\n";
    let import = async || {
        let request =
            server.request(Method::POST, &at("/messages")).header("content-type", "application/x-ndjson");
        answer(request.body(lines)).await.ok()
    };
    let report = import().await;
    assert_eq!((&report["added"], &report["malformed"]), (&json!(2), &json!(1)), "{report}");
    assert_eq!(report["problems"][0]["line"], 2);
    assert_eq!(import().await["duplicates"], 2);
    until("memories of both", async || {
        let memories = server.get(&at("/memories")).await.ok();
        memories["memories"].as_array().is_some_and(|memories| memories.len() >= 2)
    })
    .await;
    let found = server.post(&at("/recall"), &json!({"query": "peanuts"})).await.ok();
    assert_eq!(found["hits"][0]["source_ids"], json!(["2"]));
}

async fn walk(server: &Server, path: &str, list: &str, name: &str) -> Vec<String> {
    let (mut names, mut cursor) = (Vec::new(), None::<String>);
    for _ in 0..100 {
        let mut request = server.request(Method::GET, &at(path)).query(&[("limit", "7")]);
        if let Some(cursor) = &cursor {
            request = request.query(&[("cursor", cursor)]);
        }
        let part = answer(request).await.ok();
        let items = part[list].as_array().expect("a list");
        assert!(items.len() <= 7);
        names.extend(items.iter().map(|item| item[name].as_str().expect("a name").to_owned()));
        cursor = part["next"].as_str().map(str::to_owned);
        if cursor.is_none() {
            return names;
        }
    }
    panic!("{path} does not end");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_come_in_parts_and_lose_and_repeat_nothing() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    // Many are said at the same moment: a cursor tells them apart all the same.
    let line = |i: usize| {
        json!({"id": format!("{i}"), "session": format!("s{i}"), "thread": format!("t{}", i % 25),
               "at": format!("2026-11-1{}T10:00:00Z", i % 3), "role": "user",
               "text": format!("My friend Zeynep{i} works at Company{i}.")})
    };
    let lines = (0..40).map(|i| line(i).to_string()).collect::<Vec<_>>().join("\n");
    let request = server.request(Method::POST, &at("/messages?wait=true")).body(lines);
    assert_eq!(answer(request).await.ok()["added"], 40);
    for (path, list, name, count) in [
        ("/sessions", "sessions", "session", 40),
        ("/threads", "threads", "thread", 25),
        ("/memories?all=true", "memories", "ref", 40),
        ("/entities", "entities", "uri", 40),
    ] {
        let names = walk(&server, path, list, name).await;
        let distinct: BTreeSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{path} repeats nothing");
        assert!(names.len() >= count, "{path}: {names:?}");
        let all = answer(server.request(Method::GET, &at(path)).query(&[("limit", "500")])).await.ok();
        let all: Vec<&str> =
            all[list].as_array().expect("a list").iter().filter_map(|it| it[name].as_str()).collect();
        assert_eq!(names, all, "{path}: in parts as in one");
    }
    server.get(&at("/sessions?cursor=nonsense")).await.refused(400);
    server.get(&at("/sessions?limit=0")).await.refused(400);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_beyond_its_bounds_says_what_was_kept() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[serve]\nimport_bytes = 200000\n");
    let server = Server::start(&cairn);
    let line =
        |i: u32| json!({"id": format!("{i}"), "role": "user", "text": format!("number {i}")}).to_string();
    let lines = (0..5_000).map(line).collect::<Vec<_>>().join("\n");
    assert!(lines.len() > 200_000, "{}", lines.len());
    let refused = answer(server.request(Method::POST, &at("/messages")).body(lines)).await;
    assert!(refused.refused(413).contains("were stored"), "{}", refused.body);
    assert!(refused.body["hint"].as_str().is_some_and(|hint| hint.contains("import_bytes")));
    server.get("/healthz").await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_names_everything_that_is_answered() {
    let cairn = Cairn::new();
    let server = Server::start(&cairn);
    let document: Value = server.get("/openapi.json").await.ok();
    assert_eq!(document["openapi"], "3.1.0");
    for verb in
        ["remember", "recall", "open", "timeline", "why/{ref}", "messages", "memories", "events", "stats"]
    {
        assert!(
            document["paths"].get(at(&format!("/{verb}")).replace("main", "{agent}")).is_some(),
            "{verb}"
        );
    }
}

/// covers: X-B10
#[tokio::test(flavor = "multi_thread")]
async fn a_program_reads_a_digest_and_what_it_stands_on() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done("remember 'I moved to Lisbon in March.' --id m1 --session s");
    cairn.at("2026-11-17T10:00:00Z");
    cairn.done("rhythms run digests");
    let listed = cairn.json("digests");
    let digest = listed["digests"][0]["ref"].as_str().expect("a digest");
    let server = Server::start(&cairn);
    let opened = server.post(&at("/open"), &json!({"refs": [digest]})).await.ok();
    assert_eq!(opened["records"][0], listed["digests"][0]);
    let asked = json!({"query": "What happened in November 2026?", "kinds": ["digest"]});
    let found = server.post(&at("/recall"), &asked).await.ok();
    let hits = found["hits"].as_array().expect("hits");
    assert!(hits.iter().any(|hit| hit["ref"] == digest), "{found}");
    assert!(hits.iter().all(|hit| hit["kind"] == "digest" && hit["source_ids"] == json!(["m1"])), "{found}");
    let beliefs = json!({"query": "Lisbon", "kinds": ["belief"]});
    assert_eq!(server.post(&at("/recall"), &beliefs).await.ok()["empty"]["reason"], "none_of_kind");
    let why = server.get(&at(&format!("/why/{digest}"))).await.ok();
    assert_eq!((&why["ref"], &why["cites"][0]["kind"]), (&json!(digest), &json!("memory")), "{why}");
    let refused = server.post(&at("/feedback"), &json!({"ref": digest, "helpful": true})).await.refused(400);
    assert!(refused.contains("is a digest"), "{refused}");
}
