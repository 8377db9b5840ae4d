//! The decisions each verb makes for every surface: its bounds, the memories it strengthens and marks.

use cairn_domain::{Draft, Ref, Role};
use cairn_engine::{
    ASKED, Agent, Audience, Briefing, Effects, EngineError, FormMemories, Home, Missing, Question,
    TimelineQuery, TimelineSubject,
    limits::{MAX_CONTEXT_TOKENS, MAX_HITS, MAX_OPENED_REFS, MIN_CONTEXT_TOKENS},
};
use cairn_testkit::{SimulatedClock, home, run};

async fn agent(home: &Home) -> Agent {
    home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent")
}

fn hint<T: std::fmt::Debug>(refused: Result<T, EngineError>) -> String {
    refused.expect_err("refused").hint()
}

#[test]
fn each_verb_refuses_what_is_out_of_bounds_and_says_the_bounds() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        for k in [0, MAX_HITS + 1] {
            let question = Question { k, ..Question::new("boat") };
            assert!(hint(agent.answer(question, Effects::None).await).contains("1 to 1000"));
            let timeline = TimelineQuery { subject: TimelineSubject::Newest, k, as_of: None };
            assert!(hint(agent.timeline(timeline).await).contains("1 to 1000"));
        }
        for tokens in [MIN_CONTEXT_TOKENS - 1, MAX_CONTEXT_TOKENS + 1] {
            let briefing = Briefing { tokens, ..Briefing::default() };
            assert!(hint(agent.context(&briefing, Effects::None).await).contains("50 to 20000"));
        }
        for refs in [0, MAX_OPENED_REFS + 1] {
            let refs = vec!["msg_00000000000000000000000000".to_owned(); refs];
            assert!(hint(agent.open_records(&refs, Audience::Operator).await).contains("1 to 100"));
        }
    });
}

#[test]
fn what_somebody_asks_to_remember_is_marked_as_asked_for() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        let draft = Draft { session: Some("s".to_owned()), ..Draft::new(Role::User, "I moved to Lisbon.") };
        let kept = agent.remember_on_request(draft.clone(), FormMemories::Now).await.expect("kept");
        assert!(kept.formed.is_some_and(|formed| !formed.decisions.is_empty()));
        let reference = Ref::Message(kept.message.message);
        let message = agent.messages_behind(reference).await.expect("there").remove(0).message;
        assert_eq!(message.metadata[ASKED], true);
        let later = Draft { text: "I sail.".to_owned(), ..draft };
        let later = agent.remember_on_request(later, FormMemories::Later).await.expect("kept");
        assert_eq!(later.formed, None);
    });
}

#[test]
fn an_answer_strengthens_what_it_gives_unless_it_only_looks() {
    run(async {
        let clock = SimulatedClock::at("2026-11-15T10:00:00Z");
        let (_folder, home) = home(clock.clone());
        let agent = agent(&home).await;
        let draft = Draft::new(Role::User, "I moved to Lisbon.");
        let kept = agent.remember_on_request(draft, FormMemories::Now).await.expect("kept").message.message;
        let surfaced = async || agent.formed_from(kept).await.expect("formed").0[0].memory.surfaced;
        clock.pass_ms(86_400_000);
        let before = surfaced().await;
        agent.answer(Question::new("Where is Lisbon?"), Effects::None).await.expect("an answer");
        assert_eq!(surfaced().await, before, "it was only looked at");
        agent.answer(Question::new("Where is Lisbon?"), Effects::Strengthen).await.expect("an answer");
        assert_eq!(surfaced().await, before + 1);
    });
}
