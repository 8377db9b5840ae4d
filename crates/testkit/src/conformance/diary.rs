//! The diary, the same in every store.

use cairn_domain::Draft;
use cairn_engine::{Disclosure, Home, MemoryScope};
use std::path::Path;

const ENTRY: &str = "I was impatient with Marta today. I decided to answer her questions before lunch.";

/// Entries are opened by their own agent alone, taken in once whoever is at it, and stay out of everything else.
///
/// covers: L-29, X-L4
pub(super) async fn a_diary_is_opened_by_its_own_agent_alone(home: &Home) {
    let agent = super::open_agent::agent(home, "main").await;
    let (entry, made_a_key) = agent.write_diary(ENTRY).await.expect("written");
    assert!(made_a_key && agent.diary_key().exists());
    let (second, made_a_key) = agent.write_diary("The kiln is loud.").await.expect("written");
    assert!(!made_a_key && second.id != entry.id);
    // Intake makes private memories of them, whoever is at it and however often.
    let other_handle = super::open_agent::agent(home, "main").await;
    let intake = async |agent: &cairn_engine::Agent| agent.run_rhythm("intake", &mut |_| {}).await.is_ok();
    assert_eq!(tokio::join!(intake(&agent), intake(&other_handle)), (true, true));
    agent.run_rhythm("intake", &mut |_| {}).await.expect("run");
    let listed = agent.diary(10).await.expect("listed");
    assert_eq!(listed.iter().map(|entry| entry.id).collect::<Vec<_>>(), [second.id, entry.id]);
    let page = agent.open_diary(entry.id).await.expect("opened");
    assert_eq!(page.text, ENTRY);
    assert!(!page.memories.is_empty() && page.entry.taken_at.is_some(), "{page:?}");
    assert_eq!(page.memories.len() as u32, listed[1].memories);
    assert!(page.memories.iter().any(|memory| memory.text.contains("Marta")), "{page:?}");
    let found = agent.recall_diary("who was I impatient with?", 5).await.expect("found");
    assert_eq!(found.iter().map(|(page, _)| page.entry.id).collect::<Vec<_>>(), [entry.id]);
    // Nothing else of the agent knows a word of it.
    assert_eq!(agent.memories(None, MemoryScope::All, 100).await.expect("listed"), []);
    agent.remember(Draft::new(cairn_domain::Role::User, "The kiln is new.")).await.expect("kept");
    for question in ["impatient Marta", "kiln loud"] {
        let hits = super::open_agent::found(&agent, cairn_engine::Question::new(question)).await;
        assert!(hits.iter().all(|text| text == "The kiln is new."), "{hits:?}");
    }
    let mut bundle = Vec::new();
    agent.export(&mut bundle, Path::new("bundle"), Disclosure::Whole).await.expect("exported");
    let found = |words: &str| bundle.windows(words.len()).any(|part| part == words.as_bytes());
    assert!(!found("Marta") && !found("impatient") && !found("diary_entry"));
    // Another agent has a diary and a key of its own.
    let other = super::open_agent::agent(home, "other").await;
    other.write_diary("Nobody here.").await.expect("written");
    assert!(other.open_diary(entry.id).await.is_err());
    assert_eq!(other.diary(10).await.expect("listed").len(), 1);
    // Without the key nothing opens, and no second key takes its place.
    let away = agent.diary_key().with_extension("away");
    std::fs::rename(agent.diary_key(), &away).expect("moved");
    for refused in [agent.open_diary(entry.id).await.err(), agent.write_diary("More.").await.err()] {
        let refused = refused.expect("refused");
        assert!(refused.hint().contains("put the key back"), "{refused}");
    }
    std::fs::copy(other.diary_key(), agent.diary_key()).expect("copied");
    assert!(agent.open_diary(entry.id).await.is_err(), "another's key opens nothing");
    std::fs::rename(away, agent.diary_key()).expect("moved back");
    assert_eq!(agent.open_diary(entry.id).await.expect("opened").text, ENTRY);
}
