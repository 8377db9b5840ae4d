//! Processes killed on either side of the connection: the one that ingests, and the server itself.

use crate::{
    durability::home::{Home, Kill, acknowledged, answer, ids, life, transcript},
    postgres::database::{Database, address},
    support::{Cairn, kills::crash_rounds},
};
use cairn_testkit::postgres::TestPostgresServer;
use fastrand::Rng;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader, Write},
    process::{ChildStdout, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// Messages offered in a round, more than are waited for.
const OFFERED: usize = 300;
/// The most acknowledgements that are waited for.
const WAITED_FOR: usize = 120;

fn rounds() -> u64 {
    crash_rounds() / 2
}

/// When the next process is killed.
fn somewhere(rng: &mut Rng) -> Kill {
    let at_a_time = [1, 7, 64][rng.usize(..3)];
    // One in four dies while it connects, or soon after.
    let early = rng.u8(..4) == 0;
    let acks = if early { 0 } else { rng.usize(..WAITED_FOR) };
    let moment = Duration::from_micros(rng.u64(..if early { 60_000 } else { 5_000 }));
    Kill { at_a_time, acks, moment }
}

/// Nothing acknowledged is lost by kill -9 at any point, crash after crash on the same database, over day ends and with
/// retries; nothing is there twice.
///
/// covers: I4, X-P3
#[test]
fn whatever_was_acknowledged_survives_kill_after_kill() {
    let Some(database) = Database::new() else { return };
    let home = Home::new().with_database(database.url());
    let mut said = life(&mut Rng::with_seed(0), "first", 1);
    home.ingest(1, &said).good();
    let (mut promised, mut killed) = (BTreeSet::new(), 0);
    let mut day = 1;
    for round in 0..rounds() {
        let mut rng = Rng::with_seed(round);
        // Some kills fall on the end of a day.
        day = 1 + (round % 20 / 4) as u32;
        // The caller does not know what became of the last ones and sends them again.
        let again = said.len().saturating_sub(OFFERED + 30);
        said.extend(life(&mut rng, &format!("r{round}"), OFFERED));
        let (acks, died) = home.ingest_and_kill(day, &said[again..], &somewhere(&mut rng));
        promised.extend(acks);
        killed += u64::from(died);
        home.check_whole(day, &promised, &said);
        if let Some(id) = rng.choice(promised.iter().collect::<Vec<_>>()) {
            assert!(home.found(day, id).contains(id), "round {round}: {id} is acknowledged and not found");
        }
    }
    assert!(killed * 2 > rounds(), "only {killed} rounds died before they were done: kill earlier");
    home.ingest(day, &said).good();
    home.check_whole(day, &ids(&said), &said);
    let again = answer(home.command(day, &["ingest", "-", "--json"]), &transcript(&said)).good().json();
    assert_eq!((&again["added"], &again["duplicates"]), (&json!(0), &json!(said.len())));
}

/// The acknowledgements of a process as they come.
fn listen(stdout: ChildStdout) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8(line).expect("acknowledgements are text") + "\n";
            for id in acknowledged(&line) {
                let _ = sender.send(id);
            }
        }
    });
    receiver
}

/// A server that crashes and comes back interrupts an ingest, and does not end it.
///
/// covers: I4, X-P3
#[test]
fn an_ingest_outlives_the_crashes_of_its_server() {
    let Some(server) = TestPostgresServer::start() else { return };
    let home = Home::new().with_database(server.url());
    let mut rng = Rng::with_seed(5);
    let mut all = Vec::new();
    for crash in 0..3 {
        let said = life(&mut rng, &format!("crash{crash}"), 450);
        let (before, rest) = said.split_at(rng.usize(50..350));
        let mut child = home.command(1, &["ingest", "-", "--ack"]);
        let mut child = child.stdin(Stdio::piped()).spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("its input is a pipe");
        let acks = listen(child.stdout.take().expect("its output is a pipe"));
        stdin.write_all(transcript(before).as_bytes()).expect("it listens");
        let mut heard: Vec<String> = acks.recv().into_iter().collect();
        thread::sleep(Duration::from_micros(rng.u64(..4_000)));
        server.kill();
        let rest_of_it = transcript(rest);
        let feeding = thread::spawn(move || stdin.write_all(rest_of_it.as_bytes()));
        thread::sleep(Duration::from_millis(rng.u64(..300)));
        server.start_again();
        feeding.join().expect("feeding ends").expect("it listens to the end");
        let ended = child.wait_with_output().expect("it ends");
        let complaint = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!((ended.status.code(), complaint.as_str()), (Some(0), ""));
        heard.extend(acks);
        let sent: Vec<&str> = said.iter().map(|said| said.id.as_str()).collect();
        assert_eq!(heard, sent, "every line is acknowledged once, in order");
        all.extend(said);
        home.check_whole(1, &ids(&all), &all);
    }
}

/// A process that stays open while its server crashes answers afterward as before; so does one that starts anew.
///
/// covers: I4, X-P3
#[test]
fn an_open_process_and_a_new_one_answer_after_a_crash_of_the_server() {
    let Some(server) = TestPostgresServer::start() else { return };
    let cairn = Cairn::new().with_database(server.url());
    cairn.write("home/config.toml", "[embedder]\nkind = \"none\"\n");
    cairn.done("remember 'The atlas is overdue.' --id a1");
    let mut asking = cairn.command("recall --batch -");
    let asking = asking.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut asking = asking.expect("the binary starts");
    let mut questions = asking.stdin.take().expect("its input is a pipe");
    let mut answers = BufReader::new(asking.stdout.take().expect("its output is a pipe")).lines();
    let mut ask = || {
        writeln!(questions, "{}", json!({"id": "q", "query": "atlas"})).expect("it listens");
        let answer = answers.next().expect("every question is answered").expect("answers are text");
        let answer: Value = serde_json::from_str(&answer).expect("answers are JSON");
        answer["hits"].as_array().expect("hits").len()
    };
    assert_eq!(ask(), 1);
    server.kill();
    gone(&cairn);
    server.start_again();
    assert_eq!((ask(), cairn.hits("atlas").len()), (1, 1));
    cairn.done("remember 'The atlas is back.' --id a2");
    assert_eq!((ask(), cairn.hits("atlas").len()), (2, 2));
    assert_eq!(cairn.json("verify")["ok"], true);
    drop(questions);
    assert!(asking.wait().expect("it ends").success());

    // An address with a password keeps it to itself, whatever goes wrong.
    let url = address(server.url(), Some("cairn:hush-hush"), "cairn");
    let cairn = cairn.with_database(url);
    assert_eq!(cairn.hits("atlas").len(), 2);
    drop(server);
    gone(&cairn);
}

/// Every command says that the server is not there, and what to do.
fn gone(cairn: &Cairn) {
    for line in
        ["remember 'Is anybody there?'", "recall atlas", "stats", "agents", "init --no-model", "verify"]
    {
        let ran = cairn.run(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("127.0.0.1:"), "{line}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("\nhint: check that the database server is running"),
            "{line}: {}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("hush"), "{line}: {}", ran.stderr);
    }
    let ran = cairn.run("doctor");
    assert_eq!(
        (ran.code, ran.stdout.contains("check that the database server is running")),
        (1, true),
        "{}",
        ran.stdout
    );
    assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("hush"), "{}", ran.stdout);
}

/// Thousands of messages, so that the index was tended before the crash and is tended after it.
///
/// covers: I4, X-P3
#[test]
fn a_large_ingest_outlives_a_crash_of_its_server() {
    let Some(server) = TestPostgresServer::start() else { return };
    let home = Home::new().with_database(server.url());
    let said = life(&mut Rng::with_seed(6), "large", 6_000);
    let (before, rest) = said.split_at(5_000);
    let mut child = home.command(1, &["ingest", "-", "--ack"]);
    let mut child = child.stdin(Stdio::piped()).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    let acks = listen(child.stdout.take().expect("its output is a pipe"));
    let first = transcript(before);
    let feeding = thread::spawn(move || stdin.write_all(first.as_bytes()).map(|()| stdin));
    let heard: Vec<String> = acks.iter().take(before.len()).collect();
    thread::sleep(Duration::from_millis(500));
    server.kill();
    server.start_again();
    let mut stdin = feeding.join().expect("feeding ends").expect("it listens");
    stdin.write_all(transcript(rest).as_bytes()).expect("it listens to the end");
    drop(stdin);
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
    assert_eq!(heard.len() + acks.iter().count(), said.len());
    home.check_whole(1, &ids(&said), &said);
}

/// A server that stays away is waited for, and not for ever.
///
/// covers: I4, X-P3
#[test]
#[ignore = "takes minutes"]
fn a_server_that_stays_away_ends_an_ingest_with_a_hint() {
    let Some(server) = TestPostgresServer::start() else { return };
    let home = Home::new().with_database(server.url());
    let said = life(&mut Rng::with_seed(7), "away", 100);
    let mut child = home.command(1, &["ingest", "-", "--ack"]);
    let mut child = child.stdin(Stdio::piped()).spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("its input is a pipe");
    let acks = listen(child.stdout.take().expect("its output is a pipe"));
    stdin.write_all(transcript(&said[..50]).as_bytes()).expect("it listens");
    assert_eq!(acks.iter().take(50).count(), 50);
    server.kill();
    stdin.write_all(transcript(&said[50..]).as_bytes()).expect("it listens");
    drop(stdin);
    let ended = (0..200).find_map(|_| {
        thread::sleep(Duration::from_secs(1));
        child.try_wait().expect("it can be asked")
    });
    if ended.is_none() {
        child.kill().expect("it can be killed");
    }
    let complaint = String::from_utf8(child.wait_with_output().expect("it ends").stderr).expect("text");
    assert_eq!(ended.and_then(|status| status.code()), Some(1), "it did not give up in 200 s: {complaint}");
    assert!(complaint.contains("\nhint: check that the database server is running"), "{complaint}");
    server.start_again();
    home.ingest(1, &said).good();
    home.check_whole(1, &ids(&said), &said);
}
