//! Recall of digests, the same in every store.

use crate::{SimulatedClock, say};
use cairn_domain::{DigestKind, Draft, MILLIS_PER_DAY, Mode, RecordKind, Role, Time};
use cairn_engine::{Agent, Effects, Found, Home, Question};
use cairn_store::DigestRecord;

/// The words said, one text a day, from 2026-11-15 on.
const SAID: [&str; 9] = [
    "I live in Lisbon.",
    "The kiln in Porto fires at 1010 degrees.",
    "We bought two shelves for the kiln in Porto.",
    "The kiln in Porto stands on bricks from 1998.",
    "I prefer tea over coffee.",
    "My sister Ana works at Bosch in Berlin.",
    "The workshop in Porto opens at nine.",
    "Marta told me that the mill near Porto is 90 years old.",
    "I decided to paint the workshop in Porto green.",
];

async fn recalled(agent: &Agent, question: Question) -> Vec<(DigestRecord, usize)> {
    let hits = agent.answer(question, Effects::None).await.expect("an answer").hits;
    let digest = |found| match found {
        Found::Digest(record, messages) => Some((record, messages.len())),
        Found::Message(_)
        | Found::Memory(..)
        | Found::Belief(_)
        | Found::Attachment(_)
        | Found::Shared(_) => None,
    };
    hits.into_iter().filter_map(|hit| digest(hit.found)).collect()
}

fn of_digests(text: &str) -> Question {
    Question { kinds: vec![RecordKind::Digest], ..Question::new(text) }
}

/// A digest is found by its time and by its subject, beside everything else and by itself, and never tells as
/// current what came up and no longer holds.
///
/// covers: K-78, X-B10, X-B13
pub(super) async fn what_was_condensed_is_recalled(home: &Home, clock: &SimulatedClock) {
    let agent = super::open_agent::agent(home, "main").await;
    for (at, text) in SAID.into_iter().enumerate() {
        let draft = say(&format!("m{at}"), &format!("s{at}"), Role::User, text);
        agent.remember(Draft { thread: Some("workshop".into()), ..draft }).await.expect("kept");
        clock.pass_ms(MILLIS_PER_DAY);
    }
    agent.form(&mut |_| {}).await.expect("formed");
    assert_eq!(recalled(&agent, of_digests("kiln in Porto")).await, [], "nothing is condensed yet");
    clock.pass_ms(30 * MILLIS_PER_DAY);
    agent.run_rhythm("digests", &mut |_| {}).await.expect("digests");

    let found = recalled(&agent, Question::new("What happened in November 2026?")).await;
    let kinds: Vec<DigestKind> = found.iter().map(|(record, _)| record.digest.kind).collect();
    assert!(kinds.contains(&DigestKind::Month) && kinds.len() <= 2, "{found:?}");
    let profile = recalled(&agent, of_digests("What do you know about the kiln in Porto?")).await;
    let profile = profile.iter().find(|(it, _)| it.digest.kind == DigestKind::Profile).expect("a profile");
    assert_eq!(profile.0.digest.scope, "porto");
    assert!(profile.1 > 0 && !profile.0.digest.sources.is_empty(), "{profile:?}");
    assert_eq!(agent.digest(profile.0.id).await.expect("opened"), profile.0);
    for kinds in [
        vec![RecordKind::Exchange],
        vec![RecordKind::Memory],
        vec![RecordKind::Exchange, RecordKind::Memory, RecordKind::Belief],
    ] {
        let question = Question { kinds, ..Question::new("What happened in November 2026 with the kiln?") };
        assert_eq!(recalled(&agent, question).await, []);
    }
    filters_leave_digests_out(&agent).await;

    // What it tells of a home is over: it is not told as if it were so.
    let asked = of_digests("Do I live in Lisbon?");
    let tells =
        |found: &[(DigestRecord, usize)]| found.iter().any(|(it, _)| it.digest.text.contains("Lisbon"));
    assert!(tells(&recalled(&agent, asked.clone()).await), "or the next would prove nothing");
    agent
        .remember(say("moved", "s9", Role::User, "I moved to Braga, I live in Braga now."))
        .await
        .expect("kept");
    agent.form(&mut |_| {}).await.expect("formed");
    let after = recalled(&agent, asked.clone()).await;
    assert!(!tells(&after), "{after:?}");
    assert!(
        tells(&recalled(&agent, Question { timeline: true, ..asked }).await),
        "it is how things came to be"
    );
}

async fn filters_leave_digests_out(agent: &Agent) {
    let asked = || of_digests("What was done with the kiln in November 2026?");
    assert!(!recalled(agent, asked()).await.is_empty(), "or these would prove nothing");
    let before: Time = "2026-11-14".parse().expect("a time");
    for left_out in [
        Question { session: Some("s1".into()), ..asked() },
        Question { sender: Some(Role::User), ..asked() },
        Question { mode: Some(Mode::Code), ..asked() },
        Question { as_of: Some(before), ..asked() },
        Question { thread: Some("garden".into()), within_thread: true, ..asked() },
    ] {
        assert_eq!(recalled(agent, left_out.clone()).await, [], "{left_out:?}");
    }
    let within = Question { thread: Some("workshop".into()), within_thread: true, ..asked() };
    let within = recalled(agent, within).await;
    assert!(
        !within.is_empty() && within.iter().all(|(it, _)| it.digest.scope == "thread:workshop"),
        "{within:?}"
    );
    let earlier: Time = "2026-11-20".parse().expect("a time");
    let earlier_found = recalled(agent, Question { as_of: Some(earlier), ..asked() }).await;
    assert!(earlier_found.iter().all(|(it, _)| it.digest.until <= earlier), "{earlier_found:?}");
    let chat = recalled(agent, Question { mode: Some(Mode::Chat), ..asked() }).await;
    let from_memories = |it: &DigestRecord| it.digest.sources.iter().all(|source| source.starts_with("mem_"));
    assert!(!chat.is_empty() && chat.iter().all(|(it, _)| from_memories(it)), "{chat:?}");
}
