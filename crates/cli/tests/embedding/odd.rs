//! Messages that are hardly text, and questions that are hardly questions.

use crate::{
    embedding::server::Server,
    embedding::world::{World, hits, ids, say},
};

/// covers: X-W21
#[test]
fn whatever_was_said_gets_a_vector() {
    let Some(world) = World::with_model() else { return };
    let long = "The sourdough loaf rises overnight in a warm kitchen. ".repeat(60);
    world.ingest(
        "--wait",
        &[
            say("emoji", "s1", "user", "🐈🐈‍⬛🏠"),
            say("turkish", "s2", "user", "Işıklar İstanbul'da erken söndü, kedim çok korktu."),
            say("japanese", "s3", "user", "東京で会議があります。"),
            say("code", "s4", "user", "fn main() { println!(\"{}\", 1 + 1); }"),
            say("control", "s5", "user", "a\u{0}b\u{7}c \u{202e}reversed\u{202c} \u{feff}"),
            say("dots", "s6", "user", "..."),
            say("long", "s7", "user", &long),
            say("word", "s8", "user", &"x".repeat(20_000)),
        ],
    );
    world.check_all_embedded(8);
    let questions = ["baking bread", "kedi İstanbul", "🐈", "...", "\u{0}", "\u{202e}", "   x   "];
    for (question, answer) in questions.iter().zip(world.ask_all(&questions, "")) {
        assert_eq!(answer["lexical_only"], false, "{question:?}");
        assert_eq!(answer["pending_embeddings"], 0);
    }
    assert_eq!(ids(&world.ask("baking bread", ""))[0], "long");
    assert_eq!(ids(&world.ask("kedi İstanbul", ""))[0], "turkish");
    assert_eq!(ids(&world.ask("🐈", ""))[0], "emoji");
}

/// The server is given parts, not a megabyte; what is in a late part is found by its meaning too.
#[test]
fn a_megabyte_is_embedded_in_parts_and_found_once() {
    let server = Server::start();
    let world = World::with_server(&server);
    let filler = "Nothing of note happened on that quiet afternoon, again. ";
    let text =
        format!("{}{}{}", filler.repeat(100), "The tabby came home. ".repeat(90), filler.repeat(18_000));
    assert!(text.len() > 1_000_000);
    world
        .ingest("--wait", &[say("long", "s1", "user", &text), say("short", "s2", "user", "A ferry ticket.")]);
    world.check_all_embedded(2);
    let texts = server.texts("alpha");
    assert!(texts.len() > 10 && texts.len() < 100, "{} texts", texts.len());
    assert!(texts.iter().all(|text| text.len() < 2_000), "a part is too long");
    let answer = world.ask("pet", "");
    assert_eq!(ids(&answer), ["long"], "once, though it has many parts");
    assert!(!hits(&answer)[0]["why"]["lanes"]["dense"].is_null());
}

/// covers: W-45
#[test]
fn an_agent_without_messages_has_nothing_to_embed_and_nothing_to_answer() {
    let server = Server::start();
    let world = World::with_server(&server);
    world.done("init");
    assert_eq!(world.json("embed"), serde_json::json!({"embedded": 0, "messages": 0}));
    let answer = world.ask("anything", "");
    assert_eq!((hits(&answer).len(), &answer["empty"]["reason"]), (0, &"nothing_stored".into()));
    world.ingest("--wait", &[say("first", "s1", "user", "A ferry ticket.")]);
    world.check_all_embedded(1);
    assert_eq!(ids(&world.ask("ship", "")), ["first"]);
}

/// One agent's vectors are never searched for another.
/// covers: W-215
#[test]
fn agents_have_vectors_of_their_own() {
    let server = Server::start();
    let world = World::with_server(&server);
    world.done("--agent ada remember 'Adopted the tabby.' --id ada");
    world.done("--agent bob remember 'Fed the kitten.' --id bob");
    for agent in ["ada", "bob"] {
        let answer = world.ask("pet", &format!("--agent {agent}"));
        assert_eq!((ids(&answer), &answer["lexical_only"]), (vec![agent], &false.into()));
    }
}
