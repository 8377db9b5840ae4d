//! Forgetting, the same in every store.

use super::open_agent::agent;
use cairn_domain::{Draft, MemoryId, Role};
use cairn_engine::{Agent, Briefing, Effects, FormMemories, Home, Question, TimelineQuery, TimelineSubject};

async fn keep(agent: &Agent, session: &str, text: &str) -> Vec<MemoryId> {
    let draft = Draft { session: Some(session.to_owned()), ..Draft::new(Role::User, text) };
    let kept = agent.remember_on_request(draft, FormMemories::Now).await.expect("kept");
    let decisions = kept.formed.expect("formed").decisions;
    decisions.iter().filter_map(|decision| decision.memory).collect()
}

/// Everything that recall, context and a timeline show.
async fn shown(agent: &Agent, question: &str) -> String {
    let recall = agent.answer(Question::new(question), Effects::None).await.expect("an answer");
    let mut shown: Vec<String> = recall.hits.iter().map(|hit| hit.found.text().to_owned()).collect();
    for query in [None, Some(question.to_owned())] {
        let briefing = Briefing { query, tokens: 2_000, ..Briefing::default() };
        shown.push(agent.context(&briefing, Effects::None).await.expect("a brief").text());
    }
    let newest = TimelineQuery { subject: TimelineSubject::Newest, k: 20, as_of: None };
    let newest = agent.timeline(newest).await.expect("a timeline");
    shown.extend(newest.into_iter().map(|record| record.message.text));
    shown.join("\n")
}

pub(super) async fn what_is_forgotten_is_unseen_until_it_is_woken(home: &Home) {
    let agent = agent(home, "main").await;
    let key = keep(&agent, "a", "My spare key lies under the blue flowerpot.").await[0];
    keep(&agent, "b", "My boat is called Aurora.").await;
    let question = "Where is my spare key?";
    assert!(shown(&agent, question).await.contains("flowerpot"));

    let forgotten = agent.forget_memory(key).await.expect("forgotten").memory;
    assert_eq!((forgotten.standing(), forgotten.is_forgotten()), ("forgotten", true));
    assert_eq!(agent.forget_memory(key).await.expect("again").memory, forgotten);
    let told = shown(&agent, question).await;
    assert!(!told.contains("flowerpot") && told.contains("Aurora"), "{told}");
    assert!(agent.memory(key).await.expect("still there").memory.text.contains("flowerpot"));

    let named = Question::new("Is it true that my spare key lies under the blue flowerpot?");
    let looked = agent.answer(named.clone(), Effects::None).await.expect("an answer");
    assert!(looked.hits[0].found.text().contains("flowerpot"), "the question says all of it");
    assert!(agent.memory(key).await.expect("there").memory.is_forgotten(), "it was only looked at");
    agent.answer(named, Effects::Strengthen).await.expect("an answer");
    assert_eq!(agent.memory(key).await.expect("there").memory.standing(), "new");
    assert!(shown(&agent, question).await.contains("flowerpot"));

    agent.forget_memory(key).await.expect("forgotten");
    assert_eq!(agent.wake_memory(key).await.expect("awake").memory.standing(), "new");
    assert!(shown(&agent, question).await.contains("flowerpot"));
}
