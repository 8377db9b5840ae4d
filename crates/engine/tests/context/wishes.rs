//! Wishes that stand.

use super::{NOW, agent, at, brief, say, say_as};
use cairn_domain::{Category, Draft, Role};
use cairn_engine::MemoryScope;
use cairn_testkit::{SimulatedClock, home, run};

/// covers: C-266
#[test]
fn wishes_come_in_the_words_they_were_said_in_rules_first() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at(NOW));
        let agent = agent(&home).await;
        say(&agent, "s1", 1, "I prefer tea over coffee.").await;
        say(&agent, "s1", 2, "Always answer me in short sentences, please.").await;
        say(&agent, "s2", 3, "Teodor keeps bees behind the church.").await;
        let wishes = agent.memories(None, MemoryScope::Active, 10).await.expect("memories");
        assert_eq!(wishes.iter().filter(|it| it.memory.category == Category::Preference).count(), 2);
        let text = brief(&agent, "Who keeps bees behind the church?", 2_000).await.text();
        let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
        assert!(place("Wishes that stand:") < place("“Always answer me in short sentences, please.”"));
        assert!(place("Always answer") < place("I prefer tea") && place("I prefer tea") < place("Teodor"));
    });
}

/// covers: C-266
#[test]
fn a_wish_is_the_users_also_where_the_agent_repeats_it() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at(NOW));
        let agent = agent(&home).await;
        say(&agent, "s1", 1, "Always answer in metric units.").await;
        for text in ["Always answer in metric units: understood.", "I always prefer to answer in short."] {
            let draft = Draft {
                session: Some("s1".to_owned()),
                at: Some(at(2)),
                ..Draft::new(Role::Assistant, text)
            };
            say_as(&agent, draft).await;
        }
        let wishes = agent.memories(None, MemoryScope::Active, 10).await.expect("memories");
        assert_eq!(wishes.iter().filter(|it| it.memory.category == Category::Preference).count(), 1);
        let text = brief(&agent, "Who keeps bees behind the church?", 2_000).await.text();
        assert!(text.contains("user: “Always answer in metric units.”"), "{text}");
        assert!(!text.contains("understood") && !text.contains("in short"), "{text}");
    });
}
