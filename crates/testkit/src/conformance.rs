//! The conformance suite: what every store must do, whatever database is below it. Each case takes a home that holds
//! nothing yet; [`all`] runs every case on a fresh one.

mod attachments;
pub mod beliefs;
mod coherence;
mod diary;
mod digests;
mod dynamics;
mod evolution;
mod forgotten;
mod handoffs;
mod inquiries;
mod intentions;
pub mod memories;
mod open_agent;
mod proposals;
mod rhythms;
mod skills;
mod standing;
pub mod vectors;

use crate::{SimulatedClock, say};
use cairn_domain::{AgentName, Draft, Mode, Ref, Role, Scope, Time};
use cairn_engine::{Claimed, Effects, Empty, Home, Question};
use open_agent::{agent, found};
use std::sync::Arc;

/// Runs every case, each in a home that `home` makes for the given clock.
///
/// # Panics
/// If a case fails.
pub async fn all<G>(home: impl Fn(Arc<SimulatedClock>) -> (G, Home)) {
    let clock = || SimulatedClock::at("2026-11-15T10:00:00Z");
    words_are_kept_verbatim_and_found_at_once(&home(clock()).1).await;
    a_retry_adds_nothing_and_a_second_yes_is_kept(&home(clock()).1).await;
    let retries = clock();
    the_window_forgives_retries_without_an_id(&home(Arc::clone(&retries)).1, &retries).await;
    exchanges_sessions_and_threads_are_derived(&home(clock()).1).await;
    one_agent_never_sees_another(&home(clock()).1).await;
    modes_keep_to_themselves(&home(clock()).1).await;
    the_thread_asked_in_comes_first(&home(clock()).1).await;
    an_empty_answer_says_why(&home(clock()).1).await;
    forgotten::what_is_forgotten_is_unseen_until_it_is_woken(&home(clock()).1).await;
    let nights = clock();
    rhythms::every_rhythm_is_carried_out_and_does_nothing_twice(&home(Arc::clone(&nights)).1, &nights).await;
    let condensed = clock();
    digests::what_was_condensed_is_recalled(&home(Arc::clone(&condensed)).1, &condensed).await;
    diary::a_diary_is_opened_by_its_own_agent_alone(&home(clock()).1).await;
    let weeks = clock();
    handoffs::a_thread_comes_back_with_where_it_stood(&home(Arc::clone(&weeks)).1, &weeks).await;
    let files = clock();
    attachments::a_file_is_known_by_its_content_and_found_by_its_words(&home(Arc::clone(&files)).1, &files)
        .await;
    let measured = clock();
    coherence::an_exchange_is_one_row_that_moves_with_its_agent(&home(Arc::clone(&measured)).1, &measured)
        .await;
    let observed = clock();
    dynamics::a_turn_is_learned_from_once(&home(Arc::clone(&observed)).1, &observed).await;
    let waiting = clock();
    proposals::a_proposal_waits_moves_and_expires(&home(Arc::clone(&waiting)).1, &waiting).await;
    let intended = clock();
    intentions::an_intention_waits_is_told_once_and_closes(&home(Arc::clone(&intended)).1, &intended).await;
    let working = clock();
    skills::skills_are_read_from_the_messages_of_tools(&home(Arc::clone(&working)).1, &working).await;
    let again = clock();
    skills::what_worked_three_times_is_told_where_it_fits(&home(Arc::clone(&again)).1, &again).await;
    let thinking = clock();
    inquiries::what_did_not_fit_is_thought_about(&home(Arc::clone(&thinking)).1, &thinking).await;
    let stands = clock();
    standing::a_day_moves_a_score_once_and_moves_with_its_agent(&home(Arc::clone(&stands)).1, &stands).await;
    let working = clock();
    evolution::friction_is_seen_proposed_once_and_moves(&home(Arc::clone(&working)).1, &working).await;
    let replies = clock();
    a_write_under_a_callers_key_is_done_once(&home(Arc::clone(&replies)).1, &replies).await;
    keys_open_what_they_are_for_until_they_are_revoked(&home(clock()).1).await;
}

async fn words_are_kept_verbatim_and_found_at_once(home: &Home) {
    let agent = agent(home, "main").await;
    let text = "  I moved to Lisbon.\n\tEt voilà — “quoted”, 東京, 🎉  ";
    let kept = agent.remember(say("ext-1", "s", Role::User, text)).await.expect("kept");
    assert_eq!(found(&agent, Question::new("lisbon")).await, [text]);
    let opened = agent.messages_behind(Ref::Message(kept.message)).await.expect("opened");
    assert_eq!(opened[0].message.text, text);
    assert_eq!(opened[0].message.source_id.as_deref(), Some("ext-1"));
    let why = agent.why_messages(Ref::Message(kept.message)).await.expect("why");
    assert!(why[0].archive_agrees);
}

async fn a_retry_adds_nothing_and_a_second_yes_is_kept(home: &Home) {
    let agent = agent(home, "main").await;
    let first = agent.remember(say("1", "s", Role::User, "yes")).await.expect("kept");
    let retry = agent.remember(say("1", "s", Role::User, "yes")).await.expect("kept");
    let second = agent.remember(say("2", "s", Role::User, "yes")).await.expect("kept");
    assert!(!first.duplicate && retry.duplicate && !second.duplicate);
    assert_eq!((first.message, first.exchange), (retry.message, retry.exchange));
    let other_words = agent.remember(say("1", "s", Role::User, "no")).await.expect("kept");
    assert!(!other_words.duplicate, "the same id with other words loses nothing");
    let batch = vec![say("3", "s", Role::User, "maybe"), say("3", "s", Role::User, "maybe")];
    let kept = agent.remember_all(batch).await.expect("kept");
    assert_eq!(kept.iter().map(|kept| kept.duplicate).collect::<Vec<_>>(), [false, true]);
    assert_eq!(agent.stats().await.expect("stats").counts.messages, 4);
}

async fn the_window_forgives_retries_without_an_id(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    let yes = |session: &str| Draft { session: Some(session.to_owned()), ..Draft::new(Role::User, "yes") };
    let at = |draft: Draft, ms: i64| Draft { at: Some(Time::from_millis(ms)), ..draft };
    for (pass_ms, draft, duplicate) in [
        (0, at(yes("a"), 1_000), false),
        (0, at(yes("a"), 2_000), false),
        (0, at(yes("a"), 2_000), true),
        (0, yes("a"), false),
        (1, yes("a"), true),
        (59_000, yes("a"), true),
        (0, yes("b"), false),
        (0, Draft { role: Role::Assistant, ..yes("a") }, false),
        (0, Draft { speaker: Some("Ece".into()), ..yes("a") }, false),
        (61_000, yes("a"), false),
    ] {
        clock.pass_ms(pass_ms);
        let kept = agent.remember(draft.clone()).await.expect("kept");
        assert_eq!(kept.duplicate, duplicate, "{draft:?}");
    }
}

async fn exchanges_sessions_and_threads_are_derived(home: &Home) {
    let agent = agent(home, "main").await;
    let mut exchanges = Vec::new();
    for (id, role, text) in [
        ("1", Role::User, "Hi!"),
        ("2", Role::Assistant, "Hello."),
        ("3", Role::User, "Help me plan the pottery exhibition."),
        ("4", Role::User, "It is in May."),
        ("5", Role::Tool, "calendar: free"),
        ("6", Role::Assistant, "May is free."),
    ] {
        let draft =
            Draft { thread: Some("pottery".into()), mode: Some(Mode::Booth), ..say(id, "s", role, text) };
        exchanges.push(agent.remember(draft).await.expect("kept").exchange);
    }
    assert!(exchanges[0] == exchanges[1] && exchanges[1] != exchanges[2]);
    assert!(exchanges[2..].iter().all(|exchange| *exchange == exchanges[2]));
    assert_eq!(agent.messages_behind(Ref::Exchange(exchanges[2])).await.expect("opened").len(), 4);
    let session = agent.sessions(10).await.expect("sessions").remove(0);
    assert_eq!(session.title.as_deref(), Some("Help me plan the pottery exhibition"));
    assert_eq!((session.messages, session.mode.as_str()), (6, "booth"));
    let thread = agent.threads(10).await.expect("threads").remove(0);
    assert_eq!((thread.name.as_str(), thread.messages, thread.sessions), ("pottery", 6, 1));
    assert_eq!(agent.stats().await.expect("stats").counts.exchanges, 2);
}

async fn one_agent_never_sees_another(home: &Home) {
    let (one, other) = (agent(home, "one").await, agent(home, "other").await);
    one.remember(say("1", "s", Role::User, "the password is swordfish")).await.expect("kept");
    other.remember(say("1", "s", Role::User, "nothing of interest")).await.expect("kept");
    assert_eq!(found(&other, Question::new("swordfish password")).await, Vec::<String>::new());
    assert_eq!(other.sessions(10).await.expect("sessions").len(), 1);
    assert_eq!(other.stats().await.expect("stats").counts.messages, 1);
}

async fn modes_keep_to_themselves(home: &Home) {
    let agent = agent(home, "main").await;
    for mode in Mode::ALL {
        let draft = Draft {
            mode: Some(mode),
            ..say(mode.as_str(), "s", Role::User, &format!("the kettle in {mode}"))
        };
        agent.remember(draft).await.expect("kept");
    }
    for asked_in in Mode::ALL {
        let question = Question { mode: Some(asked_in), ..Question::new("kettle") };
        let mut heard = found(&agent, question).await;
        heard.sort();
        let shared = Mode::ALL.into_iter().filter(|said_in| said_in.shares_with(asked_in));
        let mut expected: Vec<String> = shared.map(|mode| format!("the kettle in {mode}")).collect();
        expected.sort();
        assert_eq!(heard, expected, "asked in {asked_in}");
    }
}

async fn the_thread_asked_in_comes_first(home: &Home) {
    let agent = agent(home, "main").await;
    for (id, thread) in [("1", "garden"), ("2", "kitchen")] {
        let draft = Draft {
            thread: Some(thread.into()),
            ..say(id, id, Role::User, &format!("the kettle of the {thread}"))
        };
        agent.remember(draft).await.expect("kept");
    }
    for thread in ["garden", "kitchen"] {
        let question = Question { thread: Some(thread.into()), ..Question::new("kettle") };
        let heard = found(&agent, question.clone()).await;
        assert_eq!((heard.len(), heard[0].as_str()), (2, format!("the kettle of the {thread}").as_str()));
        assert_eq!(found(&agent, Question { within_thread: true, ..question }).await.len(), 1);
    }
}

async fn an_empty_answer_says_why(home: &Home) {
    let agent = agent(home, "main").await;
    let why =
        async |question: Question| agent.answer(question, Effects::None).await.expect("an answer").empty;
    assert_eq!(why(Question::new("kettle")).await, Some(Empty::NothingStored));
    agent.remember(say("1", "s", Role::User, "the kettle")).await.expect("kept");
    assert_eq!(why(Question::new("kettle")).await, None);
    assert_eq!(why(Question::new("teapot")).await, Some(Empty::NoMatch));
    assert_eq!(why(Question::new("?!")).await, Some(Empty::NoWords));
    let elsewhere = Question { session: Some("other".into()), ..Question::new("kettle") };
    assert_eq!(why(elsewhere).await, Some(Empty::FilteredOut));
}

async fn a_write_under_a_callers_key_is_done_once(home: &Home, clock: &SimulatedClock) {
    let agent = agent(home, "main").await;
    let claim = async |key: &str, asked: u8| agent.claim_reply(key, [asked; 32]).await.expect("claimed");
    let first = claim("k", 1).await;
    let Claimed::New { at } = first else { panic!("{first:?}") };
    assert_eq!(claim("k", 1).await, Claimed::Busy);
    assert_eq!(claim("k", 2).await, Claimed::Other);
    // Whoever was at it is gone: the next one does it, as of the same moment.
    clock.pass_ms(61_000);
    assert_eq!(claim("k", 1).await, Claimed::New { at });
    agent.answer_reply("k", "{}").await.expect("answered");
    let answered = Claimed::Answered { answer: "{}".to_owned() };
    assert_eq!(claim("k", 1).await, answered);
    assert_eq!(claim("k", 2).await, Claimed::Other);
    agent.drop_reply("k").await.expect("nothing to drop");
    assert_eq!(claim("k", 1).await, answered, "what was answered stays");
    assert!(matches!(claim("other", 2).await, Claimed::New { .. }));
    agent.drop_reply("other").await.expect("dropped");
    assert!(
        matches!(claim("other", 3).await, Claimed::New { .. }),
        "what was not done may be something else"
    );
    clock.pass_ms(25 * 60 * 60 * 1_000);
    assert!(matches!(claim("k", 2).await, Claimed::New { .. }), "after a day a key is free again");
    let elsewhere = self::agent(home, "other").await;
    let free = elsewhere.claim_reply("k", [9; 32]).await.expect("claimed");
    assert!(matches!(free, Claimed::New { .. }), "keys are the agent's own");
}

async fn keys_open_what_they_are_for_until_they_are_revoked(home: &Home) {
    let (keys, one): (_, AgentName) = (home.keys(), "one".parse().expect("a name"));
    assert!(!keys.any().await.expect("looked"));
    let (key, secret) = keys.add("laptop", Some(vec![one.clone()]), "a test").await.expect("made");
    let (_, other) = keys.add("me", None, "a test").await.expect("made");
    assert!(keys.add("me", None, "a test").await.is_err(), "a name is taken once");
    // Another process sees the same.
    let keys = home.keys();
    let found = keys.check(&secret).await.expect("checked").expect("opens");
    assert_eq!((&found.id, found.scope), (&key.id, Scope::Agent));
    assert!(found.admits(&one) && !found.admits(&"two".parse().expect("a name")));
    let turned: String = secret.chars().rev().collect();
    for wrong in ["", "cairn_", &secret[1..], &turned, &key.hash] {
        assert!(keys.check(wrong).await.expect("checked").is_none(), "{wrong}");
    }
    assert!(keys.check(&other).await.expect("checked").is_some_and(|key| key.admits(&one)));
    assert!(keys.list().await.expect("listed").iter().all(|key| key.used_at.is_some()));
    let revoked = keys.revoke("laptop", "somebody").await.expect("revoked");
    assert_eq!(revoked.revoked_by.as_deref(), Some("somebody"));
    assert!(keys.check(&secret).await.expect("checked").is_none());
    assert!(keys.check(&other).await.expect("checked").is_some());
    assert!(keys.revoke("nobody", "somebody").await.is_err());
    keys.revoke("me", "somebody").await.expect("revoked");
    assert!(!keys.any_live().await.expect("looked") && keys.any().await.expect("looked"));
}
