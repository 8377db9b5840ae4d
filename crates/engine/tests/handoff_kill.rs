//! A process that writes handoffs is killed at any moment: what it leaves is the old one or the new one, whole. The process is this
//! binary of tests, started again.

use cairn_domain::{Draft, HandoffHealth, HandoffPart, Role};
use cairn_engine::{Agent, Clock, Home, Missing};
use cairn_testkit::{SimulatedClock, run};
use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// Names the folder in the environment of the process that writes.
const WRITER: &str = "CAIRN_TEST_HANDOFF_WRITER";
/// How many kills; CONTRIBUTING.md says how to ask for more.
const KILLS: &str = "CAIRN_HANDOFF_KILLS";
const TEST: &str =
    "handoff_kill::whoever_is_killed_while_writing_a_handoff_leaves_the_old_one_or_the_new_one";
/// A writer whose parent is gone ends by itself.
const MAX_WRITER_TIME: Duration = Duration::from_secs(20);
/// Between the latest moment of a kill and the writer's first handoff it could have written so many more.
const MAX_HANDOFFS: u32 = 4;

async fn agent(folder: &Path, clock: &Arc<SimulatedClock>) -> Agent {
    let home = Home::new(folder, Arc::clone(clock) as Arc<dyn Clock>).expect("a home");
    home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent")
}

/// Writes one handoff after the other until somebody ends it. Tells in microseconds how long the first one took: on a machine
/// with much else to do that is what the moment of a kill is chosen by.
async fn write_on(folder: &Path) {
    let clock = SimulatedClock::at("2026-11-15T10:05:00Z");
    let agent = agent(folder, &clock).await;
    let begun = Instant::now();
    let mut first = None;
    while begun.elapsed() < MAX_WRITER_TIME {
        clock.pass_ms(1_000);
        let one = Instant::now();
        agent.write_handoff_of(Some("tides")).await.expect("written");
        if first.is_none() {
            let took = *first.insert(one.elapsed());
            println!("writing {}", took.as_micros());
        }
    }
}

/// Starts a writer and kills it at a moment of its writing.
fn kill_writer(folder: &Path, random: &mut fastrand::Rng) {
    let mut command = Command::new(env::current_exe().expect("this binary"));
    command.args(["--exact", TEST, "--nocapture"]).env(WRITER, folder);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut said = BufReader::new(child.stdout.take().expect("its output")).lines();
    let took = said.find_map(|line| line.ok()?.split_once("writing ")?.1.parse().ok());
    let took = Duration::from_micros(took.expect("it wrote one"));
    thread::sleep((took * MAX_HANDOFFS).mul_f64(random.f64()));
    child.kill().expect("killed");
    child.wait().expect("ended");
}

/// covers: W-96, W-102
#[test]
fn whoever_is_killed_while_writing_a_handoff_leaves_the_old_one_or_the_new_one() {
    if let Some(folder) = env::var_os(WRITER) {
        return run(write_on(Path::new(&folder)));
    }
    let kills: u64 = env::var(KILLS).ok().and_then(|kills| kills.parse().ok()).unwrap_or(20);
    let folder = tempfile::tempdir().expect("a folder");
    let clock = SimulatedClock::at("2026-11-15T10:00:00Z");
    let mut random = fastrand::Rng::with_seed(7);
    run(async {
        let agent = agent(folder.path(), &clock).await;
        for (role, text) in [
            (Role::User, "We decided to keep the tide tables in SQLite."),
            (Role::Assistant, "I will write the importer by 20 November."),
        ] {
            let (session, thread) = (Some("s".to_owned()), Some("tides".to_owned()));
            agent.remember(Draft { session, thread, ..Draft::new(role, text) }).await.expect("kept");
        }
        agent.write_handoff_of(Some("tides")).await.expect("written");
        let mut versions = std::collections::HashSet::new();
        for kill in 0..kills {
            kill_writer(folder.path(), &mut random);
            let stored = agent.handoffs(10).await.expect("read");
            assert_eq!(stored.len(), 2, "kill {kill}: one of the session, one of the thread");
            for stored in stored {
                assert_ne!(stored.health, HandoffHealth::Quarantined, "kill {kill}: {}", stored.text);
                let handoff = stored.handoff.expect("a whole one");
                let decided = handoff.lines(HandoffPart::WhereWeAre);
                assert!(
                    decided.iter().any(|line| line.text().contains("SQLite")),
                    "kill {kill}: {}",
                    stored.text
                );
                let file = std::fs::read_to_string(stored.file.expect("a file")).expect("the file");
                assert!(
                    file.starts_with("---\nhandoff: 1\n") && file.ends_with("]\n"),
                    "kill {kill}: {file}"
                );
                versions.insert(handoff.written_at);
            }
        }
        assert!(versions.len() > 1, "something was written between the kills");
        let left = folder.path().join("agents/main/handoffs/threads").read_dir().expect("the folder").count();
        assert!(left <= 8, "{left} files are left of {kills} kills");
        println!("{kills} kills, {} different handoffs seen, all whole", versions.len());
    });
}
