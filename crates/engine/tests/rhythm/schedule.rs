//! When rhythms run: once each, whoever asks, whatever the clock does.

use crate::rhythm::world::{CONFIG, World, day, memory};
use cairn_domain::{Draft, Role, RunState};
use cairn_engine::{Missing, RhythmOutcome};
use cairn_store::MemoryAttachments;
use cairn_testkit::run;

async fn ran(world: &World) -> Vec<String> {
    let reports = world.agent.run_due_rhythms(&mut |_| {}).await.expect("run");
    let night = ["dream", "rehearsal"];
    let done = reports.into_iter().filter(|report| report.outcome == RhythmOutcome::Done);
    done.map(|report| report.rhythm).filter(|rhythm| night.contains(&rhythm.as_str())).collect()
}

/// covers: L-03, L-17, L-24
#[test]
fn what_was_missed_is_caught_up_once_and_what_rests_is_left_alone() {
    run(async {
        let world = World::new().await;
        assert_eq!(ran(&world).await, Vec::<String>::new(), "nothing is due when it is first seen");
        world.pass_days(5);
        assert_eq!(ran(&world).await, ["dream", "rehearsal"], "five nights are caught up in one");
        assert_eq!(ran(&world).await, Vec::<String>::new());
        world.agent.pause_rhythm("dream").await.expect("paused");
        world.pass_days(1);
        assert_eq!(ran(&world).await, ["rehearsal"]);
        let standing = world.agent.rhythms().await.expect("listed");
        let dream = standing.iter().find(|one| one.name == "dream").expect("a rhythm");
        assert!(dream.paused_at.is_some() && dream.stuck.as_ref().is_some_and(|why| why.contains("resume")));
        world.agent.resume_rhythm("dream").await.expect("resumed");
        assert_eq!(ran(&world).await, ["dream"]);
        assert!(world.agent.pause_rhythm("naps").await.expect_err("unknown").hint().contains("dream"));
    });
}

/// covers: I8
#[test]
fn a_clock_that_jumps_makes_nothing_run_twice_and_stops_nothing() {
    run(async {
        let world = World::new().await;
        ran(&world).await;
        world.pass_days(1);
        assert_eq!(ran(&world).await, ["dream", "rehearsal"]);
        world.clock.pass_ms(-3_600_000);
        assert_eq!(ran(&world).await, Vec::<String>::new(), "an hour back");
        world.pass_days(365);
        assert_eq!(ran(&world).await, ["dream", "rehearsal"], "a year forward");
        world.pass_days(-365);
        assert_eq!(ran(&world).await, Vec::<String>::new(), "and back again");
        world.pass_days(1);
        assert_eq!(ran(&world).await, ["dream", "rehearsal"], "and the days go on");
    });
}

/// covers: L-19, L-24
#[test]
fn of_several_at_once_one_does_it() {
    run(async {
        let world = World::new().await;
        world
            .make((0..40).map(|at| (memory(&format!("number {at}")), MemoryAttachments::default())).collect())
            .await;
        ran(&world).await;
        world.pass_days(3);
        let name = "main".parse().expect("a name");
        let mut others = Vec::new();
        for _ in 0..3 {
            others.push(world.home.agent(&name, Missing::Refuse).await.expect("an agent"));
        }
        let run_one =
            async |agent: &cairn_engine::Agent| agent.run_due_rhythms(&mut |_| {}).await.expect("run");
        let (a, b, c) = tokio::join!(run_one(&others[0]), run_one(&others[1]), run_one(&others[2]));
        let done: Vec<_> =
            [a, b, c].into_iter().flatten().filter(|report| report.outcome == RhythmOutcome::Done).collect();
        for rhythm in ["dream", "rehearsal"] {
            assert_eq!(done.iter().filter(|report| report.rhythm == rhythm).count(), 1, "{rhythm}");
        }
        let runs = world.store.read(|view| view.runs("dream", 9)).await.expect("runs");
        assert_eq!(runs.iter().map(|run| run.state).collect::<Vec<_>>(), [RunState::Done]);
    });
}

/// covers: W-95, W-137, L-03
#[test]
fn the_night_shift_waits_for_its_hours_and_until_nobody_speaks() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let config = format!("{CONFIG}night = \"22:00-05:00\"\n");
        let world = World::with(folder.path(), "2026-03-01T02:00:00Z", &config, |home| home).await;
        world.make(vec![(memory("fades"), MemoryAttachments::default())]).await;
        ran(&world).await;
        world.clock.set("2026-03-02T12:00:00Z");
        assert_eq!(ran(&world).await, Vec::<String>::new(), "not at noon");
        let standing = world.agent.rhythms().await.expect("listed");
        let dream = standing.iter().find(|one| one.name == "dream").expect("a rhythm");
        assert!(dream.stuck.as_ref().is_some_and(|why| why.contains("22:00-05:00")), "{dream:?}");
        world.clock.set("2026-03-02T23:00:00Z");
        world.agent.remember(Draft::new(Role::User, "Good night, I am going to bed.")).await.expect("kept");
        world.clock.pass_ms(60_000);
        assert_eq!(ran(&world).await, Vec::<String>::new(), "somebody is speaking");
        world.clock.pass_ms(120_000);
        assert_eq!(ran(&world).await, ["dream", "rehearsal"]);
        let now = world.memory("fades").await.memory.stability;
        assert!(now < 4.0 && day(2) > day(1));
    });
}
