//! Vectors are made behind the write: by whoever waits for them, and by whoever comes next.

use crate::embedding::world::{World, hits, ids, parsed, say, succeeded};
use serde_json::Value;

const QUESTION: &str = r#"{"id": 1, "query": "which pet lives with me?"}"#;

fn tabby() -> Value {
    say("tabby", "home", "user", "I finally adopted a tabby from the shelter.")
}

/// covers: X-W21
#[test]
fn ingest_returns_when_all_is_durable_and_with_wait_when_all_is_embedded() {
    let Some(world) = World::with_model() else { return };
    world.ingest("--wait", &[tabby(), say("b", "home", "assistant", "What a lovely animal!")]);
    let stats = world.json("stats");
    assert_eq!(
        (&stats["messages"], &stats["embedded"], &stats["pending_embeddings"]),
        (&2.into(), &2.into(), &0.into())
    );
    world.ingest("", &[say("kiln", "pots", "user", "The kiln fires at 1240 degrees.")]);
    assert_eq!(world.pending(), 1);
    let answer = world.ask("kiln", "--no-wait");
    assert_eq!(
        (ids(&answer)[0], &answer["pending_embeddings"], &answer["lexical_only"]),
        ("kiln", &1.into(), &false.into())
    );
    assert_eq!(hits(&answer)[0]["why"]["lanes"]["dense"], Value::Null, "it has no vector yet");
    assert_eq!(world.pending(), 1, "a question that shall not wait waits for nothing");
    assert_eq!(
        ids(&world.ask("which pet lives with me?", "--no-wait"))[0],
        "tabby",
        "and the others have theirs"
    );
    let told = world.done("recall kiln --no-wait");
    assert!(told.stderr.contains("1 message(s) are not embedded yet"), "{}", told.stderr);
    // Whoever asks without that makes the few vectors that are missing.
    let answer = world.ask("pottery oven temperature", "");
    assert_eq!((ids(&answer)[0], &answer["pending_embeddings"]), ("kiln", &0.into()));
    world.check_all_embedded(3);
}

#[test]
fn a_batch_waits_for_vectors_unless_it_is_told_not_to() {
    let Some(world) = World::with_model() else { return };
    world.ingest("", &[tabby()]);
    assert_eq!(world.pending(), 1);
    let batch = |flags: &str| {
        let line = format!("recall --batch - {flags}");
        parsed(&succeeded(&line, world.finish(world.command(&line), QUESTION)))
    };
    let answer = batch("--no-wait");
    assert_eq!((&answer["lexical_only"], hits(&answer).len()), (&true.into(), 0));
    assert_eq!(world.pending(), 1, "it did not wait");
    let answer = batch("");
    assert_eq!((&answer["lexical_only"], &answer["pending_embeddings"]), (&false.into(), &0.into()));
    assert_eq!((&answer["id"], ids(&answer)), (&1.into(), vec!["tabby"]));
    world.ingest("", &[say("kiln", "pots", "user", "The kiln fires at 1240 degrees.")]);
    let answer = batch("--no-wait");
    assert_eq!((&answer["lexical_only"], &answer["pending_embeddings"]), (&false.into(), &1.into()));
    assert_eq!(world.pending(), 1);
}

#[test]
fn remember_embeds_what_it_kept_and_what_was_left() {
    let Some(world) = World::with_model() else { return };
    world.ingest("", &[say("kiln", "pots", "user", "The kiln fires at 1240 degrees.")]);
    let kept = world.json("remember 'I finally adopted a tabby from the shelter.' --id tabby --session home");
    assert_eq!(kept["duplicate"], false);
    world.check_all_embedded(2);
    assert_eq!(ids(&world.ask("which pet lives with me?", ""))[0], "tabby");
    assert_eq!(world.json("remember 'No hurry.' --id later --no-wait")["pending"], true);
    assert_eq!(world.pending(), 1);
    let again = world.json("remember 'No hurry.' --id later");
    assert_eq!(again["duplicate"], true);
    world.check_all_embedded(3);
}

/// A message ingested twice is embedded once, and a rebuild asks for no new vectors or makes them again: nothing is
/// left without.
///
/// covers: X-W21, W-16
#[test]
fn a_rebuilt_agent_catches_up_and_answers_the_same() {
    let Some(world) = World::with_model() else { return };
    world.ingest("--wait", &crate::embedding::meaning::life());
    world.ingest("--wait", &crate::embedding::meaning::life());
    world.check_all_embedded(11);
    let found = |answer: Value| ids(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let before = found(world.ask("how do people get around?", ""));
    world.done("rebuild");
    world.done("embed");
    world.check_all_embedded(11);
    assert_eq!(found(world.ask("how do people get around?", "")), before);
}
