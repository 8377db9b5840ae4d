//! The power goes. What was acknowledged is there when it comes back, whatever of the database survived.

use cairn_domain::{AgentName, Role};
use cairn_engine::{Effects, Home, Missing, Question};
use cairn_store::Disk;
use cairn_testkit::{LossyDisk, SimulatedClock, run, say};
use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

/// Writes messages one after another, copies the database at a random moment (SQLite may lose any number of its newest
/// commits), cuts the power, opens what is left: the ids that are gone although they were acknowledged, and whatever
/// else does not fit together.
async fn lost_after_power_cut(seed: u64, disk: LossyDisk) -> BTreeSet<String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let clock = SimulatedClock::at("2026-11-15T23:59:00Z");
    // The machine that comes back is another folder: nothing of the first can reach it but what is copied.
    let home = |machine: &str| {
        let disk: Arc<dyn Disk> = Arc::new(disk.clone());
        Home::on_disk(folder.path().join(machine), clock.clone(), disk).expect("a home")
    };
    let (before, after) = (home("before"), home("after"));
    let name: AgentName = "main".parse().expect("a name");
    let mut acknowledged = BTreeSet::new();
    {
        let agent = before.agent(&name, Missing::Create).await.expect("an agent");
        let (messages, copied_at) = (random.usize(1..40), random.usize(..20));
        for i in 0..messages {
            if i == copied_at.min(messages - 1) {
                copy_database(&before.folder(&name), &after.folder(&name));
            }
            clock.pass_ms(random.i64(0..8_000));
            let id = format!("m{i}");
            agent.remember(say(&id, "s", Role::User, &format!("the kettle number {i}"))).await.expect("kept");
            acknowledged.insert(id);
        }
    }
    disk.cut_power(&mut random);
    let agent = after.agent(&name, Missing::Refuse).await.expect("it opens again");
    let recall =
        agent.answer(Question { k: 100, ..Question::new("kettle") }, Effects::None).await.expect("an answer");
    let found: Vec<String> =
        recall.hits.into_iter().filter_map(|hit| hit.found.message()?.message.source_id.clone()).collect();
    let distinct: BTreeSet<String> = found.iter().cloned().collect();
    assert_eq!(distinct.len(), found.len(), "seed {seed}: a message came back twice");
    let findings =
        agent.verify().await.expect("verified").findings.into_iter().map(|finding| finding.problem);
    let lost = acknowledged.difference(&distinct).cloned().chain(findings).collect();
    agent.remember(say("after", "s", Role::User, "and life goes on")).await.expect("kept");
    lost
}

/// Copies the database as it is at this moment.
fn copy_database(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for file in ["memory.db", "memory.db-wal"] {
        if from.join(file).exists() {
            fs::copy(from.join(file), to.join(file)).expect("copied");
        }
    }
}

/// covers: W-24, W-25, X-W2
#[test]
fn what_was_acknowledged_survives_a_power_cut() {
    for seed in 0..60 {
        let lost = run(lost_after_power_cut(seed, LossyDisk::default()));
        assert!(lost.is_empty(), "seed {seed}: {lost:?}");
    }
}

#[test]
fn the_power_cut_would_show_a_store_that_forgets_to_sync() {
    let lost = (0..20)
        .map(|seed| run(lost_after_power_cut(seed, LossyDisk::that_forgets_to_sync())).len())
        .sum::<usize>();
    assert!(lost > 0, "the test above could not fail");
}

/// A writer that has the day's file open notices what others did to it meanwhile.
///
/// covers: W-24
#[test]
fn an_archive_that_was_removed_or_torn_while_it_was_open_is_whole_again() {
    run(async {
        let (folder, home) = cairn_testkit::home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let name: AgentName = "main".parse().expect("a name");
        let agent = home.agent(&name, Missing::Create).await.expect("an agent");
        let day = home.folder(&name).join("archive/2026-11-15.jsonl");
        let lines = || {
            fs::read_to_string(&day).expect("the file").lines().filter(|line| !line.trim().is_empty()).count()
        };
        for (i, harm) in (0..).zip(["none", "removed", "torn"]) {
            let text = fs::read_to_string(&day).unwrap_or_default();
            match harm {
                "removed" => fs::remove_file(&day).expect("removed"),
                // Somebody else was killed while writing a line into the room.
                "torn" => {
                    let lines = text.trim_end_matches([' ', '\n']);
                    fs::write(&day, format!("{lines}\n{{\"id\": \"m9{}\n", " ".repeat(99))).expect("written");
                }
                _ => {}
            }
            agent.remember(say(&format!("m{i}"), "s", Role::User, "the kettle boils")).await.expect("kept");
            assert_eq!(lines(), i + 1, "{harm}");
            assert_eq!(agent.verify().await.expect("verified").findings, [], "{harm}");
        }
        drop(folder);
    });
}
