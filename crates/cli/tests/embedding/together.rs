//! Several processes at once: one embeds, the others go on asking, and nothing is done twice.

use crate::{
    embedding::server::Server,
    embedding::world::{World, chatter, hits, ids},
};
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

/// covers: X-W21
#[test]
fn questions_are_answered_while_another_process_embeds() {
    let server = Server::start();
    let world = World::with_server(&server);
    world.ingest("", &chatter(700));
    server.takes(Duration::from_millis(150));
    let mut embedding = world.start("embed");
    let (mut asked, mut pending) = (0, BTreeSet::new());
    while embedding.try_wait().expect("it runs").is_none() {
        let i = asked * 7 % 700;
        let answer = world.ask(&format!("where is n{i}x?"), "--no-wait");
        // The server has few places for words, so another text may mean the same; none has the same word.
        let wanted = ids(&answer).iter().position(|id| *id == format!("c{i}"));
        let wanted = &hits(&answer)[wanted.unwrap_or_else(|| panic!("c{i} is not in {answer}"))];
        assert_eq!(wanted["why"]["lanes"]["lexical"]["rank"], 1, "{answer}");
        pending.insert(answer["pending_embeddings"].as_u64().expect("a number"));
        asked += 1;
    }
    let ended = embedding.wait_with_output().expect("it ends");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(asked >= 3, "only {asked} questions were asked meanwhile");
    assert!(pending.len() >= 2, "the work went on meanwhile: {pending:?}");
    world.check_all_embedded(700);
    assert_eq!(world.ask("lantern", "")["pending_embeddings"], 0);
}

/// covers: X-W21, W-16
#[test]
fn two_who_embed_at_once_both_succeed_and_nothing_is_embedded_twice() {
    let server = Server::start();
    let world = World::with_server(&server);
    let said = chatter(400);
    world.ingest("", &said);
    server.takes(Duration::from_millis(60));
    // Both begin in the same minute.
    let start = || {
        let mut command = world.command("embed --json");
        command.env("CAIRN_NOW", "2026-11-15T10:00:00Z").spawn().expect("cairn starts")
    };
    let running = [start(), start()];
    for one in running {
        let ended = one.wait_with_output().expect("it ends");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
        assert_eq!((&answer["embedded"], &answer["messages"]), (&400.into(), &400.into()));
    }
    world.check_all_embedded(400);
    assert_eq!(server.texts("alpha").len(), said.len(), "a text was sent twice");
}

/// One takes in while another embeds and a third asks; none is told to come back later.
///
/// covers: X-W21
#[test]
fn messages_come_in_while_others_are_embedded() {
    let server = Server::start();
    let world = World::with_server(&server);
    let said = chatter(360);
    world.ingest("--wait", &said[..40]);
    server.takes(Duration::from_millis(40));
    let begun = Instant::now();
    for part in said[40..].chunks(80) {
        world.ingest("", part);
        let (one, other) = (world.start("embed"), world.start("ingest --wait /dev/null --format jsonl"));
        assert_eq!(ids(&world.ask("n3x", ""))[0], "c3");
        for running in [one, other] {
            let ended = running.wait_with_output().expect("it ends");
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
            assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "somebody waited for nothing: {:?}", begun.elapsed());
    world.check_all_embedded(360);
}
