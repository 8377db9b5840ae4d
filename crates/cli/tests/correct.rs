//! `cairn correct` and `cairn feedback`: the user's own word, and what was of use.

use crate::support::Cairn;

/// covers: X-P10, C-98
#[test]
fn a_wrong_memory_is_corrected_and_a_useful_one_is_praised() {
    let cairn = Cairn::new();
    let first = cairn.json("remember 'I live in Lisbon.' --session a");
    let wrong = first["decisions"][0]["ref"].as_str().expect("a ref").to_owned();
    cairn.at("2026-11-16T10:00:00Z");
    let done = cairn.json(&format!("correct {wrong} 'I live in Porto.'"));
    assert_eq!(done["decisions"][0]["verdict"], "supersede", "{done}");
    assert_eq!(done["decisions"][0]["supersedes"].as_str(), Some(wrong.as_str()));
    let right = done["decisions"][0]["ref"].as_str().expect("a ref").to_owned();
    // A day later the same words are the same correction.
    cairn.at("2026-11-17T10:00:00Z");
    let again = cairn.json(&format!("correct {wrong} 'I live in Porto.'"));
    assert_eq!((&again["duplicate"], &again["decisions"]), (&true.into(), &done["decisions"]));
    let shown = cairn.json(&format!("memories show {right}"));
    assert_eq!(shown["memory"]["data_source"], "user_message");
    assert_eq!(shown["evidence"][0]["excerpt"], "I live in Porto.");
    let praised = cairn.json(&format!("feedback {right} helpful"));
    assert_eq!(praised["memories"][0]["utility"], 0.55);
    cairn.tell(&format!("correct {wrong} 'I live in Porto.'"));
    cairn.tell(&format!("feedback {right} unhelpful"));
    cairn.tell(&format!("feedback {wrong} helpful"));
    cairn.tell(&format!("correct {wrong} 'I live in Faro.'"));
    cairn.tell(&format!("memories pin {right}"));
    cairn.tell(&format!("correct {right} 'I live in Faro.'"));
    cairn.tell("correct mem_00000000000000000000000000 'I live in Faro.'");
    cairn.tell("correct nonsense 'I live in Faro.'");
    cairn.tell(&format!("feedback {right} splendid"));
    insta::assert_snapshot!(cairn.story());
}
