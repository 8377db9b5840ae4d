//! Contexts: the last words, findings, plans, and the question that a follow-up leans on.

use super::{NOW, agent, asked, at, brief, say, say_as};
use cairn_domain::{Draft, Role};
use cairn_engine::{Agent, Briefing, Effects, Question};
use cairn_testkit::{SimulatedClock, home, run};

async fn newest(agent: &Agent, thread: Option<&str>) -> String {
    let briefing = Briefing { thread: thread.map(str::to_owned), tokens: 600, ..Briefing::default() };
    asked(agent, briefing).await.text()
}

#[test]
fn without_a_question_the_newest_talk_is_reached_whatever_its_project() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at(NOW));
        let agent = agent(&home).await;
        say(&agent, "spring", 1, "My harbour gauge is called Skagen.").await;
        let late = Draft {
            session: Some("autumn".to_owned()),
            thread: Some("boats".to_owned()),
            at: Some(at(90)),
            ..Draft::new(Role::User, "Could you look over the varnish list once more?")
        };
        agent.remember(late.clone()).await.expect("kept");
        let told = newest(&agent, None).await;
        assert!(told.contains("Skagen") && told.contains("varnish list"), "{told}");
        assert!(newest(&agent, Some("boats")).await.contains("varnish list"));
        let elsewhere = newest(&agent, Some("bees")).await;
        assert!(!elsewhere.contains("varnish list"), "another project's: {elsewhere}");
        let here = Briefing { session: Some("autumn".to_owned()), tokens: 600, ..Briefing::default() };
        assert!(!asked(&agent, here).await.text().contains("varnish list"), "it is before the model already");
    });
}

#[test]
fn a_question_for_what_was_found_out_gets_the_answer_and_not_the_question() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at(NOW));
        let agent = agent(&home).await;
        let said = |day: i64, role, text: &str| Draft {
            session: Some(format!("s{day}")),
            at: Some(at(day)),
            ..Draft::new(role, text)
        };
        let question = "What did we find out about the login bug?";
        say_as(&agent, said(1, Role::User, "The login bug keeps people out on Mondays.")).await;
        say_as(
            &agent,
            said(1, Role::Assistant, "The login bug comes from a token that expires at midnight."),
        )
        .await;
        say_as(&agent, said(2, Role::User, question)).await;
        let briefing = Briefing {
            query: Some(question.to_owned()),
            session: Some("new".to_owned()),
            tokens: 600,
            ..Briefing::default()
        };
        let told = asked(&agent, briefing).await.text();
        assert!(told.contains("expires at midnight") && !told.contains("find out"), "{told}");
    });
}

#[test]
fn whoever_asks_the_same_again_and_again_is_answered() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at(NOW));
        let agent = agent(&home).await;
        say(&agent, "a", 1, "I live with a grey cat.").await;
        say(&agent, "a", 2, "I moved to Graça, a hill in Lisbon.").await;
        for asked in 0..40 {
            say(&agent, &format!("asked {asked}"), 3 + asked, "where do I live now?").await;
        }
        let question = Question { k: 5, ..Question::new("where do I live now?") };
        let recall = agent.answer(question, Effects::None).await.expect("an answer");
        let texts: Vec<&str> = recall.hits.iter().map(|hit| hit.found.text()).collect();
        assert!(texts[0].contains("Graça"), "{texts:?}");
        assert_eq!(texts.iter().filter(|text| text.starts_with("where do I")).count(), 1, "{texts:?}");
        assert!(recall.aids.iter().all(|aid| !aid.text.contains("where do I")), "{:?}", recall.aids);
        let told = brief(&agent, "where do I live now?", 600).await.text();
        assert!(told.contains("Graça") && !told.contains("where do I"), "{told}");
    });
}

#[test]
fn a_plan_whose_day_is_over_is_shown_as_one() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at(NOW));
        let agent = agent(&home).await;
        say(&agent, "a", 1, "I will visit the lighthouse museum on 20 June 2026.").await;
        say(&agent, "b", 2, "I will visit the harbour museum on 20 December 2026.").await;
        let told = brief(&agent, "Which museum will I visit?", 600).await.text();
        assert!(told.contains("20 June 2026.” [was planned for 2026-06-20]"), "{told}");
        assert!(!told.contains("[was planned for 2026-12-20]"), "{told}");
    });
}

#[test]
fn a_follow_up_is_answered_in_the_light_of_what_was_asked_before_in_its_session() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at(NOW));
        let agent = agent(&home).await;
        say(&agent, "a", 1, "Marlene keeps the lighthouse, she paints its door every spring.").await;
        say(&agent, "b", 2, "Teodor runs the bakery, his oven is from Lyon.").await;
        let after = Some("Who is Marlene?".to_owned());
        let asked_alone = Question { k: 1, ..Question::new("What does she paint?") };
        let followed = Question { after, ..Question::new("And where from?") };
        let first = async |question: Question| {
            let recall = agent.answer(question, Effects::None).await.expect("an answer");
            recall.hits.first().map(|hit| hit.found.text().to_owned()).unwrap_or_default()
        };
        assert!(first(asked_alone).await.contains("Marlene"));
        assert!(first(followed).await.contains("Marlene"), "the question before names her");
    });
}
