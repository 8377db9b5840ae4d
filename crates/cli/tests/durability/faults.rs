//! A disk that fails now and then, and a machine with little room: writes that are refused or cut short, syncs that fail,
//! few file descriptors, little address space, small files, clocks that jump. Commands may fail; then they say so, lose
//! nothing that was acknowledged, and go on once all is well. Linux only; what cannot be arranged here is skipped with a
//! word. `CAIRN_FAULT_RUNS=1000` makes an hour of it.

use crate::{
    durability::home::{Answer, Home, Said, acknowledged, answer, ids, life, transcript},
    support::{erasing::PASSPHRASE, kills::number_of},
};
use fastrand::Rng;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Commands that write, beside ingesting.
const WRITING: [&str; 8] =
    ["remember", "form", "dream", "consolidate", "rhythms run beliefs", "rebuild", "handoff write", "ingest"];
/// Messages of one transcript.
const MESSAGES: usize = 30;

/// The library that lets calls fail; none where there is no compiler.
fn faults(folder: &Path) -> Option<PathBuf> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/durability/faults.c");
    let library = folder.join("faults.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", source, "-ldl", "-o"]).arg(&library);
    let built = compiler.stdout(Stdio::null()).stderr(Stdio::null()).status();
    built.is_ok_and(|status| status.success()).then_some(library)
}

/// How a command may end under a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// As without it.
    Well,
    /// With an error that is told.
    Told,
    /// The system ends it, as it ends whoever asks for memory that is not there.
    Somehow,
}

/// Whatever goes wrong, a command ends by itself and says why.
fn assert_ends_well(line: &str, ended: &Answer) {
    let told = format!("{line}: {:?}\n{}\n{}", ended.status, ended.stdout, ended.stderr);
    assert!(matches!(ended.status.code(), Some(0 | 1)), "{told}");
    assert!(!ended.stderr.contains("panicked"), "{told}");
    assert!(ended.status.success() || ended.stderr.contains("error: "), "{told}");
}

/// A home, with what was acknowledged in it.
struct TriedHome {
    home: Home,
    said: Vec<Said>,
    acknowledged: BTreeSet<String>,
}

impl TriedHome {
    fn new(rng: &mut Rng, name: &str) -> Self {
        let home = Home::new();
        let said = life(rng, name, MESSAGES);
        home.ingest(1, &said).good();
        let acknowledged = ids(&said);
        Self { home, said, acknowledged }
    }

    /// Ingests a transcript with such a command, and notes what it acknowledges.
    fn ingest(&mut self, command: Command, offered: Vec<Said>) -> Answer {
        let ended = answer(command, &transcript(&offered));
        self.acknowledged.extend(acknowledged(&ended.stdout));
        self.said.extend(offered);
        ended
    }

    fn check(&self) {
        self.home.check_whole(1, &self.acknowledged, &self.said);
    }
}

/// covers: I4, I8, W-24
#[test]
fn a_disk_that_fails_now_and_then_costs_nothing_that_was_acknowledged() {
    let (runs, seed) = (number_of("CAIRN_FAULT_RUNS", 12), number_of("CAIRN_FAULT_SEED", 1));
    let folder = tempfile::tempdir().expect("a folder can be made");
    let Some(library) = faults(folder.path()) else {
        eprintln!("skipped: there is no C compiler here");
        return;
    };
    let mut rng = Rng::with_seed(seed);
    let mut tried = TriedHome::new(&mut rng, "h");
    let mut failed: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for run in 0..runs {
        let every = [20, 60, 200, 1_000][rng.usize(..4)];
        let (line, fault_seed) = (WRITING[rng.usize(..WRITING.len())], rng.u64(..));
        let faulty = |mut command: Command| {
            command.env("LD_PRELOAD", &library).env("FAULT_SEED", fault_seed.to_string());
            command.env("FAULT_EVERY", every.to_string());
            command
        };
        println!("run {run} of seed {seed}: {line}, one call in {every}");
        let ended = match line {
            "ingest" => {
                let offered = life(&mut rng, &format!("f{run}"), MESSAGES);
                let command = faulty(tried.home.command(1, &["ingest", "-", "--ack"]));
                tried.ingest(command, offered)
            }
            "remember" => {
                let said = life(&mut rng, &format!("r{run}"), 1).remove(0);
                let args = ["remember", &said.text, "--id", &said.id, "--session", &said.session];
                let ended = answer(faulty(tried.home.command(1, &args)), "");
                if ended.status.success() {
                    tried.acknowledged.insert(said.id.clone());
                }
                tried.said.push(Said { role: "user", ..said });
                ended
            }
            _ => answer(faulty(tried.home.command(1, &line.split(' ').collect::<Vec<_>>())), ""),
        };
        assert_ends_well(line, &ended);
        let counted = failed.entry(line).or_default();
        *counted = (counted.0 + u64::from(!ended.status.success()), counted.1 + 1);
        tried.check();
    }
    println!("{runs} runs, {} messages acknowledged; failed, of: {failed:?}", tried.acknowledged.len());
    let hit: u64 = failed.values().map(|(failed, _)| failed).sum();
    assert!(hit > 0, "nothing ever failed: {failed:?}");
}

/// An operator's change is made, or the command fails: never both.
///
/// covers: I7
#[test]
fn an_operators_change_is_made_or_refused_whatever_the_disk_does() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let Some(library) = faults(folder.path()) else {
        eprintln!("skipped: there is no C compiler here");
        return;
    };
    let home = Home::new();
    home.ingest(1, &life(&mut Rng::with_seed(3), "o", MESSAGES)).good();
    let operator = |args: &str| {
        let mut command = home.command(1, &args.split(' ').collect::<Vec<_>>());
        command.env("CAIRN_OPERATOR_PASSPHRASE", PASSPHRASE);
        command
    };
    answer(operator("operator init"), "").good();
    let mode = || answer(operator("operator status --json"), "").json()["mode"].clone();
    let mut refused = 0;
    for run in 0..12_u64 {
        let wanted = if mode() == "enforce" { "observe" } else { "enforce" };
        let mut command = operator(&format!("operator apply --mode {wanted} --reason so --yes"));
        command
            .env("LD_PRELOAD", &library)
            .env("FAULT_SEED", (run * 101).to_string())
            .env("FAULT_EVERY", "300");
        let ended = answer(command, "");
        assert_ends_well("operator apply", &ended);
        refused += u64::from(!ended.status.success());
        assert_eq!(mode() == wanted, ended.status.success(), "run {run}: {}{}", ended.stdout, ended.stderr);
        assert_eq!(home.run(1, &["verify", "--json"]).json()["ok"], true);
    }
    assert!(refused > 0, "nothing ever failed");
}

/// A command of a home under limits of the shell: `-n 32`, `-v 524288`.
fn limited(home: &Home, limits: &str, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {limits} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_cairn")]);
    home.prepare(&mut command, 1);
    command.args(args);
    command
}

/// covers: I4, W-24
#[test]
fn little_room_is_enough_or_is_told() {
    let mut rng = Rng::with_seed(7);
    for (limits, ends) in [
        ("-n 32", Ends::Well),
        ("-v 524288", Ends::Well),
        ("-v 196608", Ends::Somehow),
        ("-f 64", Ends::Told),
        ("-f 512", Ends::Told),
    ] {
        let mut tried = TriedHome::new(&mut rng, &format!("l{}", limits.replace(['-', ' '], "")));
        for line in ["form", "dream", "recall lantern", "rebuild", "stats", "doctor"] {
            let args: Vec<&str> = line.split(' ').collect();
            let ended = answer(limited(&tried.home, limits, &args), "");
            if ends != Ends::Somehow {
                assert_ends_well(&format!("{limits}: {line}"), &ended);
            }
            assert!(ends != Ends::Well || ended.status.success(), "{limits}: {line}: {}", ended.stderr);
        }
        let offered = life(&mut rng, &format!("o{}", limits.replace(['-', ' '], "")), MESSAGES);
        let command = limited(&tried.home, limits, &["ingest", "-", "--ack"]);
        let ended = tried.ingest(command, offered);
        if ends != Ends::Somehow {
            assert_ends_well(&format!("{limits}: ingest"), &ended);
        }
        assert!(ends != Ends::Well || ended.status.success(), "{limits}: ingest: {}", ended.stderr);
        let left = fs::read_dir(tried.home.agent("archive")).expect("an archive");
        let parts =
            left.filter_map(Result::ok).filter(|it| it.path().extension().is_some_and(|it| it == "part"));
        assert_eq!(parts.count(), 0, "{limits}: nothing unfinished is left behind");
        tried.check();
    }
}

/// covers: I4, I9
#[test]
fn a_clock_that_jumps_costs_nothing() {
    let mut rng = Rng::with_seed(9);
    let home = Home::new();
    let (mut said, mut must) = (Vec::new(), BTreeSet::new());
    for (jump, day) in [10, 2, 28, 1, 15, 3].into_iter().enumerate() {
        let more = life(&mut rng, &format!("j{jump}"), MESSAGES);
        must.extend(acknowledged(&home.ingest(day, &more).good().stdout));
        said.extend(more);
        for line in ["form", "dream", "rhythms run beliefs"] {
            let ended = home.run(day, &line.split(' ').collect::<Vec<_>>());
            assert_ends_well(line, &ended);
        }
        home.check_whole(day, &must, &said);
    }
    assert_eq!(must, ids(&said));
}
