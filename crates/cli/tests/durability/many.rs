//! Many processes on one memory: nobody is turned away, nothing is kept twice, and what one wrote the next one finds.

use crate::durability::home::{Answer, Home, Said, acknowledged, answer, ids, life, transcript};
use fastrand::Rng;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
};

/// Nobody is told to come back later.
fn untroubled(answer: Answer) -> Answer {
    let answer = answer.good();
    assert_eq!(answer.stderr, "", "{}", answer.stdout);
    answer
}

/// Runs all of them at once; their answers in order.
fn at_once(commands: Vec<(Command, String)>) -> Vec<Answer> {
    let running: Vec<_> = commands
        .into_iter()
        .map(|(command, input)| thread::spawn(move || untroubled(answer(command, &input))))
        .collect();
    running.into_iter().map(|one| one.join().expect("every process succeeds")).collect()
}

/// Four processes ingest, with lines that others send too; three recall in a loop; one remembers, and what it was told
/// is kept is found by a process that begins right after.
///
/// covers: W-24
#[test]
fn eight_processes_share_one_memory() {
    let home = Home::new();
    let mut rng = Rng::with_seed(11);
    let shared = life(&mut rng, "shared", 120);
    let mut all = shared.clone();
    let mut transcripts = Vec::new();
    for writer in 0..4 {
        let own = life(&mut rng, &format!("writer{writer}"), 250);
        all.extend_from_slice(&own);
        let mut lines = [shared.clone(), own].concat();
        rng.shuffle(&mut lines);
        transcripts.push(lines);
    }
    home.ingest(1, &shared[..20]).good();
    let notes = life(&mut rng, "note", 25);
    all.extend_from_slice(&notes);
    thread::scope(|scope| {
        for lines in &transcripts {
            let home = &home;
            scope.spawn(move || {
                let acks = acknowledged(&untroubled(home.ingest(1, lines)).stdout);
                let sent: Vec<&str> = lines.iter().map(|said| said.id.as_str()).collect();
                assert_eq!(acks, sent, "every line is acknowledged, in order");
            });
        }
        for reader in 0..3 {
            let (home, shared) = (&home, &shared);
            scope.spawn(move || {
                for said in shared[..20].iter().skip(reader).step_by(2) {
                    untroubled(home.run(1, &["recall", &said.id, "--json"]));
                    assert!(home.found(1, &said.id).contains(&said.id), "{} was there before", said.id);
                }
            });
        }
        scope.spawn(|| notes.iter().for_each(|note| remembered_is_found(&home, note)));
    });
    let kept = home.kept(1);
    assert_eq!(kept.len(), all.len());
    home.check_whole(1, &ids(&all), &all);
}

fn remember(home: &Home, said: &Said) -> Command {
    let Said { id, session, role, text } = said;
    home.command(1, &["remember", text, "--id", id, "--session", session, "--role", role])
}

fn remembered_is_found(home: &Home, note: &Said) {
    untroubled(answer(remember(home, note), ""));
    let id = &note.id;
    assert!(home.found(1, id).contains(id), "{id} is remembered and not found");
}

/// A process that has its index in memory already finds what another has just been told is kept.
///
/// covers: W-24
#[test]
fn a_process_that_stays_open_finds_what_another_just_kept() {
    let home = Home::new();
    let said = life(&mut Rng::with_seed(14), "open", 20);
    home.ingest(1, &said[..5]).good();
    let mut asking = home.command(1, &["recall", "--batch", "-"]);
    let mut asking = asking.stdin(Stdio::piped()).spawn().expect("the binary starts");
    let mut questions = asking.stdin.take().expect("its input is a pipe");
    let mut answers = BufReader::new(asking.stdout.take().expect("its output is a pipe")).lines();
    for said in &said[5..] {
        remembered_is_found(&home, said);
        writeln!(questions, "{}", json!({"id": said.id, "query": said.id})).expect("it listens");
        let answer = answers.next().expect("every question is answered").expect("answers are text");
        let answer: Value = serde_json::from_str(&answer).expect("answers are JSON");
        assert_eq!(answer["hits"][0]["source_ids"], json!([said.id]), "{answer}");
    }
    drop(questions);
    assert!(asking.wait().expect("it ends").success());
}

/// covers: W-24
#[test]
fn eight_processes_may_all_be_the_first_in_a_new_home() {
    for seed in 0..6 {
        let home = Home::new();
        let said = life(&mut Rng::with_seed(seed), "first", 8);
        at_once(said.iter().map(|said| (remember(&home, said), String::new())).collect());
        home.check_whole(1, &ids(&said), &said);
    }
}

/// A caller that sends everything eight times at once is acknowledged eight times and kept once.
///
/// covers: W-24
#[test]
fn eight_retries_at_once_keep_one_copy() {
    let home = Home::new();
    let said = life(&mut Rng::with_seed(12), "again", 150);
    let ingest = || (home.command(1, &["ingest", "-", "--ack"]), transcript(&said));
    for answer in at_once((0..8).map(|_| ingest()).collect()) {
        assert_eq!(acknowledged(&answer.stdout).len(), said.len());
    }
    assert_eq!(home.kept(1).len(), said.len());
    home.check_whole(1, &ids(&said), &said);
}

/// Eight processes cross midnight together: those whose clock is behind write beside those whose clock is ahead, and
/// no sealed file is written to again.
///
/// covers: X-W2
#[test]
fn eight_processes_cross_the_end_of_a_day_together() {
    let home = Home::new();
    let mut rng = Rng::with_seed(13);
    let lives: Vec<Vec<Said>> = (0..8).map(|i| life(&mut rng, &format!("clock{i}"), 60)).collect();
    let ingest =
        |(i, said): (u32, &Vec<Said>)| (home.command(1 + i % 2, &["ingest", "-", "--ack"]), transcript(said));
    at_once((0..).zip(&lives).map(ingest).collect());
    let all = lives.concat();
    // Only repeats arrive on the third day; a clock that is still on the second may go on writing there.
    home.ingest(3, &lives[0]).good();
    let late = life(&mut rng, "late", 5);
    home.ingest(2, &late).good();
    let all = [all, late].concat();
    home.check_whole(3, &ids(&all), &all);
}
