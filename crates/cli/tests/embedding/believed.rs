//! Beliefs are found by their meaning.

use crate::{
    embedding::server::Server,
    support::{
        Cairn,
        erasing::{answered, signed_in},
        refs,
    },
};
use serde_json::Value;

/// A home that was told three things, each in a session of its own, and has their vectors.
fn told_three_things(server: &Server) -> Cairn {
    let cairn = Cairn::new();
    let config = server.config("embedder", "alpha", 64) + "[rhythms]\njitter_seconds = 0\n";
    cairn.write("home/config.toml", config);
    cairn.at("2026-11-01T10:00:00Z");
    for (id, text) in [("one", "I own a tabby."), ("two", "I work at Bosch."), ("three", "I like jazz.")] {
        cairn.done(&format!("remember '{text}' --id {id} --session {id}"));
    }
    cairn.done("embed");
    cairn
}

/// A belief that shares no word with a question is found by the memories that it rests on, if they mean what is asked; one
/// that means something else is not.
///
/// covers: K-78, K-103, W-162, X-B13, X-B3
#[test]
fn a_verified_belief_is_found_by_what_it_means() {
    let server = Server::start();
    let cairn = told_three_things(&server);
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
    assert_eq!(hit["why"]["lanes"]["dense"], Value::Null, "it has no vector yet: {hit}");
    cairn.done("embed");
    let embedded = asked("which kitten?");
    assert_eq!(refs(&embedded["hits"]), refs(&answer["hits"]), "{embedded}");
    assert_eq!(embedded["hits"][0]["why"]["lanes"]["dense"]["rank"], 1, "{embedded}");
    let answer = asked("which vessel?");
    assert_eq!(answer["hits"].as_array().map(Vec::len), Some(0), "{answer}");
}

/// A digest has a vector of its own beside those of what it stands on.
///
/// covers: W-12, X-B3
#[test]
fn a_digest_is_compared_by_its_own_meaning() {
    let server = Server::start();
    let cairn = told_three_things(&server);
    cairn.at("2026-11-03T10:00:00Z");
    cairn.done("rhythms run digests");
    let asked = || cairn.json("recall 'which kitten?' --kind digest --explain");
    let before = asked();
    assert_eq!(before["hits"][0]["why"]["lanes"]["dense"], Value::Null, "{before}");
    cairn.done("embed");
    let after = asked();
    assert_eq!(after["hits"][0]["why"]["lanes"]["dense"]["rank"], 1, "{after}");
    let score = |answer: &Value| answer["hits"][0]["score"].as_f64().expect("a score");
    assert!(score(&after) >= score(&before), "{before} {after}");
}
