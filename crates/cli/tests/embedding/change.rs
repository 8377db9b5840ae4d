//! One embedder takes another's place while the old vectors go on answering.

use crate::{
    embedding::kill::kill,
    embedding::server::Server,
    embedding::world::{World, chatter, hits, ids, say, succeeded},
    support::{Ran, erasing::PASSPHRASE},
};
use fastrand::Rng;
use serde_json::Value;
use std::{thread, time::Duration};

/// A home that `alpha` has embedded and that is now configured for `beta`.
fn changing(server: &Server, messages: usize) -> World {
    let world = World::with_server(server);
    world.ingest("", &chatter(messages - 1));
    world.ingest("--wait", &[say("tabby", "home", "user", "Adopted the tabby on Monday.")]);
    world.configure(&format!(
        "{}{}",
        server.config("embedder", "beta", 32),
        server.config("previous_embedder", "alpha", 64)
    ));
    world
}

fn answers_by_meaning(world: &World) {
    let answer = world.ask("my pet?", "");
    assert_eq!((ids(&answer)[0], &answer["lexical_only"]), ("tabby", &false.into()), "{answer}");
    assert_eq!(hits(&answer)[0]["why"]["lanes"]["lexical"], Value::Null);
}

fn states(world: &World) -> Vec<(String, String)> {
    world.embedders().into_iter().map(|it| (it.name, it.state)).collect()
}

fn embedder(name: &str, state: &str) -> (String, String) {
    (name.to_owned(), state.to_owned())
}

fn says(ran: &Ran, words: &str) {
    assert!(ran.stdout.contains(words), "{words:?} is not in: {}", ran.stdout);
}

/// covers: W-16, X-B3
#[test]
fn a_change_is_planned_first_and_changes_nothing() {
    let server = Server::start();
    let world = changing(&server, 100);
    answers_by_meaning(&world);
    server.texts("alpha");
    let told = world.done("embed --change");
    for words in [
        "from http:alpha@64#1",
        "to http:beta@32#1 (32 dimensions)",
        "100 messages to embed",
        "nothing was changed",
    ] {
        says(&told, words);
    }
    let plan = world.json("embed --change");
    assert_eq!((&plan["change"], &plan["done"], &plan["embedded"]), (&true.into(), &false.into(), &0.into()));
    assert_eq!((&plan["messages"], &plan["dimension"]), (&100.into(), &32.into()));
    assert_eq!(states(&world), [embedder("http:alpha@64#1", "active")], "nothing was changed");
    answers_by_meaning(&world);
    world.ingest("--wait", &[say("late", "home", "user", "Said before the change.")]);
    assert!(
        server.texts("alpha").iter().any(|text| text.contains("before the change")),
        "the old one goes on"
    );
    world.check_all_embedded(101);
}

/// covers: W-16, X-B3
#[test]
fn a_change_that_is_killed_goes_on_and_the_old_vectors_answer_until_it_is_done() {
    let server = Server::start();
    let world = changing(&server, 900);
    server.takes(Duration::from_millis(100));
    let mut embedded = 0;
    for round in 0..3 {
        let mut rng = Rng::with_seed(round);
        server.texts("beta");
        let child = world.start("embed --change --yes");
        // Three batches, besides the trial and the sample.
        server.wait_for_texts("beta", 100);
        assert!(kill(child, &mut rng, Duration::from_millis(300)), "it was done before it was killed");
        answers_by_meaning(&world);
        let plan = world.json("embed --change");
        let now = plan["embedded"].as_u64().expect("a number");
        assert!(now >= embedded && now < 900, "{plan}");
        assert_eq!(states(&world)[0], embedder("http:alpha@64#1", "active"));
        embedded = now;
    }
    assert!(embedded > 0, "nothing was done before it was killed");
    // What comes in meanwhile is embedded for those who ask now, and by the new one before it takes over.
    world.ingest("--wait", &[say("late", "flat", "user", "Signed the lease.")]);
    assert_eq!(ids(&world.ask("tenancy", ""))[0], "late");
    server.texts("beta");
    says(&world.done("embed --change --yes"), "changed  from http:alpha@64#1 to http:beta@32#1");
    let sent = server.texts("beta").len() as u64;
    assert!(sent < 901 - embedded + 32, "{sent} texts were sent though {embedded} messages were done");
    assert_eq!(states(&world), [embedder("http:beta@32#1", "active")], "the old ones are gone");
    world.check_all_embedded(901);
    server.texts("alpha");
    answers_by_meaning(&world);
    assert_eq!(ids(&world.ask("tenancy", ""))[0], "late");
    assert_eq!(server.texts("alpha"), Vec::<String>::new(), "the old one is not asked any more");
    says(&world.done("embed --change"), "nothing to change");
    assert_eq!(world.json("embed --change --yes"), serde_json::json!({"change": false}));
}

/// The last moment of a change: the new vectors answer, and the old ones are not all gone yet.
///
/// covers: W-16
#[test]
fn what_a_change_that_was_killed_at_its_end_left_is_taken_away() {
    let server = Server::start();
    for mends in ["embed", "embed --change --yes"] {
        let world = changing(&server, 30);
        world.done("embed --change --yes");
        let leave = "INSERT INTO embedder SELECT agent_id, 99, 'http:gone@32#1', dimension, 'retired', reached, vectors, 1,
                         revisions FROM embedder;
                     INSERT INTO embedding SELECT agent_id, 99, kind, item, part, vector FROM embedding;";
        world.database().execute_batch(leave).expect("written");
        assert_eq!(states(&world).len(), 2);
        answers_by_meaning(&world);
        world.done(mends);
        assert_eq!(states(&world), [embedder("http:beta@32#1", "active")], "{mends}");
        world.check_all_embedded(30);
    }
}

/// covers: X-B3
#[test]
fn without_the_old_embedder_recall_goes_by_keywords_until_the_change_is_made() {
    let server = Server::start();
    let world = changing(&server, 40);
    world.configure(&server.config("embedder", "beta", 32));
    let told = world.done("recall tabby");
    says(&told, "Adopted the tabby");
    assert!(told.stderr.contains("made by http:alpha@64#1, which is not configured"), "{}", told.stderr);
    assert_eq!(world.ask("tabby", "")["lexical_only"], true);
    let refused = world.run("embed");
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("hint: "), "{}", refused.stderr);
    world.done("remember 'Kept all the same.'");
    world.done("embed --change --yes");
    world.check_all_embedded(41);
    answers_by_meaning(&world);
}

/// There and back again: the first embedder's name is known from before.
///
/// covers: W-16, X-B3
#[test]
fn an_embedder_can_come_back() {
    let server = Server::start();
    let world = changing(&server, 80);
    world.done("embed --change --yes");
    world.configure(&format!(
        "{}{}",
        server.config("embedder", "alpha", 64),
        server.config("previous_embedder", "beta", 32)
    ));
    answers_by_meaning(&world);
    world.done("embed --change --yes");
    assert_eq!(states(&world), [embedder("http:alpha@64#1", "active")]);
    world.check_all_embedded(80);
    answers_by_meaning(&world);
}

/// The same model may be asked for shorter vectors: that is a change like any other.
///
/// covers: X-B3
#[test]
fn another_dimension_of_the_same_model_is_another_embedder() {
    let server = Server::start();
    let shorter = Server::start_with(&[("alpha", 32)]);
    let world = changing(&server, 30);
    world.configure(&format!(
        "{}{}",
        shorter.config("embedder", "alpha", 32),
        server.config("previous_embedder", "alpha", 64)
    ));
    answers_by_meaning(&world);
    world.done("embed --change --yes");
    assert_eq!(states(&world), [embedder("http:alpha@32#1", "active")]);
    answers_by_meaning(&world);
}

/// covers: X-B3
#[test]
fn a_change_that_was_abandoned_for_another_leaves_nothing_behind() {
    let server = Server::start();
    let world = changing(&server, 60);
    server.takes(Duration::from_millis(400));
    let mut change = world.start("embed --change --yes");
    while states(&world).len() < 2 {
        thread::sleep(Duration::from_millis(20));
    }
    change.kill().expect("killed");
    change.wait().expect("ended");
    server.takes(Duration::ZERO);
    assert_eq!(states(&world)[1], embedder("http:beta@32#1", "filling"));
    world.configure(&format!(
        "{}{}",
        server.config("embedder", "delta", 32),
        server.config("previous_embedder", "alpha", 64)
    ));
    world.done("embed --change --yes");
    assert_eq!(states(&world), [embedder("http:delta@32#1", "active")]);
    answers_by_meaning(&world);
}

/// Erasing leaves gaps between the numbers of what memories said, the last of them included.
///
/// covers: W-16, X-B3
#[test]
fn an_embedder_is_changed_after_words_were_erased() {
    let server = Server::start();
    let world = World::with_server(&server);
    let told = |id: &str, text: &str| say(id, id, "user", text);
    world.ingest(
        "--wait",
        &[
            told("one", "I live in Oslo."),
            told("two", "I prefer tea over coffee."),
            told("three", "My sister is a pilot."),
        ],
    );
    let signed_in = |line: &str| {
        let mut command = world.command(line);
        command.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
        succeeded(line, world.finish(command, ""));
    };
    signed_in("operator init");
    for session in ["one", "three"] {
        signed_in(&format!("erase --session {session} --yes --reason asked"));
    }
    world.configure(&server.config("embedder", "beta", 32));
    world.done("embed --change --yes");
    assert_eq!(states(&world), [embedder("http:beta@32#1", "active")]);
    let memories = "SELECT COUNT(*) FROM embedding WHERE kind = 'memory'";
    let count: i64 = world.database().query_row(memories, [], |row| row.get(0)).expect("counted");
    assert!(count >= 1, "what was not erased has its vector");
}
