//! `dream`, `consolidate`, `digests`, `rhythms` and `simulate`, as people and programs use them.

use crate::support::Cairn;

const KEYWORDS_ONLY: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

fn home() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", KEYWORDS_ONLY);
    for (id, text) in [
        ("m1", "I live in Lisbon."),
        ("m2", "My sister Ana works at Bosch in Berlin."),
        ("m3", "I prefer tea over coffee."),
    ] {
        cairn.done(&format!("remember '{text}' --id {id} --session s"));
    }
    cairn
}

/// covers: C-267
#[test]
fn a_dream_can_be_tried_had_and_explained() {
    let cairn = home();
    cairn.at("2027-02-15T10:00:00Z");
    let tried = cairn.json("dream --dry-run");
    assert_eq!((&tried["dry_run"], &tried["outcome"]), (&true.into(), &"done".into()), "{tried}");
    let dreamed = cairn.json("dream");
    assert_eq!(dreamed["steps"].as_array().map(Vec::len), Some(12));
    let told = |value: &serde_json::Value| -> Vec<(String, String)> {
        let changes = value["changes"].as_array().expect("changes").iter();
        changes.map(|one| (one["ref"].to_string(), format!("{}{}", one["was"], one["becomes"]))).collect()
    };
    assert_eq!(told(&tried), told(&dreamed), "a dry run tells what a dream then does");
    let memory = dreamed["changes"][0]["ref"].as_str().expect("something was rehearsed").to_owned();
    let explained = cairn.json(&format!("dream --explain {memory}"));
    assert_eq!(explained["changes"][0]["step"], "rehearsal", "{explained}");
    let again = cairn.json("dream");
    assert_eq!(again["changes"].as_array().map(Vec::len), Some(0), "{again}");
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: L-17, L-18
#[test]
fn rhythms_are_listed_run_when_due_and_rest() {
    let cairn = home();
    let listed = cairn.json("rhythms");
    let names: Vec<&str> = listed["rhythms"]
        .as_array()
        .expect("rhythms")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    for name in ["intake", "consolidation:short-term", "dream", "rehearsal", "digests"] {
        assert!(names.contains(&name), "{names:?}");
    }
    cairn.at("2026-11-17T10:00:00Z");
    let overdue = cairn.json("rhythms");
    let dream = overdue["rhythms"].as_array().expect("rhythms").iter().find(|one| one["name"] == "dream");
    assert!(dream.expect("a dream")["stuck"].to_string().contains("rhythms run --due"), "{overdue}");
    cairn.done("rhythms pause dream");
    let ran = cairn.json("rhythms run --due");
    let ran: Vec<&str> =
        ran["runs"].as_array().expect("runs").iter().filter_map(|one| one["rhythm"].as_str()).collect();
    assert!(ran.contains(&"digests") && !ran.contains(&"dream"), "{ran:?}");
    assert_eq!(cairn.json("rhythms run --due")["runs"].as_array().map(Vec::len), Some(0));
    cairn.done("rhythms resume dream");
    assert_eq!(cairn.json("rhythms run --due")["runs"][0]["rhythm"], "dream");
    let unknown = cairn.tell("rhythms run naps");
    assert!(unknown.code != 0 && unknown.stderr.contains("hint:"), "{}", unknown.stderr);
    cairn.done("consolidate");
    let days = cairn.json("digests day");
    assert!(days["digests"][0]["text"].as_str().is_some_and(|text| text.contains("Lisbon")), "{days}");
    assert!(days["digests"][0]["sources"][0].as_str().is_some_and(|source| source.starts_with("mem_")));
}

/// A digest is opened and explained, and is nothing that can be corrected, praised or erased by itself.
///
/// covers: X-B10
#[test]
fn a_digest_is_opened_and_explained_and_stands_on_what_was_remembered() {
    let cairn = home();
    cairn.at("2026-12-17T10:00:00Z");
    cairn.done("rhythms run digests");
    let named = |kind: &str| {
        let listed = cairn.json(&format!("digests {kind}"));
        listed["digests"][0]["ref"].as_str().expect("a digest").to_owned()
    };
    let (day, week) = (named("day"), named("week"));
    let opened = cairn.json(&format!("open {day} {}", &week[..12]));
    assert!(opened["records"][0]["text"].as_str().is_some_and(|text| text.contains("Lisbon")), "{opened}");
    assert_eq!(
        (&opened["records"][0]["kind"], &opened["records"][1]["kind"]),
        (&"day".into(), &"week".into())
    );
    assert!(cairn.done(&format!("open {day}")).stdout.contains("day of everything"));
    let why = cairn.json(&format!("why {day}"));
    assert_eq!((&why["ref"], &why["digest"]["version"]), (&day.as_str().into(), &1.into()), "{why}");
    let cites = why["cites"].as_array().expect("what it stands on");
    assert!(cites.iter().all(|one| one["kind"] == "memory" && one["text"].is_string()), "{why}");
    assert_eq!(cairn.json(&format!("why {week}"))["cites"][0]["ref"], day.as_str());
    let told = cairn.done(&format!("why {day}")).stdout;
    assert!(told.contains("sources") && told.contains("written by rules"), "{told}");
    for line in [
        format!("correct {day} 'I live in Porto.'"),
        format!("feedback {day} helpful"),
        format!("erase {day}"),
        format!("timeline {day}"),
    ] {
        let refused = cairn.tell(&line);
        assert!(
            refused.code != 0 && refused.stderr.contains(&format!("cairn why {day}")),
            "{}",
            refused.stderr
        );
    }
    let nothing = cairn.tell("open dig_00000000000000000000000000");
    assert!(nothing.code != 0 && nothing.stderr.contains("hint:"), "{}", nothing.stderr);
}

/// covers: C-267
#[test]
fn a_life_can_be_simulated_and_looked_at_with_and_without_dreams() {
    let cairn = home();
    let lived = cairn.json("simulate --days 12 --exchanges 6 --seed 3 --compare --report life.html");
    assert_eq!(lived["messages"], 144);
    assert_eq!(lived["samples"].as_array().map(Vec::len), Some(12));
    assert_eq!(lived["broken"].as_array().map(Vec::len), Some(0), "{lived}");
    assert_eq!(lived["without_rhythms"]["steps"].as_object().map(serde_json::Map::len), Some(0));
    for life in [&lived, &lived["without_rhythms"]] {
        assert_eq!(life["replaced"]["given"], 0, "what was replaced is not given as if it held: {life}");
        assert_eq!(life["often"]["found"], life["often"]["facts"], "what was used often is found: {life}");
    }
    let page = cairn.read("life.html");
    assert!(page.contains("<svg") && page.contains("Active memories by retention"));
    assert!(page.contains("<th>without</th>"), "what dreaming costs and brings is shown");
    assert_eq!(cairn.json("stats")["messages"], 3, "the agent itself lived nothing of it");
}

/// covers: C-268
#[test]
fn compacting_lets_what_stands_twice_rest_and_gives_room_back() {
    let cairn = home();
    let tried = cairn.json("compact --dry-run");
    let compacted = cairn.json("compact");
    assert_eq!(tried["run"]["changes"], compacted["run"]["changes"]);
    let number = |name: &str| compacted[name].as_u64().expect("a number");
    assert!(number("bytes_after") > 0 && number("bytes_after") < number("bytes_before"), "{compacted}");
    assert_eq!(number("bytes_reclaimed"), number("bytes_before") - number("bytes_after"));
    let again = cairn.json("compact");
    assert_eq!(again["run"]["changes"].as_array().map(Vec::len), Some(0));
    assert_eq!(cairn.json("verify")["ok"], true);
    assert!(cairn.json("recall Lisbon")["hits"][0]["text"].to_string().contains("Lisbon"));
    cairn.done("compact");
}
