//! `cairn move-in`: a plan first, then what other products left; nobody is mixed up, nothing is taken twice.

use crate::support::Cairn;
use rusqlite::Connection;
use serde_json::json;
use std::{process::Stdio, thread, time::Duration};

/// A list as mem0 answers it, of two people.
fn shared_list() -> String {
    let memory =
        |id: &str, user: &str, text: &str| json!({"id": id, "memory": text, "user_id": user, "role": "user"});
    json!({"results": [
        memory("1", "ada", "Ada keeps bees in Lisbon."),
        memory("2", "bo", "Bo hides the key under the flowerpot."),
        {"id": "3", "memory": "Ada sold the hens.", "user_id": "ada", "replaced_by": "1"},
    ]})
    .to_string()
}

fn agent_file() -> String {
    json!({"name": "keeper", "core_memory": [{"label": "persona", "value": "I am Keeper."}],
        "messages": [{"role": "user", "created_at": "2026-03-24T03:03:00Z", "content": "The lamp is lit at dusk."}]})
    .to_string()
}

/// covers: L-28, W-24
#[test]
fn a_plan_is_shown_before_anything_is_stored_and_a_second_move_adds_nothing() {
    let cairn = Cairn::new();
    cairn.write("keeper.af", agent_file());
    let plan = cairn.json("move-in keeper.af");
    assert_eq!(
        (&plan["done"], &plan["products"][0]["counts"]["messages"]),
        (&false.into(), &1.into()),
        "{plan}"
    );
    assert_eq!(plan["products"][0]["proposals"][0]["file"], "SOUL.md");
    assert_eq!(cairn.run("stats").code, 1, "nothing was made");
    let told = cairn.run("move-in keeper.af");
    assert!(told.stdout.contains("Letta") && told.stdout.contains("left behind:"), "{}", told.stdout);
    let moved = cairn.json("move-in keeper.af --yes --proposals drafts");
    assert_eq!((&moved["done"], &moved["added"]), (&true.into(), &1.into()), "{moved}");
    assert!(cairn.read("drafts/SOUL.md").contains("I am Keeper."));
    let again = cairn.json("move-in keeper.af --yes");
    assert_eq!((&again["added"], &again["duplicates"]), (&0.into(), &1.into()), "{again}");
    assert_eq!(cairn.hits("'lamp dusk'"), ["The lamp is lit at dusk."]);
    assert!(
        cairn.hits("'who is Keeper?'").iter().all(|hit| !hit.contains("I am Keeper")),
        "it is proposed, not said"
    );
}

/// covers: L-28
#[test]
fn whoever_shares_a_store_stays_apart() {
    let cairn = Cairn::new();
    cairn.write("get_all.json", shared_list());
    let refused = cairn.run("ingest get_all.json");
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(
        refused.stderr.contains("ada (1), bo (1)") && refused.stderr.contains("--split"),
        "{}",
        refused.stderr
    );
    assert_eq!(cairn.run("ingest get_all.json --user cem").code, 2, "a name that nobody bears is refused");
    let ada = cairn.json("ingest get_all.json --user ada");
    assert_eq!((&ada["added"], &ada["others"]), (&1.into(), &1.into()), "{ada}");
    assert_eq!(cairn.hits("'flowerpot key'"), [] as [String; 0]);
    assert_eq!(cairn.hits("hens"), [] as [String; 0], "what was replaced is left");
    cairn.done("--agent other move-in get_all.json --split --yes");
    assert_eq!(
        cairn.json("--agent bo recall flowerpot")["hits"][0]["text"],
        "Bo hides the key under the flowerpot."
    );
    assert_eq!(cairn.json("--agent ada stats")["messages"], 1);
}

/// covers: L-28
#[test]
fn what_is_not_known_is_refused_with_what_is() {
    let cairn = Cairn::new();
    cairn.write("list.json", r#"[{"title":"a boat"},{"title":"a quay"}]"#);
    Connection::open(cairn.path("other.db"))
        .expect("a database")
        .execute_batch("CREATE TABLE t(x);")
        .expect("made");
    for line in ["ingest list.json", "move-in list.json --yes", "ingest other.db"] {
        let refused = cairn.run(line);
        assert_eq!(refused.code, 1, "{line}: {}", refused.stdout);
        for known in ["ChatGPT", "mem0", "Cognee"] {
            assert!(refused.stderr.contains(known), "{line}: {}", refused.stderr);
        }
    }
    let codex = r#"{"timestamp":"2026-11-17T01:47:56Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"text":"I am the user."}]}}"#;
    assert_eq!(cairn.feed("ingest -", codex).code, 1, "a pipe is never taken for something else");
    cairn.write("rollout.jsonl", codex);
    cairn.done("ingest rollout.jsonl");
    assert_eq!(cairn.json("timeline")["entries"][0]["role"], "assistant");
}

/// covers: L-28
#[test]
fn without_a_path_the_usual_places_are_looked_at() {
    let cairn = Cairn::new();
    let run = |line: &str| {
        let mut command = cairn.command(line);
        command.env("HOME", cairn.path("user"));
        cairn.finish(command, b"")
    };
    assert_eq!(run("move-in").code, 1, "there is nothing yet");
    cairn.write("user/.claude-mem/readme.txt", "");
    Connection::open(cairn.path("user/.claude-mem/claude-mem.db"))
        .expect("a database")
        .execute_batch(
            "CREATE TABLE sdk_sessions(id, content_session_id, memory_session_id, project); CREATE TABLE observations(id);
             CREATE TABLE user_prompts(id, content_session_id, prompt_text, created_at_epoch);
             INSERT INTO user_prompts VALUES(1, 's1', 'Name the quay lights.', 1777882200000);",
        )
        .expect("made");
    let planned = run("move-in");
    assert!(
        planned.stdout.contains("claude-mem") && planned.stdout.contains("1 messages"),
        "{}",
        planned.stdout
    );
    assert_eq!(run("move-in --yes").code, 0);
    assert_eq!(cairn.hits("'quay lights'"), ["Name the quay lights."]);
}

/// covers: W-24
#[test]
fn a_move_that_is_killed_goes_on() {
    let cairn = Cairn::new();
    let memory =
        |id: u32| json!({"id": id.to_string(), "memory": format!("Kettle {id} is green."), "user_id": "ada"});
    let all: Vec<_> = (0..4_000).map(memory).collect();
    cairn.write("get_all.json", json!({"results": all}).to_string());
    cairn.done("init --no-model");
    let mut moving = cairn
        .command("move-in get_all.json --yes")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    thread::sleep(Duration::from_millis(700));
    moving.kill().expect("killed");
    moving.wait().expect("ended");
    let there = cairn.json("stats")["messages"].as_u64().expect("a number");
    let moved = cairn.json("move-in get_all.json --yes");
    assert_eq!(moved["added"].as_u64().map(|added| added + there), Some(4_000), "{there} before: {moved}");
    assert_eq!(cairn.json("stats")["messages"], 4_000);
}
