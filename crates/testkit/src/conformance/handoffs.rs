//! Handoffs, the same in every store.

use super::open_agent::{agent, moved};
use crate::SimulatedClock;
use cairn_domain::{Draft, HandoffHealth, HandoffPart, HandoffReason, Role};
use cairn_engine::{Agent, Briefing, ContextOccasion, Effects, Home, StartSource};

async fn say(agent: &Agent, session: &str, role: Role, text: &str) {
    let draft = Draft {
        session: Some(session.to_owned()),
        thread: Some("tides".to_owned()),
        ..Draft::new(role, text)
    };
    agent.remember(draft).await.expect("kept");
    agent.form(&mut |_| {}).await.expect("formed");
}

/// The block that a session in the thread is shown.
async fn shown(agent: &Agent, session: &str, occasion: ContextOccasion) -> String {
    let (thread, session) = (Some("tides".to_owned()), Some(session.to_owned()));
    let briefing = Briefing { thread, session, tokens: 1_000, occasion, ..Briefing::default() };
    agent.context(&briefing, Effects::None).await.expect("a brief").text()
}

/// covers: W-26, W-27, W-28, W-29, W-69, W-70, W-101, W-102, X-W9, X-W19
pub(super) async fn a_thread_comes_back_with_where_it_stood(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    assert_eq!(agent.handoff(None).await.expect("asked"), None);
    say(&agent, "s1", Role::User, "We decided to use SQLite for the tide tables.").await;
    say(&agent, "s1", Role::Assistant, "Good. I'll write the importer tomorrow.").await;
    let written = agent.write_handoff("s1", HandoffReason::Exchange).await.expect("written");
    assert_eq!(written.len(), 2, "the session's and the thread's");
    // One exchange and no time later nothing is written, three exchanges later it is; a minute is enough, too.
    say(&agent, "s1", Role::User, "I will send the draft to Mara by 20 November.").await;
    say(&agent, "s1", Role::Assistant, "Noted.").await;
    assert!(agent.write_handoff("s1", HandoffReason::Exchange).await.expect("asked").is_empty());
    clock.pass_ms(60_000);
    assert_eq!(agent.write_handoff("s1", HandoffReason::Exchange).await.expect("written").len(), 2);
    for text in ["Fine.", "Go on.", "What about the gauge at Skagen?"] {
        assert!(
            agent.write_handoff("s1", HandoffReason::Exchange).await.expect("asked").is_empty(),
            "{text}"
        );
        say(&agent, "s1", Role::User, text).await;
        say(&agent, "s1", Role::Assistant, &format!("About {text} let me look.")).await;
    }
    let written = agent.write_handoff("s1", HandoffReason::Exchange).await.expect("written");
    let handoff = written[1].handoff.clone().expect("a handoff");
    assert_eq!((handoff.thread.as_deref(), handoff.exchanges, handoff.compactions), (Some("tides"), 5, 0));
    let told =
        |part: HandoffPart| handoff.lines(part).iter().map(|line| line.text().to_owned()).collect::<String>();
    assert!(told(HandoffPart::WhereWeAre).contains("SQLite"), "{handoff:?}");
    assert!(told(HandoffPart::OpenThreads).contains("importer tomorrow"), "{handoff:?}");
    let due =
        handoff.lines(HandoffPart::Dates).iter().find(|line| line.text().contains("Mara")).expect("a date");
    assert_eq!(due.due.map(|day| day.to_string()).as_deref(), Some("2026-11-20"));

    // A session that is known goes on with its last words and without a handoff.
    let goes_on = agent.start_occasion("s1", Some("tides"), StartSource::Startup).await.expect("asked");
    assert_eq!(goes_on, ContextOccasion::Resume);
    let resumed = shown(&agent, "s1", goes_on).await;
    assert!(
        resumed.contains("[SESSION_RESUME]")
            && resumed.contains("“I will send the draft to Mara by 20 November.”")
    );
    assert!(!resumed.contains("WHAT YOU REMEMBER"), "{resumed}");

    // A new one is told where it stood, and what is due seen from then.
    clock.set("2026-11-18T10:00:00Z");
    let begins = agent.start_occasion("s2", Some("tides"), StartSource::Startup).await.expect("asked");
    assert_eq!(begins, ContextOccasion::Ongoing);
    let told = shown(&agent, "s2", begins).await;
    assert!(told.contains("in 2 days (2026-11-20)") && told.contains("overdue since 2026-11-16"), "{told}");
    agent.session_begun(Some("tides"), StartSource::Startup, begins).await.expect("noted");
    let health = async |thread| agent.handoff(thread).await.expect("asked").expect("a handoff").health;
    assert_eq!(health(None).await, HandoffHealth::Consumed);
    assert_eq!(health(Some("tides")).await, HandoffHealth::Orphaned, "a thread's is never consumed");
    // A promise for a day that is over is told for two weeks.
    clock.set("2026-12-03T10:00:00Z");
    let later = shown(&agent, "s2", begins).await;
    assert!(later.contains("overdue since 2026-11-20") && !later.contains("importer"), "{later}");

    // After five compactions the thread is to be begun anew, once.
    for times in 1..=5 {
        let written = agent.write_handoff("s1", HandoffReason::Compaction).await.expect("written");
        assert_eq!(written[1].handoff.as_ref().map(|it| it.compactions), Some(times));
    }
    let worn_out = agent.start_occasion("s1", Some("tides"), StartSource::Compact).await.expect("asked");
    assert_eq!(worn_out, ContextOccasion::Restart);
    let anew = shown(&agent, "s1", worn_out).await;
    assert!(
        anew.contains("[SESSION_RESTART]") && anew.contains("SQLite") && !anew.contains("[SESSION_RESUME]"),
        "{anew}"
    );
    the_handoff_moves_with_the_agent(home, &agent).await;
    agent.session_begun(Some("tides"), StartSource::Startup, worn_out).await.expect("noted");
    let counted = agent.handoff(Some("tides")).await.expect("asked").and_then(|stored| stored.handoff);
    assert_eq!(counted.map(|handoff| handoff.compactions), Some(0));
}

async fn the_handoff_moves_with_the_agent(home: &Home, there: &Agent) {
    let here = moved(home, there).await;
    let (there, here) = (there.handoffs(10).await.expect("listed"), here.handoffs(10).await.expect("listed"));
    assert_eq!(
        here.iter().map(|it| &it.text).collect::<Vec<_>>(),
        there.iter().map(|it| &it.text).collect::<Vec<_>>()
    );
}
