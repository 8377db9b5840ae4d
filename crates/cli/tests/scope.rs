//! A verified belief reaches the project it is about, and is found by its tags.

use crate::support::{
    Cairn,
    erasing::{answered, signed_in},
};
use serde_json::Value;

const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

/// A home in which something about a project and something about the user was verified and is trusted.
fn home() -> (Cairn, Vec<Value>) {
    let cairn = Cairn::new();
    cairn.write("home/config.toml", CONFIG);
    cairn.at("2026-11-01T10:00:00Z");
    cairn.done(
        "remember 'Project Borealis is in active development, targeting a spring launch.' --session s1",
    );
    cairn.done("remember 'I live in Oslo.' --session s2");
    cairn.done("rhythms run beliefs");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let beliefs = cairn.json("beliefs --all")["beliefs"].as_array().expect("beliefs").clone();
    for belief in &beliefs {
        let reference = belief["ref"].as_str().expect("a ref");
        answered(&cairn, &format!("review decide {reference} accept_verified --reason seen"));
    }
    answered(&cairn, "operator apply --mode enforce --reason reviewed --yes");
    (cairn, beliefs)
}

/// covers: W-196
#[test]
fn a_prompt_of_one_project_gets_nothing_held_about_another() {
    let (cairn, beliefs) = home();
    assert!(
        beliefs.iter().any(|it| it["subject_type"] == "project" && it["subject_id"] == "borealis"),
        "{beliefs:?}"
    );
    for (arguments, about_project, left_out) in [
        ("", true, 0),
        (" --thread borealis", true, 0),
        (" --thread atlas", false, 1),
        (" --thread atlas --query 'When does Borealis launch?'", true, 0),
    ] {
        let context = cairn.json(&format!("context{arguments}"));
        let text = context["text"].as_str().expect("a block");
        let held = text.lines().filter(|line| line.contains("% sure"));
        let held: Vec<&str> = held.collect();
        assert!(held.iter().any(|line| line.contains("Oslo")), "{arguments}: {text}");
        assert_eq!(held.iter().any(|line| line.contains("launch")), about_project, "{arguments}: {text}");
        let counted = context["gate"]["left_out"]["out_of_scope"].as_u64().unwrap_or_default();
        assert_eq!(counted, left_out, "{arguments}: {context}");
    }
}

/// covers: K-110
#[test]
fn a_belief_is_found_by_its_tags() {
    let (cairn, beliefs) = home();
    for belief in &beliefs {
        // What it is about is a tag, and stands in no text.
        let key = belief["key"].as_str().expect("a key");
        let tag = key.rsplit(':').next().and_then(|slot| slot.split('.').next()).expect("a facet");
        assert!(!belief["summary"].to_string().to_lowercase().contains(tag), "{belief}");
        let answer = cairn.json(&format!("recall '{tag}' --kind belief"));
        let hits = answer["hits"].as_array().expect("hits");
        assert!(hits.iter().any(|hit| hit["ref"] == belief["ref"]), "{tag}: {answer}");
    }
}
