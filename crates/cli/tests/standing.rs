//! `cairn standing`: where the user stands, what moved it, and how it is switched off and erased.

use crate::support::{
    Cairn,
    erasing::{answered, signed_in},
};
use serde_json::{Value, json};

const PLAIN: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

fn say(cairn: &Cairn, id: &str, role: &str, text: &str) {
    let line = json!({"id": id, "session": "s", "role": role, "text": text}).to_string();
    let ran = cairn.feed("ingest -", line);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    cairn.done("form");
}

fn told() -> Cairn {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", PLAIN);
    cairn.at("2026-11-14T10:00:00Z");
    say(&cairn, "m1", "user", "I was wrong about the port.");
    say(&cairn, "m2", "assistant", "You are such an idiot.");
    cairn.at("2026-11-14T10:05:00Z");
    say(&cairn, "m3", "user", "Here is the draft, as promised.");
    cairn
}

fn score(standing: &Value, dimension: &str) -> f64 {
    let lines = standing["dimensions"].as_array().expect("dimensions");
    let line = lines.iter().find(|line| line["dimension"] == dimension).expect("a dimension");
    line["score"].as_f64().expect("a score")
}

fn is_near(score: f64, expected: f64) -> bool {
    (score - expected).abs() < 1e-9
}

/// covers: W-37, W-123, W-131, W-132, W-133, W-134, W-135, W-136, W-138, W-139, X-W12, X-W13
#[test]
fn a_score_moves_at_once_and_says_why() {
    let cairn = told();
    let standing = cairn.json("standing");
    assert!(is_near(score(&standing, "courage_self"), 5.17), "{standing}");
    assert!(is_near(score(&standing, "word"), 5.16), "{standing}");
    assert!(is_near(score(&standing, "brand"), 5.0), "what an agent says moves nothing: {standing}");
    let trail = standing["trail"].as_array().expect("a trail");
    assert_eq!(trail.len(), 2, "{standing}");
    assert_eq!((&trail[0]["pattern"], &trail[0]["direction"]), (&json!("keeps_word"), &json!("++")));
    let context = cairn.done("context").stdout;
    assert!(context.contains("[WHERE THEY STAND — YOUR ASSESSMENT]"), "{context}");
    assert!(context.contains("admits_mistake") && context.contains("keeps_word"), "{context}");
    assert!(cairn.done("standing").stdout.contains("admits_mistake"));
}

/// covers: W-132, W-138, X-W13
#[test]
fn words_about_work_and_words_of_others_move_no_score_and_a_context_tells_its_scale() {
    let cairn = told();
    let before = cairn.json("standing")["trail"].clone();
    for (id, text) in [
        ("w1", "Make it look like the mockup."),
        ("w2", "She said shut up to her brother."),
        ("w3", "Fake the data in the unit test fixture."),
        ("w4", "It was my fault-tolerant design."),
    ] {
        say(&cairn, id, "user", text);
    }
    assert_eq!(cairn.json("standing")["trail"], before);
    let context = cairn.done("context").stdout;
    assert!(
        context.contains("courage_self 5.2 of 10 (rising)")
            || context.contains("courage_self 5.2 of 10 (steady)"),
        "{context}"
    );
}

/// covers: W-137
#[test]
fn a_finished_day_is_weighed_once_as_a_whole() {
    let cairn = told();
    say(&cairn, "m4", "user", "I made a mistake in the invoice.");
    cairn.done("rhythms run standing");
    let days = |cairn: &Cairn| cairn.json("standing")["dimensions"][1]["days"].clone();
    assert_eq!(days(&cairn), json!([]), "today is not over");
    cairn.at("2026-11-15T05:00:00Z");
    for _ in 0..2 {
        cairn.done("rhythms run standing");
        let days = days(&cairn);
        assert_eq!(days.as_array().map(Vec::len), Some(1), "{days}");
        // The second mistake of a day counts half.
        assert!(is_near(days[0]["change"].as_f64().expect("a change"), 0.17 * 1.5), "{days}");
        assert_eq!(days[0]["reason"], "admits_mistake +0.26", "{days}");
    }
    let standing = cairn.json("standing");
    assert!(is_near(score(&standing, "courage_self"), 5.0 + 0.17 * 1.5), "{standing}");
    assert_eq!(standing["dimensions"][1]["trajectory"], "rising", "{standing}");
}

/// covers: W-139
#[test]
fn switched_off_nothing_is_noted_and_erased_nothing_is_left() {
    let cairn = told();
    cairn.at("2026-11-15T05:00:00Z");
    cairn.done("rhythms run standing");
    let refused = cairn.run("standing --erase");
    assert!(refused.code != 0 && refused.stderr.contains("--yes"), "{}", refused.stderr);
    let made = signed_in(&cairn, "operator init");
    assert_eq!(made.code, 0, "{}", made.stderr);
    answered(&cairn, "erase --all --yes --reason 'not wanted'");
    let standing = cairn.json("standing");
    assert!(is_near(score(&standing, "courage_self"), 5.0) && standing["trail"] == json!([]), "{standing}");

    say(&cairn, "n1", "user", "I stand corrected about the tide.");
    assert_eq!(cairn.json("standing")["trail"].as_array().map(Vec::len), Some(1));
    let erased = answered(&cairn, "standing --erase --yes --reason 'not wanted'");
    assert_eq!(erased["erased"], 1, "{erased}");
    assert_eq!(cairn.json("standing")["trail"], json!([]));
    for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let _ = std::fs::remove_file(cairn.path("home/agents/main").join(name));
    }
    cairn.done("rebuild");
    assert_eq!(cairn.json("standing")["trail"], json!([]), "rebuilding brings it back");
    assert!(!cairn.done("context").stdout.contains("WHERE THEY STAND"));
    cairn.write("home/config.toml", format!("{PLAIN}[standing]\nenabled = false\n"));
    say(&cairn, "n2", "user", "I was wrong about the harbor.");
    assert_eq!(cairn.json("standing")["trail"], json!([]));
}
