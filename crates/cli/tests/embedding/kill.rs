//! Killed while it embeds, at moments that a seed chooses: whoever comes next goes on where it was.

use crate::{
    embedding::server::Server,
    embedding::world::{World, chatter, say, transcript},
    support::kills::crash_rounds,
};
use fastrand::Rng;
use serde_json::Value;
use std::{
    fs,
    process::Child,
    thread,
    time::{Duration, Instant},
};

/// Messages that every round adds.
const ROUND: usize = 220;

/// Each second round of the crash test is one here: fewer may all miss the moment.
fn rounds() -> u64 {
    crash_rounds().max(20) / 2
}

/// Kills a process at a random moment of `usual`; whether it died of it.
pub(crate) fn kill(mut child: Child, rng: &mut Rng, usual: Duration) -> bool {
    thread::sleep(usual.mul_f64(rng.f64()));
    child.kill().expect("it can be killed");
    !child.wait().expect("it ends").success()
}

/// The messages of a round; one is long enough for many parts.
fn messages(rng: &mut Rng, round: u64) -> Vec<Value> {
    let mut said = chatter(ROUND);
    for (i, said) in said.iter_mut().enumerate() {
        said["id"] = format!("r{round}-{i}").into();
        said["session"] = format!("r{round}-{}", i / 30).into();
    }
    let long = "The kiln fires at 1240 degrees. ".repeat(100);
    said.insert(rng.usize(..ROUND), say(&format!("r{round}-long"), "long", "user", &long));
    said
}

/// Every message has its vectors once, however often the work was cut short.
///
/// covers: X-W21, W-16
#[test]
fn embedding_that_is_killed_goes_on_where_it_was() {
    let server = Server::start();
    server.takes(Duration::from_millis(60));
    let world = World::with_server(&server);
    world.done("init");
    let (mut said, mut killed, mut midway) = (0, 0, 0);
    let file = world.path("round.jsonl");
    for round in 0..rounds() {
        let mut rng = Rng::with_seed(round);
        fs::write(&file, transcript(&messages(&mut rng, round))).expect("written");
        let before = said;
        said += ROUND + 1;
        // One way or the other: while it waits for what it took in, or while it only embeds.
        let child = if rng.bool() {
            world.done("ingest round.jsonl");
            world.start("embed")
        } else {
            world.start("ingest --wait round.jsonl")
        };
        killed += u64::from(kill(child, &mut rng, Duration::from_millis(350)));
        for vectors in world.embedders() {
            midway += u64::from(vectors.reached > before as i64 && vectors.reached < said as i64);
        }
        // What had not been taken in is offered again, as a caller would.
        world.done("ingest round.jsonl");
        if rng.bool() {
            let again = world.start("embed");
            killed += u64::from(kill(again, &mut rng, Duration::from_millis(250)));
            world.embedders();
        }
        world.done("embed");
        world.check_all_embedded(said);
        assert_eq!(world.ask("bicycle", "")["lexical_only"], false);
    }
    assert!(killed * 2 > rounds(), "only {killed} of {} rounds died: kill earlier", rounds());
    assert!(midway > 0, "nobody died midway: give it more to do");
}

/// With the real model, whose work cannot be interrupted between two texts.
///
/// covers: X-W21, W-16
#[test]
fn embedding_with_the_model_can_be_killed_at_any_moment() {
    let Some(world) = World::with_model() else { return };
    let said = chatter(150);
    world.ingest("", &said);
    let mut died = 0;
    for round in 0..(rounds() / 4) {
        died += u64::from(kill(world.start("embed"), &mut Rng::with_seed(round), Duration::from_millis(400)));
        world.embedders();
    }
    world.done("embed");
    world.check_all_embedded(150);
    assert!(died > 0, "nobody died before all was done");
}

/// Where the clock stands still no lease ever ends; that nothing moves is noticed all the same, once, and then the work
/// is done without a pause.
///
/// covers: X-W21
#[test]
fn the_work_of_a_dead_process_is_taken_over_even_if_the_clock_stands_still() {
    let server = Server::start();
    let world = World::with_server(&server);
    world.ingest("--wait", &chatter(1));
    world.ingest("", &chatter(300));
    server.texts("alpha");
    let frozen = |line: &str| {
        let mut command = world.command(line);
        command.env("CAIRN_NOW", "2026-11-15T10:00:00Z");
        command
    };
    server.takes(Duration::from_secs(20));
    let mut child = frozen("embed").spawn().expect("cairn starts");
    let begun = Instant::now();
    // Until it has the lease and asks for the first vectors.
    while server.texts("alpha").is_empty() && begun.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it can be killed");
    assert!(!child.wait().expect("it ends").success());
    server.takes(Duration::ZERO);
    let begun = Instant::now();
    let ran = world.finish(frozen("embed"), "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(9), "the lease was not held: {took:?}");
    assert!(took < Duration::from_secs(18), "it paused more than once: {took:?}");
    world.check_all_embedded(300);
}
