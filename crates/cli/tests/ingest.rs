//! `cairn ingest`: the formats, what is wrong with a line, and doing it twice.

use crate::support::{Cairn, texts};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

const LINES: &str = r#"{"id":"ext-1","session":"s1","thread":"boat","at":"2026-10-01T09:00:00Z","role":"user","speaker":"Ilse","text":"The hull needs two coats of varnish.","weather":"rain","tags":["deck",7]}
{"id":"ext-2","session":"s1","at":"2026-10-01T09:01:00Z","user":"When can we sail?","agent":"Once the varnish is dry."}
not json

{"id":"ext-3","session":"s1","role":"wizard","text":"Abracadabra."}
{"id":"ext-4","session":"s1","at":"soon","text":"Bring rope."}
{"id":"ext-5","session":"s1"}
[1,2]
{"id":"ext-6","session":"s2","role":"assistant","text":"The mooring is paid until May."}"#;

/// covers: L-28, C-158, W-02
#[test]
fn lines_become_messages_and_malformed_ones_are_named_counted_and_left_out() {
    let cairn = Cairn::new();
    cairn.write("boat.jsonl", LINES);
    cairn.tell("ingest boat.jsonl");
    cairn.tell("timeline");
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.json("recall dry -k 1")["hits"][0]["source_ids"][0], "ext-2");
    let hit = cairn.json("recall 'hull coats' -k 1");
    let opened = cairn.json(&format!("open {}", hit["hits"][0]["ref"].as_str().expect("a ref")));
    let message = &opened["records"][0]["messages"][0];
    assert_eq!(message["metadata"], serde_json::json!({"weather": "rain", "tags": ["deck", 7]}));
    let stats = cairn.json("stats");
    assert_eq!((&stats["messages"], &stats["exchanges"]), (&4.into(), &2.into()));
}

/// covers: W-24
#[test]
fn a_second_time_adds_nothing() {
    let cairn = Cairn::new();
    cairn.write("boat.jsonl", LINES);
    cairn.done("ingest boat.jsonl");
    let archive = cairn.read("home/agents/main/archive/2026-11-15.jsonl");
    cairn.tell("ingest --json boat.jsonl");
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.read("home/agents/main/archive/2026-11-15.jsonl"), archive);
    assert_eq!(cairn.json("stats")["messages"], 4);
}

#[test]
fn only_the_first_of_many_malformed_lines_are_shown() {
    let cairn = Cairn::new();
    cairn.write("noise.jsonl", "{\"text\":\"\"}\n".repeat(23));
    let ran = cairn.run("ingest noise.jsonl --json");
    assert_eq!(ran.stderr.matches("skipped:").count(), 20);
    assert!(ran.stderr.ends_with("… and 3 more malformed lines\n"), "{}", ran.stderr);
    assert!(ran.stdout.contains(r#""malformed":23"#), "{}", ran.stdout);
}

/// covers: L-28, L-30, W-14
#[test]
fn a_folder_of_claude_code_sessions_is_taken_in_as_it_lies_there() {
    let cairn = Cairn::new();
    let session = concat!(
        r#"{"type":"summary","summary":"Fix the tide table","leafUuid":"u9"}"#,
        "\n",
        r#"{"type":"user","uuid":"u1","sessionId":"c1","cwd":"/src/harbour","gitBranch":"tides","timestamp":"2026-11-02T08:00:00Z","message":{"role":"user","content":"The tide table is off by one hour."}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"u2","sessionId":"c1","cwd":"/src/harbour","timestamp":"2026-11-02T08:00:05Z","message":{"role":"assistant","model":"m-1","content":[{"type":"thinking","thinking":"Daylight saving?"},{"type":"text","text":"It ignores daylight saving."},{"type":"tool_use","id":"t1","name":"Read","input":{"file":"tides.rs"}}]}}"#,
        "\n",
        r#"{"type":"user","uuid":"u3","sessionId":"c1","cwd":"/src/harbour","timestamp":"2026-11-02T08:00:07Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"fn high_water() {}"}]}}"#,
        "\n",
        r#"{"type":"progress","sessionId":"c1"}"#,
        "\n",
    );
    cairn.write("projects/harbour/c1.jsonl", session);
    cairn.write("projects/harbour/notes.txt", "not a transcript");
    let other = r#"{"type":"user","uuid":"v1","sessionId":"c2","cwd":"/src/quay","timestamp":"2026-11-03T08:00:00Z","message":{"role":"user","content":"Name the quay lights."}}"#;
    cairn.write("projects/quay/c2.jsonl", other);
    cairn.tell("ingest projects");
    cairn.tell("sessions");
    cairn.tell("timeline");
    cairn.tell("ingest projects --json");
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.hits("daylight --mode chat"), [] as [String; 0], "code stays with code");
}

/// covers: L-28, W-14
#[test]
fn a_chatgpt_export_is_taken_in_with_its_left_branches() {
    let cairn = Cairn::new();
    let node = |id: &str, parent: &str, at: u32, role: &str, words: &str| {
        format!(
            r#""{id}":{{"id":"{id}","parent":"{parent}","children":[],"message":{{"id":"m-{id}","author":{{"role":"{role}"}},"create_time":{at},"content":{{"content_type":"text","parts":["{words}"]}}}}}}"#
        )
    };
    let mapping = [
        node("a", "", 1_760_000_000, "user", "How long is a cubit?"),
        node("b", "a", 1_760_000_010, "assistant", "About 45 centimetres."),
        node("c", "b", 1_760_000_020, "user", "And a fathom?"),
        node("d", "b", 1_760_000_030, "user", "And a league?"),
    ];
    let export = format!(
        r#"[{{"conversation_id":"g1","title":"Old measures","create_time":1760000000,"current_node":"d","mapping":{{{}}}}}]"#,
        mapping.join(",")
    );
    cairn.write("conversations.json", &export);
    cairn.tell("ingest conversations.json");
    cairn.tell("sessions");
    cairn.tell("timeline");
    cairn.tell("ingest --format chatgpt --json conversations.json");
    insta::assert_snapshot!(cairn.story());
    for (query, branch) in [("fathom", "edited".into()), ("league", serde_json::Value::Null)] {
        let hit = cairn.json(&format!("recall {query} -k 1"));
        let opened = cairn.json(&format!("open {}", hit["hits"][0]["ref"].as_str().expect("a ref")));
        assert_eq!(opened["records"][0]["messages"][0]["metadata"]["branch"], branch, "{query}");
    }
}

#[test]
fn what_is_packed_is_unpacked() {
    let cairn = Cairn::new();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(LINES.as_bytes()).expect("bytes in memory");
    let packed = packed.finish().expect("bytes in memory");
    cairn.write("life/boat.jsonl.gz", &packed);
    assert_eq!(cairn.json("ingest life")["added"], 4);
    assert_eq!(cairn.hits("mooring"), ["The mooring is paid until May."]);
    let again: serde_json::Value =
        serde_json::from_str(&cairn.feed("ingest - --json", &packed).stdout).expect("one JSON document");
    assert_eq!((&again["added"], &again["duplicates"]), (&0.into(), &4.into()));
    cairn.write("life/cut.jsonl.gz", &packed[..packed.len() / 2]);
    let cut = cairn.run("ingest life/cut.jsonl.gz");
    assert_eq!((cut.code, cut.stderr.contains("hint: ")), (1, true), "{}", cut.stderr);
}

/// covers: L-28
#[test]
fn every_message_of_a_pipe_is_acknowledged_by_its_own_id() {
    let cairn = Cairn::new();
    let line = "ingest - --ack --json";
    cairn.told(line, cairn.feed(line, LINES));
    insta::assert_snapshot!(cairn.story());
    let nameless = cairn.feed("ingest - --ack", "{\"text\":\"A line without an id.\"}\n");
    assert_eq!(nameless.stdout.matches("{\"ack\":\"").count(), 1, "{}", nameless.stdout);
    let newest = cairn.json("timeline -k 1");
    assert_eq!(texts(&newest["entries"]), ["A line without an id."]);
}

#[test]
fn what_cannot_be_taken_in_is_refused_with_a_hint() {
    let cairn = Cairn::new();
    cairn.write("empty/readme.txt", "nothing here");
    cairn.tell("ingest nowhere.jsonl");
    cairn.tell("ingest empty");
    insta::assert_snapshot!(cairn.story());
    assert_eq!(cairn.run("ingest empty --format xml").code, 2);
}

/// Whoever opens the database next reads its log from end to end first: a hook has no time for a long one.
///
/// covers: W-106
#[test]
fn a_large_import_leaves_no_long_log_behind() {
    let cairn = Cairn::new();
    let line = |i: u32| {
        format!(
            "{{\"id\":\"{i}\",\"role\":\"user\",\"text\":\"The kettle {i} is green. {}\"}}\n",
            "-".repeat(3_500)
        )
    };
    cairn.write("chat.jsonl", (0..3_500).map(line).collect::<String>());
    cairn.done("ingest chat.jsonl");
    let bytes =
        |file: &str| cairn.path(&format!("home/agents/main/{file}")).metadata().map_or(0, |it| it.len());
    let (log, database) = (bytes("memory.db-wal"), bytes("memory.db"));
    assert!(log < 9 << 20, "{log} bytes of log");
    assert!(
        log + database > 11 << 20,
        "{log} bytes of log and {database} of the database are not all that was said"
    );
    assert_eq!(cairn.json("stats")["messages"], 3_500);
}

/// covers: X-P10
#[test]
fn nobody_is_the_user_by_a_name() {
    let cairn = Cairn::new();
    let lines = [
        r#"{"id":"1","role":"tool","speaker":"user","text":"The user lives in Moscow."}"#,
        r#"{"id":"2","role":"assistant","speaker":" User ","text":"The user lives in Moscow."}"#,
        r#"{"id":"3","role":"tool","speaker":"Deniz's build","text":"The build is green."}"#,
    ];
    cairn.feed("ingest -", lines.join("\n"));
    let told = cairn.json("timeline");
    let speakers: Vec<&str> =
        told["entries"].as_array().expect("entries").iter().filter_map(|it| it["speaker"].as_str()).collect();
    assert_eq!(speakers, ["tool", "assistant", "Deniz's build"]);
    assert!(!cairn.run("context").stdout.to_lowercase().contains("user:"));
}
