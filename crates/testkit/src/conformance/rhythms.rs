//! Rhythms, the same in every store.

use crate::{SimulatedClock, say};
use cairn_domain::{DigestKind, Draft, MILLIS_PER_DAY, Role, RunState};
use cairn_engine::{Agent, Home, RhythmOutcome, RhythmReport};

/// Something to tend: values that change, things that belong together, plans, a correction.
const SAID: [&str; 12] = [
    "I live in Lisbon.",
    "I moved to Porto, I live in Porto now.",
    "My sister Ana works at Bosch in Berlin.",
    "The kiln in Porto fires at 1010 degrees.",
    "We bought two shelves for the kiln in Porto.",
    "The kiln in Porto stands on bricks from 1998.",
    "I'm going to visit Ana in Berlin next week.",
    "I prefer tea over coffee.",
    "We use PostgreSQL 16 for the billing service.",
    "Actually we use PostgreSQL 17 for the billing service.",
    "Marta told me that the mill near Porto is 90 years old.",
    "I decided to paint the workshop in Porto green.",
];

async fn carry_out(agent: &Agent, rhythm: &str) -> RhythmReport {
    let report = agent.run_rhythm(rhythm, &mut |_| {}).await.expect(rhythm);
    assert_eq!(report.outcome, RhythmOutcome::Done, "{rhythm}");
    report
}

/// Every rhythm comes to its end, notes what it did, and does nothing again that it has just done.
///
/// covers: C-267, L-22, L-23, I8, X-P3
pub(super) async fn every_rhythm_is_carried_out_and_does_nothing_twice(home: &Home, clock: &SimulatedClock) {
    let agent = super::open_agent::agent(home, "main").await;
    for (at, text) in SAID.into_iter().enumerate() {
        let draft = say(&format!("m{at}"), &format!("s{}", at / 4), Role::User, text);
        agent.remember(Draft { thread: Some("workshop".into()), ..draft }).await.expect("kept");
        clock.pass_ms(MILLIS_PER_DAY);
    }
    let standing = agent.rhythms().await.expect("rhythms");
    let names: Vec<String> = standing.into_iter().map(|one| one.name).collect();
    assert!(names.len() >= 7, "{names:?}");
    carry_out(&agent, "intake").await;
    clock.pass_ms(90 * MILLIS_PER_DAY);
    let mut changed = 0;
    for name in &names {
        changed += carry_out(&agent, name).await.steps.iter().map(|step| step.changed).sum::<u64>();
    }
    assert!(changed > 20, "only {changed} changes");
    for name in &names {
        let again = carry_out(&agent, name).await;
        let repeated = again.changes.iter().filter(|change| change.what != "made").count();
        assert_eq!(repeated, 0, "{name}: {:?}", again.changes);
    }
    let days = agent.digests(DigestKind::Day, Some(""), 50).await.expect("digests");
    assert!(days.len() >= 8 && days.iter().all(|day| !day.digest.sources.is_empty()), "{days:?}");
    let dream = agent.rhythms().await.expect("rhythms").into_iter().find(|one| one.name == "dream");
    let dream = dream.expect("a dream");
    assert_eq!((dream.last.map(|run| run.state), dream.steps.len()), (Some(RunState::Done), 12));
    let dry = home.try_rhythm(agent.name(), "dream", &mut |_| {}).await.expect("tried");
    assert_eq!(dry.outcome, RhythmOutcome::Done);
    clock.pass_ms(MILLIS_PER_DAY);
    let due = agent.run_due_rhythms(&mut |_| {}).await.expect("run");
    assert!(due.iter().all(|report| matches!(report.outcome, RhythmOutcome::Done)), "{due:?}");
    agent.pause_rhythm("dream").await.expect("paused");
    agent.resume_rhythm("dream").await.expect("resumed");
}
