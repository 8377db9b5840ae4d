//! Kills at moments that a seed chooses, over every command that writes, on one home after another: nothing acknowledged is
//! lost, nothing is there twice, and everything fits together after each. `CAIRN_CAMPAIGN_KILLS=10000` makes a night of it.

use crate::{
    durability::home::{Home, Kill, Said, answer, ids, life},
    support::{erasing::PASSPHRASE, kills::number_of},
};
use fastrand::Rng;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Kills before a new home is taken.
const KILLS_A_HOME: u64 = 24;
/// Messages that a home begins with, and that a transcript offers.
const MESSAGES: usize = 60;
/// Commands that write, beside ingesting and erasing.
const WRITING: [&str; 9] = [
    "form",
    "dream",
    "consolidate",
    "rhythms run beliefs",
    "operator apply --mode enforce --reason so --yes",
    "operator apply --mode observe --reason so --yes",
    "import other.cairn",
    "rebuild",
    "handoff write",
];

/// A home under kills: what was acknowledged in it, and how long each command takes.
struct KilledHome {
    home: Home,
    said: Vec<Said>,
    acknowledged: BTreeSet<String>,
    usual: BTreeMap<String, Duration>,
}

impl KilledHome {
    fn new(rng: &mut Rng, name: &str) -> Self {
        let other = Home::new();
        let foreign = life(rng, &format!("{name}foreign"), MESSAGES);
        other.ingest(1, &foreign).good();
        let home = Home::new();
        let bundle = other.run(1, &["export", "-"]).good().stdout;
        fs::write(home.path().join("other.cairn"), bundle).expect("written");
        let said = life(rng, name, MESSAGES);
        home.ingest(1, &said).good();
        let acknowledged = ids(&said);
        let mut killed = Self { home, said, acknowledged, usual: BTreeMap::new() };
        killed.said.extend(foreign);
        answer(killed.command("operator init"), "").good();
        killed
    }

    fn command(&self, line: &str) -> Command {
        let args: Vec<&str> = line.split(' ').collect();
        let mut command = self.home.command(1, &args);
        command.current_dir(self.home.path()).env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
        command
    }

    /// Runs a command and kills it somewhere in the time that it took last; whether it died of it.
    fn run_and_kill(&mut self, rng: &mut Rng, line: &str) -> bool {
        let usual = self.usual.get(line).copied().unwrap_or(Duration::from_millis(300));
        let begun = Instant::now();
        let mut command = self.command(line);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
        thread::sleep(usual.mul_f64(rng.f64()));
        child.kill().expect("it can be killed");
        let died = !child.wait().expect("it ends").success();
        if !died {
            self.usual.insert(line.to_owned(), begun.elapsed());
        }
        died
    }

    fn ingest_and_kill(&mut self, rng: &mut Rng, name: &str) -> bool {
        let offered = life(rng, name, MESSAGES);
        let kill = Kill {
            acks: rng.usize(..MESSAGES / 2),
            moment: Duration::from_micros(rng.u64(..30_000)),
            at_a_time: [1, 7][rng.usize(..2)],
        };
        let (acknowledged, died) = self.home.ingest_and_kill(1, &offered, &kill);
        self.acknowledged.extend(acknowledged);
        self.said.extend(offered);
        died
    }

    /// Erases one message, killed and then to its end: it is gone, and nothing else is.
    fn erase_and_kill(&mut self, rng: &mut Rng) -> bool {
        let ids: Vec<String> = self.acknowledged.iter().cloned().collect();
        let Some(id) = rng.choice(ids) else { return false };
        let found = self.home.run(1, &["recall", &id, "--json"]).good().json();
        let hits = found["hits"].as_array().expect("hits");
        let hit = hits.iter().find(|hit| hit["source_ids"][0] == id.as_str());
        let Some(reference) = hit.and_then(|hit| hit["ref"].as_str()) else { return false };
        let line = format!("erase {reference} --yes --reason so");
        let died = self.run_and_kill(rng, &line);
        let again = answer(self.command(&line), "");
        let gone = again.status.success() || again.stderr.contains("no ") || again.stderr.contains("nothing");
        assert!(gone, "{}", again.stderr);
        self.acknowledged.remove(&id);
        assert!(!self.home.kept(1).contains_key(&id), "{id} was erased and is there");
        died
    }

    fn kill_once(&mut self, rng: &mut Rng, name: &str) -> (String, bool) {
        match rng.usize(..WRITING.len() + 3) {
            at if at < WRITING.len() => (WRITING[at].to_owned(), self.run_and_kill(rng, WRITING[at])),
            at if at < WRITING.len() + 2 => ("ingest".to_owned(), self.ingest_and_kill(rng, name)),
            _ => ("erase".to_owned(), self.erase_and_kill(rng)),
        }
    }
}

/// covers: I4, I8, W-24
#[test]
fn kills_over_every_writing_command_lose_and_double_nothing() {
    let (kills, seed) = (number_of("CAIRN_CAMPAIGN_KILLS", 12), number_of("CAIRN_CAMPAIGN_SEED", 1));
    let mut rng = Rng::with_seed(seed);
    let mut died: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let (mut home, mut acknowledged) = (KilledHome::new(&mut rng, "h"), 0);
    for kill in 0..kills {
        if kill % KILLS_A_HOME == 0 && kill > 0 {
            acknowledged += home.acknowledged.len();
            home = KilledHome::new(&mut rng, &format!("h{kill}"));
        }
        let (command, it_died) = home.kill_once(&mut rng, &format!("k{kill}"));
        let counted = died.entry(command.clone()).or_default();
        *counted = (counted.0 + u64::from(it_died), counted.1 + 1);
        println!("kill {kill} of seed {seed}: {command}");
        home.home.check_whole(1, &home.acknowledged, &home.said);
    }
    acknowledged += home.acknowledged.len();
    println!(
        "{kills} kills, {acknowledged} messages acknowledged, none lost or doubled; died of it: {died:?}"
    );
    let hit: u64 = died.values().map(|(died, _)| died).sum();
    assert!(hit * 3 > kills, "only {hit} of {kills} commands died before they were done: {died:?}");
}
