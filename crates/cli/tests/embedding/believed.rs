//! Beliefs are found by their meaning.

use crate::{
    server::Server,
    support::{
        Cairn,
        erasing::{answered, signed_in},
        refs,
    },
};
use serde_json::Value;

/// A belief that shares no word with a question is found by the memories that it rests on, if they mean what is asked; one
/// that means something else is not.
///
/// covers: K-78, W-162, X-B13
#[test]
fn a_verified_belief_is_found_by_what_it_means() {
    let server = Server::start();
    let cairn = Cairn::new();
    cairn.write(
        "home/config.toml",
        server.config("embedder", "alpha", 64) + "[rhythms]\njitter_seconds = 0\n",
    );
    cairn.at("2026-11-01T10:00:00Z");
    for (id, text) in [("one", "I own a tabby."), ("two", "I work at Bosch."), ("three", "I like jazz.")] {
        cairn.done(&format!("remember '{text}' --id {id} --session {id}"));
    }
    cairn.done("embed");
    cairn.done("rhythms run beliefs");
    assert_eq!(signed_in(&cairn, "operator init").code, 0);
    let beliefs = cairn.json("beliefs");
    let held = |word: &str| {
        let mut found = beliefs["beliefs"].as_array().expect("beliefs").iter();
        let found = found.find(|it| it["summary"].as_str().is_some_and(|says| says.contains(word)));
        found.unwrap_or_else(|| panic!("{word}: {beliefs}"))["ref"].as_str().expect("a ref").to_owned()
    };
    let tabby = held("tabby");
    for id in [&tabby, &held("Bosch")] {
        answered(&cairn, &format!("review decide {id} accept_verified --reason seen"));
    }
    answered(&cairn, "operator apply --mode enforce --reason reviewed --yes");
    let asked = |query: &str| cairn.json(&format!("recall '{query}' --kind belief --explain"));
    let answer = asked("which kitten?");
    assert_eq!(refs(&answer["hits"]), [tabby], "{answer}");
    let hit = &answer["hits"][0];
    assert_eq!(hit["why"]["lanes"]["lexical"], Value::Null, "{hit}");
    assert!(hit["why"].to_string().contains("\"meaning\""), "{hit}");
    let answer = asked("which vessel?");
    assert_eq!(answer["hits"].as_array().map(Vec::len), Some(0), "{answer}");
}
