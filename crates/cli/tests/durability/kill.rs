//! Killed without warning, at moments that a seed chooses, again and again on the same home.

use crate::{
    durability::home::{Home, Kill, Said, answer, ids, life},
    support::kills::{crash_rounds, number_of},
};
use fastrand::Rng;
use std::{
    collections::BTreeSet,
    fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Rounds before a new home is taken.
const ROUNDS_A_HOME: u64 = 20;
/// Rounds that share a recording day, so that some kills fall on the end of a day.
const ROUNDS_A_DAY: u64 = 4;
/// Messages offered in a round, more than are waited for.
const OFFERED: usize = 400;
/// The most acknowledgements that are waited for.
const WAITED_FOR: usize = 150;
/// Messages around the kill that the caller sends again in the round after, not knowing what became of them.
const SENT_AGAIN: usize = 60;

/// Runs `round` and says which seed it was if it fails.
fn with_seed(seed: u64, round: impl FnOnce(Rng)) {
    if let Err(failure) = catch_unwind(AssertUnwindSafe(|| round(Rng::with_seed(seed)))) {
        eprintln!("failed with seed {seed}; CAIRN_CRASH_SEED={seed} begins there");
        resume_unwind(failure);
    }
}

/// A life under kills so far: everything offered, and everything acknowledged.
struct Life {
    home: Home,
    said: Vec<Said>,
    acknowledged: BTreeSet<String>,
    /// The first of `said` after the last acknowledgement.
    reached: usize,
}

impl Life {
    fn new() -> Self {
        Self { home: Home::new(), said: Vec::new(), acknowledged: BTreeSet::new(), reached: 0 }
    }

    /// Offers a transcript and kills the process after a random number of acknowledgements and a moment more. Whether
    /// it died before it was done.
    fn ingest_and_kill(&mut self, rng: &mut Rng, day: u32, name: &str) -> bool {
        let offered = life(rng, name, OFFERED);
        let again = self.said[self.reached.saturating_sub(SENT_AGAIN / 2)..].iter().take(SENT_AGAIN);
        let sent: Vec<Said> = again.chain(&offered).cloned().collect();
        self.said.extend(offered);
        // One in three dies while it opens what the last one left, or soon after.
        let early = rng.u8(..3) == 0;
        let kill = Kill {
            acks: if early { 0 } else { rng.usize(..WAITED_FOR) },
            moment: Duration::from_micros(rng.u64(..if early { 30_000 } else { 2_000 })),
            at_a_time: [1, 7, 64][rng.usize(..3)],
        };
        let (acknowledged, died) = self.home.ingest_and_kill(day, &sent, &kill);
        self.acknowledged.extend(acknowledged);
        let last = self.said.iter().rposition(|said| self.acknowledged.contains(&said.id));
        self.reached = last.map_or(0, |last| last + 1);
        died
    }

    /// Nothing is ingested again before this looks.
    fn check(&self, rng: &mut Rng, day: u32) {
        let made = ["memory.db", "archive"].iter().any(|name| self.home.agent(name).exists());
        if !made && self.acknowledged.is_empty() {
            // It died before there was an agent, and promised nothing.
            return;
        }
        let promised: Vec<&String> = self.acknowledged.iter().collect();
        if let Some(id) = rng.choice(promised) {
            assert!(self.home.found(day, id).contains(id), "{id} is acknowledged and not found");
        }
        self.home.check_whole(day, &self.acknowledged, &self.said);
    }
}

/// Nothing acknowledged is lost by kill -9 at any point (design, invariant 4), crash after crash on the same home, over
/// day ends and with retries; the archive stays the ground truth that everything else agrees with.
///
/// covers: W-24, X-W2
#[test]
fn whatever_was_acknowledged_survives_kill_after_kill() {
    let (rounds, seed) = (crash_rounds(), number_of("CAIRN_CRASH_SEED", 1));
    let mut life = Life::new();
    let mut killed = 0;
    for round in 0..rounds {
        if round % ROUNDS_A_HOME == 0 {
            life = Life::new();
        }
        with_seed(seed + round, |mut rng| {
            let day = 1 + (round % ROUNDS_A_HOME / ROUNDS_A_DAY) as u32;
            killed += u64::from(life.ingest_and_kill(&mut rng, day, &format!("r{round}")));
            life.check(&mut rng, day);
        });
    }
    assert!(killed * 2 > rounds, "only {killed} of {rounds} rounds died before they were done: kill earlier");
}

/// Starts `cairn` and kills it at a random moment of `usual`, the time it takes to finish; whether it died of it.
fn run_and_kill(home: &Home, rng: &mut Rng, args: &[&str], usual: Duration) -> bool {
    let mut child = home.command(3, args).spawn().expect("the binary starts");
    thread::sleep(usual.mul_f64(rng.f64()));
    child.kill().expect("it can be killed");
    !child.wait().expect("it ends").success()
}

fn rounds_of_upkeep() -> u64 {
    crash_rounds().max(20) / 2
}

/// A rebuild that is killed has either happened or not (design, invariant 4).
///
/// covers: W-25
#[test]
fn a_rebuild_that_is_killed_loses_nothing() {
    let home = Home::new();
    let said = life(&mut Rng::with_seed(2), "kept", 1_200);
    for (day, said) in (1..).zip(said.chunks(400)) {
        home.ingest(day, said).good();
    }
    let question = &said[700].id;
    let before = home.found(3, question);
    let begun = Instant::now();
    home.run(3, &["rebuild"]).good();
    let usual = begun.elapsed();
    let mut killed = 0;
    for round in 0..rounds_of_upkeep() {
        with_seed(round, |mut rng| {
            killed += u64::from(run_and_kill(&home, &mut rng, &["rebuild"], usual));
            assert_eq!(home.found(3, question), before);
            home.check_whole(3, &ids(&said), &said);
        });
    }
    assert!(killed > 0, "no rebuild was killed before it was done");
    home.run(3, &["rebuild"]).good();
    home.check_whole(3, &ids(&said), &said);
}

/// An import that is killed leaves what was there, and running it again completes it without repeating anything
/// (design, invariant 4).
#[test]
fn an_import_that_is_killed_loses_nothing_and_can_be_run_again() {
    let mut rng = Rng::with_seed(3);
    let (own, other) = (life(&mut rng, "own", 200), life(&mut rng, "other", 3_000));
    let source = Home::new();
    source.ingest(1, &other).good();
    let bundle = source.path().join("other.cairn");
    let bundle = bundle.to_str().expect("test paths are text");
    let begun = Instant::now();
    source.run(1, &["export", bundle]).good();
    answer(source.command(1, &["--agent", "copy", "import", bundle]), "").good();
    let usual = begun.elapsed();
    let said: Vec<Said> = own.iter().chain(&other).cloned().collect();
    let (mut home, mut killed) = (Home::new(), 0);
    for round in 0..rounds_of_upkeep() {
        if round % 4 == 0 {
            home = Home::new();
            home.ingest(2, &own).good();
        }
        with_seed(round, |mut rng| {
            killed += u64::from(run_and_kill(&home, &mut rng, &["import", bundle], usual));
            home.check_whole(3, &ids(&own), &said);
        });
    }
    assert!(killed > 0, "no import was killed before it was done");
    home.run(3, &["import", bundle]).good();
    home.check_whole(3, &ids(&said), &said);
}

const PASSPHRASE: &str = "a quiet harbour";

/// Every file below a folder that holds `words`.
fn holding(folder: &Path, words: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(&path, words));
        } else if fs::read(&path).expect("a file").windows(words.len()).any(|bytes| bytes == words) {
            found.push(path);
        }
    }
    found
}

/// Erases a session; killed after `moment`, if there is one.
fn erase(home: &Home, moment: Option<Duration>) -> bool {
    let args = ["erase", "--session", "gone-session-0", "--yes", "--reason", "asked to be forgotten"];
    let mut command = home.command(4, &args);
    command.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
    let Some(moment) = moment else { return answer(command, "").status.success() };
    let mut child = command.spawn().expect("the binary starts");
    thread::sleep(moment);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends").success()
}

/// A home that was grown and backed up, with a session that is to go.
fn grown() -> (Home, Vec<Said>) {
    let home = Home::new();
    let (stays, gone) = (life(&mut Rng::with_seed(5), "stays", 80), life(&mut Rng::with_seed(6), "gone", 40));
    for (day, said) in [(1, &stays[..40]), (2, &gone[..]), (3, &stays[40..])] {
        home.ingest(day, said).good();
    }
    for args in [&["form"][..], &["dream"], &["backup"], &["rhythms", "run", "beliefs"]] {
        home.run(3, args).good();
    }
    let mut init = home.command(3, &["operator", "init"]);
    init.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
    answer(init, "").good();
    (home, stays)
}

/// An erasure that is killed and run again ends as one that was left in peace: the words are in no file, and the rest is whole.
///
/// covers: X-P5, I4
#[test]
fn an_erasure_that_is_killed_and_run_again_ends_as_one_left_in_peace() {
    let (home, _) = grown();
    assert!(holding(home.path(), b"gonen7 ").len() >= 3, "a check that cannot see it proves nothing");
    let begun = Instant::now();
    assert!(erase(&home, None));
    let usual = begun.elapsed();
    let mut killed = 0;
    for round in 0..rounds_of_upkeep() / 2 {
        with_seed(round, |mut rng| {
            let (home, stays) = grown();
            killed += u64::from(!erase(&home, Some(usual.mul_f64(0.3 + 0.7 * rng.f64()))));
            // Whoever comes next finishes what was begun; if nothing was, it is erased now.
            erase(&home, None);
            home.check_whole(4, &ids(&stays), &stays);
            assert_eq!(holding(home.path(), b"gonen7 "), Vec::<PathBuf>::new());
            home.run(4, &["remember", "Life goes on in the orchard."]).good();
            home.run(4, &["form"]).good();
        });
    }
    assert!(killed > 0, "no erasure was killed before it was done");
}
