//! Where a memory leads, where its parts come from, and which thread or agent it belongs to, seen through the binary.

use crate::support::{Cairn, texts};
use serde_json::Value;

fn memory_with(cairn: &Cairn, words: &str) -> String {
    let listed = cairn.json("memories list --all");
    let all = listed["memories"].as_array().expect("memories");
    let found = all.iter().find(|it| it["text"].as_str().is_some_and(|text| text.contains(words)));
    found.unwrap_or_else(|| panic!("no “{words}” in {listed}"))["ref"].as_str().expect("a ref").to_owned()
}

/// covers: C-115, W-22
#[test]
fn a_memory_leads_to_others_over_relations_and_ways_that_led_somewhere_come_first() {
    let cairn = Cairn::new();
    cairn.done("remember 'The Postgres server in Porto crashed because of a full disk.' --session a");
    cairn.done("remember 'We moved the PostgreSQL server in Porto to a larger disk.' --session b");
    cairn.done("remember 'My sister Zoe lives in Porto with two cats.' --session c");
    let first = memory_with(&cairn, "crashed");
    let reached = cairn.json(&format!("memories related {first} --hops 1"));
    let near = reached["reached"].as_array().expect("memories");
    assert!(!near.is_empty() && near.iter().all(|it| it["hops"] == 1), "{reached}");
    assert!(near.iter().all(|it| it["way_yield"].is_null()), "no way was gone before: {reached}");
    let again = cairn.json(&format!("memories related {first} --hops 1"));
    assert_eq!(again["reached"][0]["way_yield"], 1.0, "{again}");
    let kind = near[0]["way"].as_str().expect("a way").to_owned();
    for (relation, expected) in [(kind.as_str(), near.len()), ("contradicts", 0)] {
        let some = cairn.json(&format!("memories related {first} --hops 1 --relation {relation}"));
        let some = some["reached"].as_array().expect("memories");
        let of_kind = some.iter().filter(|it| it["way"] == kind.as_str()).count();
        assert_eq!(of_kind, some.len(), "{some:?}");
        assert!(expected == 0 || !some.is_empty(), "{some:?}");
        assert!(expected > 0 || some.is_empty(), "{some:?}");
    }
    let refused = cairn.run(&format!("memories related {first} --relation friendship"));
    assert!(refused.code != 0 && refused.stderr.contains("friendship"), "{}", refused.stderr);
}

#[test]
fn why_tells_who_found_a_relation_and_which_message_a_statement_was_read_in() {
    let cairn = Cairn::new();
    let said = cairn.json("remember 'I work at Siemens in Berlin.' --session a");
    let changed = cairn.at("2026-11-16T10:00:00Z").json("remember 'I work at Bosch now.' --session b");
    let memory = changed["decisions"][0]["ref"].as_str().expect("a ref");
    let why = cairn.json(&format!("why {memory}"));
    let supersedes: Vec<&Value> = why["relations"].as_array().expect("relations").iter().collect();
    assert!(supersedes.iter().any(|it| it["kind"] == "supersedes" && it["made_by"] == "gate"), "{why}");
    assert!(!why["statements"].as_array().expect("statements").is_empty(), "{why}");
    assert!(
        why["statements"].as_array().expect("some").iter().all(|it| it["message"] == changed["message"]),
        "{why}"
    );
    assert_ne!(said["message"], changed["message"]);
}

/// covers: W-66
#[test]
fn knowledge_belongs_to_the_thread_it_is_read_for() {
    let cairn = Cairn::new();
    cairn.write("atlas.md", "The staging server of the harbor desk is called Skagen.\n");
    cairn.done(&format!("ingest {} --knowledge --thread atlas", cairn.path("atlas.md").display()));
    let listed = cairn.json("memories list");
    assert_eq!(listed["memories"][0]["thread"], "atlas", "{listed}");
    let here = cairn.json("context --thread atlas --budget 800");
    assert!(here.to_string().contains("Skagen"), "{here}");
    let elsewhere = cairn.json("context --thread borealis --budget 800");
    assert!(!elsewhere.to_string().contains("Skagen"), "of another project nothing comes: {elsewhere}");
}

/// covers: C-164, C-241
#[test]
fn what_another_agent_has_learned_is_kept_as_hearsay() {
    let cairn = Cairn::new();
    let line =
        r#"{"text":"The harbor office in Porto closes at noon on Fridays.","data_source":"federation"}"#;
    assert_eq!(cairn.feed("ingest - --feed", line).code, 0);
    cairn.done("form");
    let listed = cairn.json("memories list");
    assert_eq!(listed["memories"][0]["data_source"], "federation", "{listed}");
    let hits = cairn
        .json("recall 'When does the harbor office in Porto close?' --kind memory --profile seed --explain");
    assert!(texts(&hits["hits"]).iter().any(|text| text.contains("noon")), "{hits}");
    let boosts = &hits["hits"][0]["why"]["boosts"];
    assert!(boosts["sub_tier"].as_f64().is_some_and(|adds| adds < 0.0), "hearsay counts nine tenths: {hits}");
}
