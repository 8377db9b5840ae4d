//! Handoffs with a language model: its paragraph is held against the lines, and nobody waits for it.

use cairn_domain::{Draft, HandoffReason, Role};
use cairn_engine::{
    Agent, Briefing, Clock, Effects, Home, Missing,
    models::{
        LanguageModel,
        scripted::{ScriptedModel, ScriptedReply},
    },
};
use cairn_testkit::{SimulatedClock, run};
use serde_json::json;
use std::sync::Arc;

const SAID: [(Role, &str); 4] = [
    (Role::User, "We decided to keep the tide tables in SQLite."),
    (Role::Assistant, "Good. I will look at the gauge of Skagen."),
    (Role::User, "I want to draw the curves in blue."),
    (Role::User, "We agreed to leave the harbour map out."),
];

async fn tell(agent: &Agent, session: &str, role: Role, text: &str) {
    let (session, thread) = (Some(session.to_owned()), Some("tides".to_owned()));
    agent.remember(Draft { session, thread, ..Draft::new(role, text) }).await.expect("kept");
    agent.form(&mut |_| {}).await.expect("formed");
}

async fn shown(agent: &Agent) -> String {
    let thread = Some("tides".to_owned());
    let briefing = Briefing { thread, tokens: 1_000, ..Briefing::default() };
    agent.context(&briefing, Effects::None).await.expect("a brief").text()
}

/// The contexts of a thread of which a model says this, before and after something else is said.
fn told_by_model(paragraph: &str, then: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = SimulatedClock::at("2026-11-15T10:00:00Z");
    let replies = [ScriptedReply::Good(json!({"text": paragraph}))];
    let model = Arc::new(ScriptedModel::new("scripted", replies));
    let home = Home::new(folder.path(), Arc::clone(&clock) as Arc<dyn Clock>).expect("a home");
    let home = home.with_language_model(Arc::clone(&model) as Arc<dyn LanguageModel>);
    run(async {
        let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent");
        for (role, text) in SAID {
            tell(&agent, "s1", role, text).await;
        }
        agent.write_handoff("s1", HandoffReason::SessionEnd).await.expect("written");
        assert_eq!(agent.word_handoffs().await.expect("looked"), 0, "somebody may still be speaking");
        clock.pass_ms(6 * 60_000);
        agent.word_handoffs().await.expect("worded");
        let first = shown(&agent).await;
        clock.pass_ms(60_000);
        tell(&agent, "s2", Role::User, then).await;
        (first, shown(&agent).await)
    })
}

/// covers: W-30, W-68
#[test]
fn a_thread_is_told_in_a_models_words_only_if_its_lines_say_the_same() {
    let fair = "We decided to keep the tide tables in SQLite, agreed to leave the harbour map out, and want the curves in blue.";
    let (told, later) =
        told_by_model(fair, "Nothing new from me, only a question about the weather in Bergen.");
    assert!(told.contains(fair) && told.contains("(in a model's words)"), "{told}");
    assert!(
        later.contains("“We decided to keep the tide tables in SQLite.”"),
        "something was said since: {later}"
    );
    let (told, _) = told_by_model("We decided to keep the tide tables in Oracle for 900 euros.", "Fine.");
    assert!(
        !told.contains("Oracle") && told.contains("“We decided to keep the tide tables in SQLite.”"),
        "{told}"
    );
}

/// covers: W-102
#[test]
fn a_session_that_falls_silent_leaves_a_handoff_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = SimulatedClock::at("2026-11-15T10:00:00Z");
    let home = Home::new(folder.path(), Arc::clone(&clock) as Arc<dyn Clock>).expect("a home");
    run(async {
        let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent");
        for (role, text) in SAID {
            tell(&agent, "s1", role, text).await;
        }
        agent.run_rhythm("intake", &mut |_| {}).await.expect("run");
        assert!(
            agent.handoff(Some("tides")).await.expect("read").is_none(),
            "somebody may still be speaking"
        );
        clock.pass_ms(24 * 60 * 60_000);
        agent.run_rhythm("intake", &mut |_| {}).await.expect("run");
        let written = agent.handoff(Some("tides")).await.expect("read").expect("a handoff");
        let reason = |stored: &cairn_engine::StoredHandoff| stored.handoff.as_ref().map(|it| it.reason);
        assert_eq!(reason(&written), Some(HandoffReason::Gap));
        assert!(written.text.contains("\nreason: gap\n"), "{}", written.text);
        clock.pass_ms(24 * 60 * 60_000);
        agent.run_rhythm("intake", &mut |_| {}).await.expect("run");
        let again = agent.handoff(Some("tides")).await.expect("read").expect("a handoff");
        assert_eq!(again.written_at, written.written_at, "nothing was said since");
    });
}
