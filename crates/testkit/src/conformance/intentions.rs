//! Intentions, the same in every store.

use super::open_agent::{agent, moved};
use crate::{SimulatedClock, say};
use cairn_domain::{IntentionDecision, IntentionState, MILLIS_PER_DAY, Role};
use cairn_engine::{Agent, Briefing, Effects, Home, IntentionDraft, IntentionScope};

async fn states(agent: &Agent) -> Vec<(String, IntentionState)> {
    let seen = agent.intentions(IntentionScope::All, 20).await.expect("listed");
    seen.into_iter().map(|it| (it.record.words, it.state)).collect()
}

async fn told(agent: &Agent, session: &str) -> bool {
    let session = Some(session.to_owned());
    let briefing = Briefing { session, tokens: 600, ..Briefing::default() };
    agent.context(&briefing, Effects::Strengthen).await.expect("a brief").text().contains("Due now")
}

/// covers: C-261
pub(super) async fn an_intention_waits_is_told_once_and_closes(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    let plants = "Remind me tomorrow to water the plants.";
    let draft = IntentionDraft {
        text: "send the invoice".to_owned(),
        on: Some("in two days".to_owned()),
        ..IntentionDraft::default()
    };
    agent.remember(say("1", "s1", Role::User, plants)).await.expect("kept");
    agent.form(&mut |_| {}).await.expect("formed");
    let set = agent.intend(draft).await.expect("set");
    assert_eq!(set.state, IntentionState::Pending);
    let waiting = agent.intentions(IntentionScope::Open, 20).await.expect("listed");
    assert_eq!(waiting.len(), 2, "{waiting:?}");
    assert!(!told(&agent, "s1").await, "it waits");

    clock.pass_ms(MILLIS_PER_DAY);
    assert!(told(&agent, "s2").await && !told(&agent, "s2").await, "once a session");
    assert!(told(&agent, "s3").await, "and in the next");
    let due = agent.intentions(IntentionScope::Due, 20).await.expect("listed");
    assert_eq!((due.len(), due[0].record.words.as_str()), (1, plants));

    let here = moved(home, &agent).await;
    assert_eq!(states(&here).await, states(&agent).await);
    assert!(!told(&here, "s3").await, "what was told moves along");

    agent.remember(say("2", "s3", Role::User, "I watered the plants this morning.")).await.expect("kept");
    agent.form(&mut |_| {}).await.expect("formed");
    assert!(states(&agent).await.contains(&(plants.to_owned(), IntentionState::Done)), "the talk says so");
    let name = set.record.name().to_string();
    let later = agent.snooze_intention(&name, "in a week").await.expect("put off");
    assert_eq!(later.state, IntentionState::Pending);
    clock.pass_ms(2 * MILLIS_PER_DAY);
    assert!(agent.intentions(IntentionScope::Due, 20).await.expect("listed").is_empty(), "put off");
    let dropped = agent.close_intention(&name, IntentionDecision::Dropped).await.expect("dropped");
    assert_eq!(dropped.state, IntentionState::Dropped);
    assert!(agent.intentions(IntentionScope::Open, 20).await.expect("listed").is_empty());
    agent.close_intention("msg_00000000000000000000000000", IntentionDecision::Done).await.expect_err("none");
}
