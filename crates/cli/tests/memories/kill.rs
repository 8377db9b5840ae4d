//! Killed while it forms, and formed by many at once: the memories are those of one that was left in peace.

use crate::{
    memories::alike::{LIFE, transcript},
    postgres::database::Database,
    support::{Cairn, kills::crash_rounds, refs},
};
use fastrand::Rng;
use serde_json::Value;
use std::{
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const KEYWORDS_ONLY: &str = "[embedder]\nkind = \"none\"\n";

fn rounds() -> u64 {
    crash_rounds().max(20) / 2
}

fn home(database: Option<&Database>) -> Cairn {
    let cairn = match database {
        Some(database) => Cairn::new().with_database(database.url()),
        None => Cairn::new(),
    };
    cairn.write("home/config.toml", KEYWORDS_ONLY);
    cairn
}

/// State that must not depend on how often the work was cut short: which memories there are, what they say and said, whether
/// they hold and what they rest on.
fn kept(cairn: &Cairn) -> Vec<Value> {
    let list = cairn.json("memories list --all --limit 1000");
    let mut kept = Vec::new();
    for memory in refs(&list["memories"]) {
        let why = cairn.json(&format!("why {memory}"));
        let memory = &why["memory"];
        let sources = why["evidence"].as_array().expect("evidence").iter();
        let sources: Vec<Value> = sources.map(|source| source["source"].clone()).collect();
        let said = why["revisions"].as_array().expect("revisions").iter();
        let said: Vec<Value> = said.map(|revision| revision["text"].clone()).collect();
        kept.push(serde_json::json!({
            "ref": memory["ref"], "text": memory["text"], "status": memory["status"], "tier": memory["tier"],
            "valid_from": memory["valid_from"], "valid_until": memory["valid_until"], "accesses": memory["accesses"],
            "storage": memory["storage"], "stability": memory["stability"], "importance": memory["importance"],
            "sources": sources, "said": said, "relations": why["relations"], "statements": why["statements"],
        }));
    }
    kept
}

/// A longer life: the same one again and again, with other names in it.
fn long_life(times: usize) -> String {
    let names = ["Ana", "Ben", "Cem", "Dora", "Eva", "Finn", "Gül", "Hugo"];
    (0..times)
        .map(|time| {
            transcript()
                .replace("\"id\":\"m", &format!("\"id\":\"t{time}m"))
                .replace("\"session\":\"s", &format!("\"session\":\"t{time}s"))
                .replace("2026-11-", &format!("2026-{:02}-", 1 + time))
                .replace("Ana", names[time % names.len()])
        })
        .collect()
}

/// The memories and the duration of a life that nothing interrupts.
fn undisturbed(life: &str) -> (Vec<Value>, Duration) {
    let cairn = home(None);
    assert_eq!(cairn.feed("ingest -", life).code, 0);
    let begun = Instant::now();
    cairn.done("form");
    let usual = begun.elapsed();
    (kept(&cairn), usual)
}

/// Runs at this minute: each a few later than the last, so that the lease of one that was killed has ended.
fn at_minute(mut command: Command, minute: u64) -> Command {
    command.env("CAIRN_NOW", format!("2026-11-15T{:02}:{:02}:00Z", 10 + minute / 60, minute % 60));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn kill(mut child: Child, after: Duration) -> bool {
    thread::sleep(after);
    child.kill().expect("it can be killed");
    !child.wait().expect("it ends").success()
}

fn forming_outlives_kills(database: Option<&Database>) {
    let life = long_life(6);
    let (expected, usual) = undisturbed(&life);
    assert!(expected.len() > 20, "a life worth remembering: {}", expected.len());
    let cairn = home(database);
    assert_eq!(cairn.feed("ingest -", &life).code, 0);
    let (mut killed, mut midway) = (0, 0);
    for round in 0..rounds() {
        let mut rng = Rng::with_seed(round);
        let child = at_minute(cairn.command("form"), 3 * round).spawn().expect("it starts");
        killed += u64::from(kill(child, usual.mul_f64(0.1 + 0.5 * rng.f64())));
        let formed = cairn.json("stats")["formed"].as_u64().expect("a number");
        midway += u64::from(formed > 0 && formed < 6 * LIFE.len() as u64);
        assert_eq!(cairn.json("verify")["ok"], true);
    }
    assert!(killed > 0, "none was killed before it was done");
    println!("{killed} killed, {midway} midway");
    assert!(at_minute(cairn.command("form"), 3 * rounds()).status().expect("it runs").success());
    assert_eq!(cairn.json("stats")["formed"], 6 * LIFE.len());
    assert_eq!(kept(&cairn), expected);
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: L-04, L-05, C-246
#[test]
fn forming_that_is_killed_goes_on_where_it_was() {
    forming_outlives_kills(None);
}

/// covers: L-04, L-05, C-246, X-P3
#[test]
fn forming_on_a_server_that_is_killed_goes_on_where_it_was() {
    if let Some(database) = Database::new() {
        forming_outlives_kills(Some(&database));
    }
}

/// A clock that stands still ends no lease; that nothing moves does.
///
/// covers: L-05
#[test]
fn whoever_held_the_work_and_is_gone_holds_nobody_up() {
    let cairn = home(None);
    let life = long_life(6);
    assert_eq!(cairn.feed("ingest -", &life).code, 0);
    let expected = undisturbed(&life).0;
    let path = cairn.path("home/agents/main/memory.db");
    let database = rusqlite::Connection::open(path).expect("it opens");
    let lease = "INSERT INTO job (agent_id, name, watermark, holder, lease_until, updated_at)
                 SELECT agent_id, 'form', 0, 'somebody who is gone', 9000000000000, 0 FROM agent";
    assert_eq!(database.execute(lease, []), Ok(1));
    drop(database);
    let begun = Instant::now();
    cairn.done("form");
    assert!(begun.elapsed() < Duration::from_secs(40), "it took {:?}", begun.elapsed());
    assert_eq!(kept(&cairn), expected);
}

/// The caller of a `remember` that died says it again. It is kept once and becomes what it would have become.
///
/// covers: W-97, C-246
#[test]
fn remember_that_is_killed_and_said_again_becomes_the_same() {
    let remember = |cairn: &Cairn, i: usize, minute: u64| {
        let (role, text) = LIFE[i];
        let (id, session) = (format!("m{i}"), format!("s{}", i / 4));
        let at = format!("2026-11-{:02}T{:02}:00:00Z", 1 + i / 4, 8 + i % 4);
        let line = format!("remember --role {role} --id {id} --session {session} --at {at}");
        let mut command = cairn.command(&line);
        command.arg(text);
        at_minute(command, minute)
    };
    let peaceful = home(None);
    let begun = Instant::now();
    for i in 0..LIFE.len() {
        assert!(remember(&peaceful, i, 0).status().expect("it runs").success());
    }
    let usual = begun.elapsed() / LIFE.len() as u32;
    let expected = kept(&peaceful);
    let cairn = home(None);
    let (mut rng, mut killed) = (Rng::with_seed(4), 0);
    for i in 0..LIFE.len() {
        for _ in 0..2 {
            let child = remember(&cairn, i, i as u64).spawn().expect("it starts");
            killed += u64::from(kill(child, usual.mul_f64(rng.f64())));
        }
        assert!(remember(&cairn, i, i as u64).status().expect("it runs").success());
    }
    assert!(killed > 4, "only {killed} were killed before they were done");
    assert_eq!(cairn.json("stats")["messages"], LIFE.len());
    assert_eq!(kept(&cairn), expected);
    assert_eq!(cairn.json("verify")["ok"], true);
}

fn many_form_as_one(database: Option<&Database>, processes: usize) {
    let life = long_life(6);
    let expected = undisturbed(&life).0;
    let cairn = home(database);
    assert_eq!(cairn.feed("ingest -", &life).code, 0);
    let start = |_| cairn.command("form").stdout(Stdio::null()).spawn().expect("it starts");
    let running: Vec<Child> = (0..processes).map(start).collect();
    for mut one in running {
        assert!(one.wait().expect("it ends").success());
    }
    assert_eq!(cairn.json("stats")["formed"], 6 * LIFE.len());
    assert_eq!(kept(&cairn), expected, "{processes} processes");
    assert_eq!(cairn.json("verify")["ok"], true);
}

/// covers: L-04, L-05, C-246
#[test]
fn two_and_four_processes_form_as_one() {
    many_form_as_one(None, 2);
    many_form_as_one(None, 4);
}

/// covers: L-04, L-05, C-246, X-P3
#[test]
fn four_processes_on_a_server_form_as_one() {
    if let Some(database) = Database::new() {
        many_form_as_one(Some(&database), 4);
    }
}

/// Eight processes that remember at once: nothing is lost, and every message was looked at.
///
/// covers: C-246, L-05
#[test]
fn eight_that_remember_at_once_are_all_looked_at() {
    let cairn = home(None);
    let said = |i: usize| {
        format!("remember 'Shelf number {i} in Porto holds {} atlases.' --id s{i} --session s{i}", 7 * i + 3)
    };
    let start = |i| cairn.command(&said(i)).stdout(Stdio::null()).spawn().expect("it starts");
    for wave in 0..3 {
        let running: Vec<Child> = (8 * wave..8 * wave + 8).map(start).collect();
        for mut one in running {
            assert!(one.wait().expect("it ends").success());
        }
    }
    let stats = cairn.json("stats");
    assert_eq!((&stats["messages"], &stats["formed"]), (&24.into(), &24.into()));
    assert_eq!(cairn.json("verify")["ok"], true);
}
