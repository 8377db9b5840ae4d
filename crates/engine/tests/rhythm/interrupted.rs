//! Kill -9 after every single batch of every rhythm, in a real process, and go on: the end is that of one that was left in
//! peace.

use crate::{
    rhythm::dream::full_of_things_to_do,
    rhythm::world::{CONFIG, START, World, assert_same},
};
use cairn_engine::RhythmOutcome;
use cairn_testkit::run;
use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

const FOLDER: &str = "CAIRN_TEST_FOLDER";
const RHYTHM: &str = "CAIRN_TEST_RHYTHM";
const AFTER: &str = "CAIRN_TEST_KILL_AFTER";
const NOW: &str = "CAIRN_TEST_NOW";
/// Small batches, so that there are many.
const SMALL: &str = "batch = 5\n";

/// In another process: carries a rhythm out and is gone after so many batches.
#[test]
fn child() {
    let Ok(folder) = env::var(FOLDER) else { return };
    let variable = |name: &str| env::var(name).expect("set");
    let left: u32 = variable(AFTER).parse().expect("a number");
    run(async {
        let config = format!("{CONFIG}{SMALL}");
        let world = World::with(Path::new(&folder), &variable(NOW), &config, |home| home).await;
        let mut left = left;
        let mut on_batch = |_: cairn_engine::RhythmProgress<'_>| {
            left -= 1;
            if left == 0 {
                let own = rustix::process::getpid();
                rustix::process::kill_process(own, rustix::process::Signal::KILL).expect("killed");
            }
        };
        let report = world.agent.run_rhythm(&variable(RHYTHM), &mut on_batch).await.expect("run");
        assert_eq!(report.outcome, RhythmOutcome::Done);
    });
}

/// Whether the child came to the end of the rhythm.
fn carry_out(folder: &Path, rhythm: &str, now: &str, kill_after: u32) -> bool {
    let mut child = Command::new(env::current_exe().expect("this test"));
    child
        .args(["--exact", "rhythm::interrupted::child", "--nocapture"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    child.env(FOLDER, folder).env(RHYTHM, rhythm).env(NOW, now).env(AFTER, kill_after.to_string());
    child.status().expect("it runs").success()
}

/// Each time later than the lease of the one before.
fn minute(minute: u32) -> String {
    format!("2026-05-30T{:02}:{:02}:00Z", 3 + minute / 60, minute % 60)
}

async fn state(folder: &Path) -> Vec<String> {
    World::at(folder, START).await.state().await
}

/// Whether the last run of a rhythm is done.
async fn done(folder: &Path, rhythm: &str) -> bool {
    let world = World::at(folder, START).await;
    let last = world.store.read(|view| view.runs(rhythm, 1)).await.expect("runs").pop();
    last.is_some_and(|run| run.state == cairn_domain::RunState::Done)
}

async fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    full_of_things_to_do(&World::at(folder.path(), START).await).await;
    folder
}

/// covers: L-21, L-22, L-23, L-24, I8
#[test]
fn a_dream_that_is_killed_after_every_batch_ends_as_one_left_in_peace() {
    run(async {
        let peaceful = prepared().await;
        assert!(carry_out(peaceful.path(), "dream", &minute(0), u32::MAX));
        let expected = state(peaceful.path()).await;
        assert!(expected.iter().any(|row| row.contains("(×4")), "it dreamed");
        // Killed after each batch, again and again, until it is done.
        let killed = prepared().await;
        let mut times = 0;
        while !done(killed.path(), "dream").await {
            assert!(!carry_out(killed.path(), "dream", &minute(5 * times), 1));
            times += 1;
            assert!(times < 200, "it does not get on");
        }
        assert!(times > 20, "killed {times} times");
        assert_same(&expected, &state(killed.path()).await, "killed after every batch");
        // The other rhythms, one after the other, as well.
        for rhythm in [
            "intake",
            "consolidation:short-term",
            "consolidation:long-term",
            "rehearsal",
            "digests",
            "beliefs",
            "revalidation",
            "standing",
        ] {
            let now = "2026-06-09T12:00:00Z";
            assert!(carry_out(peaceful.path(), rhythm, now, u32::MAX));
            let mut hours = 0;
            loop {
                let now = format!("2026-06-09T{:02}:{:02}:00Z", 12 + hours / 12, hours % 12 * 5);
                assert!(!carry_out(killed.path(), rhythm, &now, 1));
                hours += 1;
                if done(killed.path(), rhythm).await {
                    break;
                }
                assert!(hours < 140, "{rhythm} does not get on");
            }
            let expected = state(peaceful.path()).await;
            assert_same(&expected, &state(killed.path()).await, &format!("{rhythm}, killed {hours} times"));
        }
        // Killed once, after each of the batches.
        for after in [1, 2, 3, 5, 8, 13, 21] {
            let once = prepared().await;
            assert!(!carry_out(once.path(), "dream", &minute(0), after), "killed after {after}");
            assert!(carry_out(once.path(), "dream", &minute(30), u32::MAX));
            assert_same(&expected, &state(once.path()).await, &format!("killed after {after}"));
        }
    });
}
