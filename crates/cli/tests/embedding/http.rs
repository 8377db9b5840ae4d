//! An embedding server in place of the model.

use crate::{
    embedding::server::Server,
    embedding::world::{World, hits, ids, parsed, say, succeeded, transcript},
    support::Ran,
};
use serde_json::Value;
use std::{
    fs, thread,
    time::{Duration, Instant},
};

const KEY: &str = "sk-never-shown-4711";

fn said() -> [Value; 4] {
    [
        say("tabby", "home", "user", "Adopted the tabby on Monday."),
        say("boat", "trips", "user", "Tickets for the ferry cost nine euros."),
        say("lease", "flat", "user", "Signed the tenancy until winter."),
        say("soup", "food", "user", "Leeks and potatoes make a soup."),
    ]
}

/// Runs with the key in the environment. Whatever comes of it, nobody sees the key.
fn run_with_key(world: &World, line: &str, input: &str) -> Ran {
    let mut command = world.command(line);
    command.env("EMBEDDING_KEY", KEY);
    let ran = world.finish(command, input);
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains(KEY), "cairn {line} shows the key: {text}");
    }
    ran
}

#[test]
fn a_server_embeds_and_its_key_is_never_shown() {
    let server = Server::start();
    server.lets_in(KEY);
    let world = World::with_server(&server);
    succeeded("ingest", run_with_key(&world, "ingest --wait -", &transcript(&said())));
    assert!(server.keys().iter().all(|key| key == &format!("Bearer {KEY}")), "{:?}", server.keys());
    let stats = parsed(&run_with_key(&world, "stats --json", ""));
    let memories = stats["memories"].as_u64().expect("a number") as usize;
    // A message is also compared with what is known, as a whole and by its best statement, whether that is kept or not.
    assert!(memories < 4, "one of them is not worth keeping");
    assert_eq!(server.texts("alpha").len(), 4 + 2 * 4, "nothing is embedded again");
    world.check_all_embedded(4);
    for (question, expected) in [("which pet is it?", "tabby"), ("the ship", "boat"), ("rent", "lease")] {
        let ran = run_with_key(&world, &format!("recall --json --explain '{question}'"), "");
        let answer: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        assert_eq!((ids(&answer)[0], &answer["lexical_only"]), (expected, &false.into()), "{question}");
        assert_eq!(hits(&answer)[0]["why"]["lanes"]["lexical"], Value::Null, "{question}");
    }
    for line in ["config show", "config show --json", "stats", "doctor", "embed", "embed --change", "verify"]
    {
        succeeded(line, run_with_key(&world, line, ""));
    }
    for (path, bytes) in crate::support::files(&world.path("home")) {
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{} holds the key", path.display());
    }
    // The server repeats a key that it refuses; that is not shown either.
    server.lets_in("another");
    let refused = run_with_key(&world, "recall pet", "");
    assert_eq!(refused.code, 0);
    assert!(refused.stderr.contains("401") && refused.stderr.contains("check the key"), "{}", refused.stderr);
    world.ingest("", &[say("new", "home", "user", "A new word.")]);
    let refused = run_with_key(&world, "embed", "");
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("hint: check the key"), "{}", refused.stderr);
}

/// covers: X-P4
#[test]
fn without_its_server_recall_goes_by_keywords_and_says_why() {
    let server = Server::start();
    let world = World::with_server(&server);
    world.ingest("--wait", &said());
    assert_eq!(world.ask("ship", "")["lexical_only"], false);
    drop(server);
    let answer = world.ask("ferry ship", "");
    assert_eq!((&answer["lexical_only"], ids(&answer)), (&true.into(), vec!["boat"]));
    let told = world.done("recall ferry");
    assert!(told.stderr.contains("keywords only: http://127.0.0.1:"), "{}", told.stderr);
    assert!(told.stderr.contains("does not answer"), "{}", told.stderr);
    assert!(told.stderr.contains("check that the server is running"), "{}", told.stderr);
    let kept = world.done("remember 'Said while nobody embeds.' --id alone");
    assert!(kept.stdout.starts_with("kept"), "{}", kept.stdout);
    assert_eq!(ids(&world.ask("nobody", "")), ["alone"]);
    let refused = world.run("embed");
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("hint: check that the server is running"), "{}", refused.stderr);
    let server = Server::start();
    world.configure(&server.config("embedder", "alpha", 64));
    assert_eq!(world.ask_all(&["ship"], "")[0]["lexical_only"], false, "a batch catches up by itself");
    world.check_all_embedded(5);
}

/// A wrong number in the configuration is said, and mending it is all it takes.
#[test]
fn a_wrong_dimension_is_said_and_can_be_mended() {
    let server = Server::start();
    let world = World::new(&server.config("embedder", "alpha", 48));
    world.ingest("", &said());
    let refused = world.run("embed");
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    assert!(
        refused.stderr.contains("http:alpha returns vectors of dimension 64 instead of 48"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("hint: set `dimension` under [embedder]"), "{}", refused.stderr);
    let answer = world.ask("ferry", "");
    assert_eq!((&answer["lexical_only"], ids(&answer)), (&true.into(), vec!["boat"]));
    world.configure(&server.config("embedder", "alpha", 64));
    world.done("embed");
    world.check_all_embedded(4);
    assert_eq!(world.ask("ship", "")["lexical_only"], false);
    world.configure(&server.config("embedder", "alpha", 48));
    let answer = world.ask("ferry", "");
    assert_eq!((&answer["lexical_only"], ids(&answer)), (&true.into(), vec!["boat"]));
}

#[test]
fn a_model_that_the_server_does_not_have_is_said() {
    let server = Server::start();
    let world = World::new(&server.config("embedder", "gamma", 64));
    world.ingest("", &said());
    let refused = world.run("ingest --wait /dev/null --format jsonl");
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    assert!(refused.stderr.contains("refused with status 404"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: check the url and the model"), "{}", refused.stderr);
    assert_eq!(ids(&world.ask("ferry", "")), ["boat"]);
}

/// `remember` is durable at once and stays a moment for the vector; a server that sleeps costs no more than that
/// moment, and nobody after it has to wait for its lease.
///
/// covers: X-P4
#[test]
fn a_slow_server_holds_up_neither_remember_nor_those_who_come_after() {
    let server = Server::start();
    let world = World::with_server(&server);
    server.takes(Duration::from_secs(8));
    let begun = Instant::now();
    world.done("remember 'The ferry leaves at nine.' --id slow");
    assert!(begun.elapsed() < Duration::from_secs(6), "remember took {:?}", begun.elapsed());
    server.takes(Duration::ZERO);
    let begun = Instant::now();
    let mut command = world.command("embed");
    // The clock has not moved since: what ends the lease is that it was given back.
    command.env("CAIRN_NOW", "2026-11-15T00:00:00Z");
    succeeded("embed", world.finish(command, ""));
    assert!(begun.elapsed() < Duration::from_secs(6), "embed took {:?}", begun.elapsed());
    world.check_all_embedded(1);
}

/// covers: X-P4
#[test]
fn a_server_that_hangs_holds_a_question_up_for_a_few_seconds_at_most() {
    let server = Server::start();
    let world = World::with_server(&server);
    world.ingest("--wait", &said());
    server.takes(Duration::from_secs(20));
    let begun = Instant::now();
    let answer = world.ask("when does the ferry leave?", "");
    assert!(begun.elapsed() < Duration::from_secs(9), "recall took {:?}", begun.elapsed());
    assert_eq!(answer["lexical_only"], true);
    let because = answer["lexical_only_because"]["problem"].as_str().expect("a reason");
    assert!(because.contains("nothing came within 5 s"), "{because}");
}

/// covers: X-P4, L-28
#[test]
fn a_server_that_hangs_does_not_hold_up_what_is_followed() {
    let server = Server::start();
    let world = World::with_server(&server);
    server.takes(Duration::from_mins(1));
    fs::create_dir(world.path("followed")).expect("a folder");
    let line = |id: &str| transcript(&[say(id, "ferry", "user", "The ferry leaves at nine.")]);
    fs::write(world.path("followed/one.jsonl"), line("early")).expect("written");
    let mut watching = world.start("ingest --watch followed");
    let kept = |count: u64| {
        let begun = Instant::now();
        while !world.run("stats --json").stdout.contains(&format!("\"messages\":{count},")) {
            assert!(begun.elapsed() < Duration::from_secs(10), "message {count} is held up");
            thread::sleep(Duration::from_millis(50));
        }
    };
    kept(1);
    // By now the first one waits for its vector.
    thread::sleep(Duration::from_secs(1));
    fs::write(world.path("followed/two.jsonl"), line("late")).expect("written");
    kept(2);
    watching.kill().expect("killed");
    watching.wait().expect("ended");
}
