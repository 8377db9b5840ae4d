//! One ranking of messages and memories: relevance first, what holds now before what held, and no hit twice.

use cairn_domain::{Draft, RecordKind, Role, Time};
use cairn_engine::{Agent, Briefing, Effects, Found, Hit, Home, Missing, Question};
use cairn_testkit::{SimulatedClock, home, run};

async fn agent(home: &Home) -> Agent {
    home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent")
}

async fn say(agent: &Agent, role: Role, at: &str, session: &str, text: &str) {
    let at: Time = at.parse().expect("a time");
    let draft = Draft { at: Some(at), session: Some(session.to_owned()), ..Draft::new(role, text) };
    let kept = agent.remember(draft).await.expect("kept");
    agent.form_message(kept.message).await.expect("formed");
}

async fn ask(agent: &Agent, text: &str, kinds: &[RecordKind]) -> Vec<Hit> {
    let question = Question { kinds: kinds.to_vec(), ..Question::new(text) };
    agent.answer(question, Effects::None).await.expect("an answer").hits
}

/// covers: C-38, C-39, C-40
#[test]
fn the_memory_that_fits_comes_first_however_strong_another_is() {
    run(async {
        let clock = SimulatedClock::at("2026-11-15T10:00:00Z");
        let (_folder, home) = home(clock.clone());
        let agent = agent(&home).await;
        say(&agent, Role::User, "2026-02-01T10:00:00Z", "a", "The January invoice was 420 euros.").await;
        say(&agent, Role::User, "2026-03-01T10:00:00Z", "b", "The February invoice was 510 euros.").await;
        say(&agent, Role::User, "2026-03-02T10:00:00Z", "c", "I bought a red kettle for the office.").await;
        for _ in 0..5 {
            clock.pass_ms(3_600_000);
            let question = Question { k: 1, ..Question::new("the February invoice") };
            agent.answer(question, Effects::Strengthen).await.expect("strengthened");
        }
        for kinds in [&[][..], &[RecordKind::Memory]] {
            let hits = ask(&agent, "How much was the January invoice?", kinds).await;
            assert!(hits[0].found.text().contains("420"), "{kinds:?}: {hits:?}");
            assert!(hits.iter().all(|hit| !hit.found.text().contains("kettle")), "{kinds:?}: {hits:?}");
        }
    });
}

/// covers: C-123, C-124
#[test]
fn what_holds_now_comes_first_unless_what_held_before_is_asked_for() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        say(&agent, Role::User, "2026-03-02T10:00:00Z", "a", "I live in Lisbon.").await;
        say(&agent, Role::User, "2026-05-02T10:00:00Z", "b", "I moved to Porto.").await;
        for kinds in [&[][..], &[RecordKind::Memory]] {
            for (asked, first) in [
                ("Where do I live?", "Porto"),
                ("Where did I live before?", "Lisbon"),
                ("Where did I use to live?", "Lisbon"),
            ] {
                let hits = ask(&agent, asked, kinds).await;
                assert_eq!(hits.len(), 2, "{kinds:?} {asked}: {hits:?}");
                assert!(hits[0].found.text().contains(first), "{kinds:?} {asked}: {hits:?}");
                for hit in &hits {
                    let older = hit.found.text().contains("Lisbon");
                    assert_eq!(hit.replaced_by.is_some(), older, "{kinds:?} {asked}: {hit:?}");
                }
            }
            let as_of = Some("2026-04-01T00:00:00Z".parse().expect("a time"));
            let question = Question { as_of, kinds: kinds.to_vec(), ..Question::new("Where do I live?") };
            let hits = agent.answer(question, Effects::None).await.expect("an answer").hits;
            assert!(hits.len() == 1 && hits[0].found.text().contains("Lisbon"), "{kinds:?}: {hits:?}");
            assert!(hits[0].replaced_by.is_none(), "it held then: {hits:?}");
        }
    });
}

#[test]
fn a_question_is_not_answered_by_the_same_question() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        let asked = "What did we find out about the login bug?";
        let found = "After two days of looking we found the cause of the login bug: a stale cookie.";
        say(&agent, Role::Assistant, "2026-05-01T10:00:00Z", "a", found).await;
        say(&agent, Role::User, "2026-05-02T10:00:00Z", "b", asked).await;
        say(&agent, Role::User, "2026-05-03T10:00:00Z", "c", "what did we find out about the login bug")
            .await;
        let hits = ask(&agent, asked, &[]).await;
        assert_eq!(hits.len(), 2, "it comes up once: {hits:?}");
        assert_eq!(hits[0].found.text(), found, "{hits:?}");
    });
}

#[test]
fn confidence_falls_down_the_list() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        for (i, text) in
            ["The kiln is hot.", "The kiln and the glaze.", "A glaze for the hot kiln.", "Glaze."]
                .into_iter()
                .enumerate()
        {
            say(&agent, Role::User, "2026-05-01T10:00:00Z", &format!("s{i}"), text).await;
        }
        let hits = ask(&agent, "How hot is the glaze of the kiln?", &[]).await;
        assert!(hits.len() > 2, "{hits:?}");
        assert!(hits.windows(2).all(|two| two[0].confidence > two[1].confidence), "{hits:?}");
    });
}

/// A message and its memory are never two hits, and a memory names its message.
#[test]
fn a_message_and_its_memory_are_one_hit() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        say(&agent, Role::User, "2026-05-01T10:00:00Z", "a", "My sister Ana plays the cello.").await;
        let hits = ask(&agent, "What does my sister play?", &[]).await;
        assert!(hits.len() == 1 && matches!(hits[0].found, Found::Message(_)), "short: its words: {hits:?}");
        assert!(!hits[0].memories.is_empty(), "with what was remembered of it: {hits:?}");
        let hits = ask(&agent, "What does my sister play?", &[RecordKind::Memory]).await;
        let Found::Memory(_, sources) = &hits[0].found else { panic!("{hits:?}") };
        assert_eq!(sources[0].message.text, "My sister Ana plays the cello.");
    });
}

#[test]
fn without_a_question_the_newest_comes_whatever_its_thread() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        say(&agent, Role::User, "2026-08-01T10:00:00Z", "a", "My sister Ana plays the cello.").await;
        let draft = Draft {
            at: Some("2026-10-01T10:00:00Z".parse().expect("a time")),
            session: Some("b".to_owned()),
            thread: Some("pottery".to_owned()),
            ..Draft::new(Role::User, "My kiln fires at nine hundred degrees.")
        };
        let kept = agent.remember(draft).await.expect("kept");
        agent.form_message(kept.message).await.expect("formed");
        let text = async |thread: Option<&str>| {
            let thread = thread.map(str::to_owned);
            let briefing = Briefing { thread, tokens: 600, ..Briefing::default() };
            agent.context(&briefing, Effects::None).await.expect("a context").text()
        };
        assert!(text(None).await.contains("kiln"));
        assert!(text(Some("pottery")).await.contains("kiln"));
        assert!(!text(Some("garden")).await.contains("kiln"), "of another project nothing comes");
    });
}
