//! An operator's decisions over HTTP: about beliefs with the sources seen, with a receipt, and back again; about memories that were
//! replaced.

use crate::{
    serve::world::Server,
    support::{
        Cairn,
        erasing::{answered, signed_in},
    },
};
use serde_json::{Value, json};

const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

/// A server with something that is held, asked with an operator's key; and the ref of it.
async fn server(cairn: &Cairn) -> (Server, String) {
    cairn.write("home/config.toml", CONFIG);
    cairn.done("remember 'I live in Oslo.' --id one");
    cairn.done("rhythms run beliefs");
    assert_eq!(signed_in(cairn, "operator init").code, 0);
    let key = answered(cairn, "key add me --operator")["secret"].as_str().expect("a key").to_owned();
    let mut server = Server::start(cairn);
    server.with_key(&key);
    let queue = server.get("/v1/agents/main/review").await.ok();
    assert_eq!(queue["mode"], "observe");
    let waiting = queue["beliefs"].as_array().expect("beliefs");
    let oslo = waiting.iter().find(|it| it["value"] == "oslo").expect("it waits");
    assert_eq!((&oslo["lane"], &oslo["shape"]), (&"candidate".into(), &"single".into()), "{oslo}");
    (server, oslo["ref"].as_str().expect("a ref").to_owned())
}

async fn lane(server: &Server, belief: &str) -> Value {
    server.get(&format!("/v1/agents/main/review/{belief}")).await.ok()["belief"]["lane"].clone()
}

/// covers: W-157, W-158, W-159, W-160, W-161, W-179, C-251
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_decides_over_http_what_was_seen_and_takes_it_back() {
    let cairn = Cairn::new();
    let (server, belief) = server(&cairn).await;
    let path = format!("/v1/agents/main/review/{belief}");
    let page = server.get(&path).await.ok();
    assert_eq!(page["sources"][0]["says"], "I live in Oslo.");
    assert_eq!(page["state"], "source_exact_match");
    let accept =
        |confirm: Value| json!({"decision": "accept_verified", "reason": "told", "confirm": confirm});
    let decide = format!("{path}/decide");
    let refused = server.post(&decide, &accept(Value::Null)).await.refused(400);
    assert!(refused.contains("were seen"), "{refused}");
    let refused = server.post(&decide, &accept("0123".into())).await.refused(409);
    assert!(refused.contains("have changed"), "{refused}");
    assert_eq!(lane(&server, &belief).await, "candidate", "nothing was decided");
    let decided = server.post(&decide, &accept(page["confirms"].clone())).await.ok();
    assert_eq!(lane(&server, &belief).await, "verified");
    let receipt = &decided["receipt"];
    assert!(receipt["actor"].as_str().expect("an actor").starts_with("operator:key_"), "{receipt}");
    let undo = format!("/v1/agents/main/receipts/{}/rollback", receipt["number"]);
    let undone = server.post(&undo, &json!({"reason": "too early"})).await.ok();
    let candidate = undone["belief"].as_str().expect("a ref");
    assert_eq!(lane(&server, candidate).await, "candidate");
    server.post(&undo, &json!({"reason": "twice"})).await.refused(409);
    let verified = cairn.json("verify");
    assert_eq!(verified["ok"], true, "the ledger holds: {verified}");
}

/// covers: C-256, W-150, W-159, I12
#[tokio::test(flavor = "multi_thread")]
async fn what_a_decision_would_change_for_a_model_is_seen_before_it_is_made() {
    let cairn = Cairn::new();
    let (server, belief) = server(&cairn).await;
    let path = format!("/v1/agents/main/review/{belief}");
    let look = async |decision: &str, mode: Value| {
        let asked = json!({"decision": decision, "mode": mode, "query": "where does the user live?"});
        server.post(&format!("{path}/preview"), &asked).await.ok()
    };
    let held = |context: &Value| context["refs"].to_string().contains(&belief);
    let now = look("accept_verified", Value::Null).await;
    assert_eq!((&now["mode"], &now["before"]["text"]), (&"observe".into(), &now["after"]["text"]), "{now}");
    let enforced = look("accept_verified", "enforce".into()).await;
    assert!(!held(&enforced["before"]) && held(&enforced["after"]), "{enforced}");
    let gates = |side: &str| enforced[side]["gate"].clone();
    assert_eq!((&gates("before")["let_through"], &gates("after")["let_through"]), (&0.into(), &1.into()));
    assert_eq!(gates("before")["looked_at"], gates("after")["looked_at"], "every belief is accounted for");
    for decision in ["reject", "defer"] {
        let seen = look(decision, "enforce".into()).await;
        assert_eq!(seen["before"]["text"], seen["after"]["text"], "{decision}");
    }
    let withheld = json!({"decision": "accept_verified", "mode": "enforce", "for": ["recall"]});
    assert!(!held(&server.post(&format!("{path}/preview"), &withheld).await.ok()["after"]));
    assert_eq!(lane(&server, &belief).await, "candidate", "nothing was decided");

    let confirm = server.get(&path).await.ok()["confirms"].clone();
    let accept = json!({"decision": "accept_verified", "reason": "told", "confirm": confirm});
    server.post(&format!("{path}/decide"), &accept).await.ok();
    let gone = look("retract", "enforce".into()).await;
    assert!(held(&gone["before"]) && !held(&gone["after"]), "{gone}");
    server.post(&format!("{path}/preview"), &json!({"decision": "accept_verified"})).await.refused(409);
    server.post(&format!("{path}/preview"), &json!({"decision": "believe"})).await.refused(422);
    server.post(&format!("{path}/preview"), &json!({"decision": "retract", "budget": 1})).await.refused(400);
}

/// covers: W-81, W-82, W-208
#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_is_accepted_over_http_and_taken_back_to_the_byte() {
    let cairn = Cairn::new();
    let (server, _) = server(&cairn).await;
    let proposed = json!({"file": "SOUL.md", "text": "- I never promise a date.", "reason": "asked for it"});
    let proposed = server.post("/v1/agents/main/proposals", &proposed).await.ok();
    let path = format!("/v1/agents/main/proposals/{}", proposed["ref"].as_str().expect("a ref"));
    let file = cairn.path("home/agents/main/identity/SOUL.md");
    let before = std::fs::read(&file).ok();
    let undo = format!("{path}/rollback");
    let refused = server.post(&undo, &json!({"reason": "too early"})).await.refused(409);
    assert!(refused.contains("nothing has been decided"), "{refused}");
    let confirm = server.get(&path).await.ok()["confirms"].clone();
    let accept = json!({"decision": "accept_verified", "reason": "seen", "confirm": confirm});
    let decided = server.post(&format!("{path}/decide"), &accept).await.ok();
    assert_eq!(decided["status"], "accepted");
    let listed = async |which: &str| {
        let queue = server.get(&format!("/v1/agents/main/review{which}")).await.ok();
        queue["proposals"].as_array().expect("proposals").len()
    };
    assert_eq!((listed("").await, listed("?all=true").await), (0, 1), "it waits no longer, and is there");
    assert_ne!(std::fs::read(&file).ok(), before);
    let undone = server.post(&undo, &json!({"reason": "too early"})).await.ok();
    assert_eq!(undone["status"], "rolled_back");
    assert_eq!(std::fs::read(&file).ok(), before, "to the byte");
    server.post(&undo, &json!({"reason": "twice"})).await.refused(409);
}

/// A session of Claude Code in which a command ran.
const WORK: &str = r#"{"type":"user","uuid":"w-1","sessionId":"work","cwd":"/home/mara/tides","timestamp":"2026-11-15T09:00:00Z","message":{"role":"user","content":"List the charts."}}
{"type":"assistant","uuid":"w-2","sessionId":"work","cwd":"/home/mara/tides","timestamp":"2026-11-15T09:00:02Z","message":{"role":"assistant","model":"model-7","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls charts"}}]}}
{"type":"user","uuid":"w-3","sessionId":"work","cwd":"/home/mara/tides","timestamp":"2026-11-15T09:00:04Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"north.csv","is_error":false}]}}
"#;

/// covers: W-92, W-93, W-208
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_decides_over_http_whether_a_shard_may_leave() {
    let cairn = Cairn::new();
    cairn.write("work.jsonl", WORK);
    cairn.write("home/config.toml", CONFIG);
    cairn.done("ingest work.jsonl");
    let (mut server, _) = server(&cairn).await;
    let shards = server.get("/v1/agents/main/research").await.ok();
    let shard = shards["shards"][0]["ref"].as_str().expect("a shard").to_owned();
    let path = format!("/v1/agents/main/research/{shard}/decide");
    server.post(&path, &json!({"decision": "train", "reason": "so"})).await.refused(422);
    let decided = server.post(&path, &json!({"decision": "approve", "reason": "looked through"})).await.ok();
    assert!(decided["receipt"].is_u64() && !decided["boundary"].as_array().expect("sentences").is_empty());
    let shards = server.get("/v1/agents/main/research").await.ok();
    assert_eq!(shards["shards"][0]["class"], "research_export", "{shards}");
    server.post(&path, &json!({"decision": "end", "reason": "changed my mind"})).await.ok();
    let shards = server.get("/v1/agents/main/research").await.ok();
    assert_eq!(shards["shards"][0]["approved"], false, "{shards}");
    assert_eq!(server.get("/v1/agents/main/dynamics").await.ok()["enabled"], true);
    let agents = answered(&cairn, "key add tool --for main")["secret"].as_str().expect("a key").to_owned();
    server.with_key(&agents);
    server.post(&path, &json!({"decision": "approve", "reason": "by myself"})).await.refused(403);
}

/// covers: C-269, W-82
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_reflects_reads_what_repeats_and_proposes_over_http_and_decides_nothing() {
    let cairn = Cairn::new();
    cairn.write("work.jsonl", WORK);
    cairn.write("home/config.toml", CONFIG);
    cairn.done("ingest work.jsonl");
    let (mut server, _) = server(&cairn).await;
    let key = answered(&cairn, "key add tool --for main")["secret"].as_str().expect("a key").to_owned();
    server.with_key(&key);
    let kept =
        server.post("/v1/agents/main/remember", &json!({"text": "The ferry leaves at nine."})).await.ok();
    let memory = kept["decisions"][0]["ref"].as_str().expect("a memory").to_owned();
    let request = json!({"text": "I name times that I have not looked up.", "on": [memory]});
    let thought = server.post("/v1/agents/main/reflections", &request).await.ok();
    let reflection = thought["decisions"][0]["ref"].clone();
    server.post("/v1/agents/main/reflections", &json!({"text": "So it is.", "on": []})).await.refused(400);
    let patterns = server.get("/v1/agents/main/patterns").await.ok();
    let told = patterns["patterns"].as_array().expect("patterns");
    assert!(
        told.iter().any(|one| one["source"] == "reflection" && one["evidence"][0] == reflection),
        "{patterns}"
    );
    let change = json!({"file": "SOUL.md", "text": "- I look a time up before I name it.",
                        "reason": "a pattern", "evidence": [reflection]});
    let proposed = server.post("/v1/agents/main/proposals", &change).await.ok();
    let id = proposed["ref"].as_str().expect("a ref");
    let decide = json!({"decision": "accept_verified", "reason": "so", "confirm": "0"});
    server.post(&format!("/v1/agents/main/proposals/{id}/decide"), &decide).await.refused(403);
}

/// covers: W-150, W-162, I12
#[tokio::test(flavor = "multi_thread")]
async fn an_agents_key_opens_no_belief_that_the_gate_leaves_out() {
    let cairn = Cairn::new();
    let (mut server, belief) = server(&cairn).await;
    let why = format!("/v1/agents/main/why/{belief}");
    server.get(&why).await.ok();
    let key = cairn.json("key add bot")["secret"].as_str().expect("a key").to_owned();
    server.with_key(&key);
    let (open, refs) = ("/v1/agents/main/open", json!({"refs": [belief]}));
    for refused in [server.get(&why).await.refused(403), server.post(open, &refs).await.refused(403)] {
        assert!(refused.contains("agents may not see") && !refused.contains("Oslo"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_decided_is_told() {
    let cairn = Cairn::new();
    let (server, belief) = server(&cairn).await;
    let decide = format!("/v1/agents/main/review/{belief}/decide");
    server.post(&decide, &json!({"decision": "reject", "reason": " "})).await.refused(400);
    server.post(&decide, &json!({"decision": "believe", "reason": "so"})).await.refused(422);
    server.post(&decide, &json!({"decision": "retract", "reason": "so"})).await.refused(409);
    server.get("/v1/agents/main/review/blf_00000000000000000000000000").await.refused(404);
    server.get("/v1/agents/main/review/mem_00000000000000000000000000").await.refused(400);
    server.post("/v1/agents/main/receipts/x/rollback", &json!({"reason": "so"})).await.refused(400);
    server.post("/v1/agents/main/receipts/9999/rollback", &json!({"reason": "so"})).await.refused(409);
    server
        .post("/v1/agents/nobody/review/x/decide", &json!({"decision": "defer", "reason": "so"}))
        .await
        .refused(400);
}

/// An agent's key cannot do it: the memory says from then on that a person wanted it.
///
/// covers: C-23, C-122, X-P10
#[tokio::test(flavor = "multi_thread")]
async fn an_operator_undoes_a_replacement_over_http_and_both_memories_hold() {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    let told = |text: &str| cairn.json(&format!("remember '{text}'"))["decisions"][0].clone();
    let old = told("I live in Oslo.")["ref"].as_str().expect("a memory").to_owned();
    let moved = told("I live in Bergen.");
    assert_eq!((&moved["verdict"], &moved["supersedes"]), (&"supersede".into(), &json!(old)), "{moved}");
    let new = moved["ref"].as_str().expect("a memory");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let [operator, agent] =
        ["me --operator", "bot"].map(|name| answered(&cairn, &format!("key add {name}"))["secret"].clone());
    let mut server = Server::start(&cairn);
    let undo = format!("/v1/agents/main/memories/{old}/undo");
    server.with_key(agent.as_str().expect("a key"));
    server.post(&undo, &json!({})).await.refused(403);
    let held = server.get("/v1/agents/main/memories").await.ok();
    assert_eq!(refs(&held), [new], "nothing was undone");
    server.with_key(operator.as_str().expect("a key"));
    assert_eq!(refs(&server.post(&undo, &json!({})).await.ok()), [old.as_str()]);
    let held = server.get("/v1/agents/main/memories").await.ok();
    assert_eq!(refs(&held).len(), 2, "{held}");
    let why = server.get(&format!("/v1/agents/main/why/{old}")).await.ok();
    assert!(why.to_string().contains("undone: a person says that it still holds"), "{why}");
    server.post(&undo, &json!({})).await.refused(400);
    server
        .post("/v1/agents/main/memories/mem_00000000000000000000000000/undo", &json!({}))
        .await
        .refused(404);
}

fn refs(memories: &Value) -> Vec<&str> {
    let memories = memories["memories"].as_array().expect("memories");
    memories.iter().map(|memory| memory["ref"].as_str().expect("a ref")).collect()
}
