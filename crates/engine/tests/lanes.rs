//! The ways by which something is found: each finds what the others would not, or puts first what they would not.

use cairn_domain::{Draft, Role, Time};
use cairn_engine::{Agent, Effects, Hit, Home, Missing, Profile, Question, Recall, score::Part};
use cairn_testkit::{SimulatedClock, home, run};
use std::{
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

async fn agent(home: &Home) -> Agent {
    home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent")
}

async fn say(agent: &Agent, speaker: &str, at: &str, session: &str, text: &str) {
    let at: Time = at.parse().expect("a time");
    let draft = Draft {
        speaker: Some(speaker.to_owned()),
        at: Some(at),
        session: Some(session.to_owned()),
        ..Draft::new(Role::User, text)
    };
    let kept = agent.remember(draft).await.expect("kept");
    agent.form_message(kept.message).await.expect("formed");
}

async fn ask(agent: &Agent, text: &str, change: impl FnOnce(&mut Profile)) -> Recall {
    let mut question = Question { explain: true, ..Question::new(text) };
    change(&mut question.profile);
    agent.answer(question, Effects::None).await.expect("an answer")
}

fn part(hit: &Hit, name: Part) -> f64 {
    hit.explanation.score.part(name)
}

#[test]
fn what_was_said_in_the_time_that_is_asked_about_comes_first() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        for (at, session, text) in [
            ("2023-05-07T10:00:00Z", "a", "The concert in the park was lovely."),
            ("2023-06-03T10:00:00Z", "b", "The concert at the harbour was loud."),
            ("2024-01-09T10:00:00Z", "c", "The concert in the old church was cold."),
        ] {
            say(&agent, "Ana", at, session, text).await;
        }
        for (asked, first) in [
            ("How was the concert on 3 June 2023?", "harbour"),
            ("How was the concert in May 2023?", "park"),
            ("How was the concert in 2024?", "church"),
        ] {
            let recall = ask(&agent, asked, |_| {}).await;
            assert!(recall.hits[0].found.text().contains(first), "{asked}: {:?}", recall.hits[0]);
            assert!(part(&recall.hits[0], Part::Time) > 0.0, "{asked}");
            assert!(recall.hits[1..].iter().all(|hit| part(hit, Part::Time) == 0.0), "{asked}");
        }
        let without = ask(&agent, "How was the concert on 3 June 2023?", |profile| profile.time = 0.0).await;
        assert!(without.hits.iter().all(|hit| part(hit, Part::Time) == 0.0));
    });
}

/// covers: W-53, W-54
#[test]
fn who_is_named_is_found_by_having_spoken_and_what_is_named_by_its_name() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        for (speaker, text) in [
            ("Ana", "I bake bread every Sunday."),
            ("Bora", "Ana, you bake so well that Ana should be the name of a bakery, Ana!"),
            ("Bora", "On Sundays I sleep."),
            ("Bora", "The walk through Sintra took all day."),
        ] {
            say(&agent, speaker, "2026-05-07T10:00:00Z", speaker, text).await;
        }
        let recall = ask(&agent, "What does Ana bake?", |_| {}).await;
        assert_eq!(recall.hits[0].found.text(), "I bake bread every Sunday.");
        assert!(!recall.terms.iter().any(|term| term == "ana"), "who spoke is no word: {:?}", recall.terms);
        // Whoever has not spoken is a word like any other, and one name is enough.
        let recall = ask(&agent, "Was anybody ever in Sintra?", |_| {}).await;
        assert!(recall.hits[0].found.text().contains("Sintra"), "{:?}", recall.hits);
        let alone = ask(&agent, "Ana?", |_| {}).await;
        assert!(!alone.hits.is_empty(), "nothing but a name is asked by it");
        // Before Bora had said anything, he was nobody.
        let early = Some("2026-05-01T00:00:00Z".parse().expect("a time"));
        let before = agent
            .answer(Question { as_of: early, ..Question::new("What does Bora do?") }, Effects::None)
            .await;
        assert!(before.expect("an answer").terms.iter().any(|term| term == "bora"));
    });
}

#[test]
fn beyond_the_first_eight_hits_every_session_comes_up_before_any_comes_again() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        for i in 0..20 {
            let text = format!("The glaze of the kiln, number {i}: the kiln and its glaze.");
            say(&agent, "user", "2026-05-07T10:00:00Z", "much", &text).await;
        }
        let aside = "By the way, somebody spoke of a kiln while we sat in the garden with tea and cake";
        say(&agent, "user", "2026-05-08T10:00:00Z", "once", &format!("{aside} in the glaze of May.")).await;
        for i in 0..3 {
            let text = format!("{aside} in the glaze of hour {i}, long after the spring had gone.");
            say(&agent, "user", "2026-05-09T10:00:00Z", "thrice", &text).await;
        }
        let sessions = async |k: usize, after: Option<usize>| {
            let mut question = Question { k, ..Question::new("the glaze of the kiln") };
            question.profile.broad_after = after.unwrap_or(question.profile.broad_after);
            let recall = agent.answer(question, Effects::None).await.expect("an answer");
            let session = |hit: &Hit| hit.found.message().map(|record| record.message.session.clone());
            recall.hits.iter().filter_map(session).collect::<Vec<String>>()
        };
        let plain = sessions(12, Some(0)).await;
        assert!(plain.iter().all(|session| session == "much"), "by score alone: {plain:?}");
        let broad = sessions(12, None).await;
        assert!(broad[..8].iter().all(|session| session == "much"), "{broad:?}");
        let mut unseen = [broad[8].as_str(), broad[9].as_str()];
        unseen.sort_unstable();
        assert_eq!(unseen, ["once", "thrice"]);
        assert!(broad[10..].iter().all(|session| session == "much"), "{broad:?}");
        assert_eq!(
            sessions(10, None).await,
            broad[..10],
            "the first are the same however many are asked for"
        );
        assert_eq!(sessions(8, None).await, plain[..8], "few hits are the best ones");
    });
}

/// covers: C-187, C-188, C-189, C-190
#[test]
fn a_question_that_asks_two_things_is_answered_on_both() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        say(&agent, "user", "2026-05-07T10:00:00Z", "a", "The kiln fires at nine hundred degrees.").await;
        say(&agent, "user", "2026-05-08T10:00:00Z", "b", "My sister plays the cello.").await;
        for i in 0..12 {
            let text = format!("The kiln needs care number {i} and the degrees of heat matter.");
            say(&agent, "user", "2026-05-09T10:00:00Z", &format!("c{i}"), &text).await;
        }
        let asked = "How many degrees does the kiln fire at? What does my sister play?";
        let recall = ask(&agent, asked, |profile| profile.decompose = true).await;
        let first: Vec<&str> = recall.hits[..2].iter().map(|hit| hit.found.text()).collect();
        assert!(first.iter().any(|text| text.contains("cello")), "{first:?}");
        assert!(first.iter().any(|text| text.contains("kiln")), "{first:?}");
        let mut refs: Vec<String> = recall.hits.iter().map(|hit| hit.found.reference().to_string()).collect();
        refs.sort();
        refs.dedup();
        assert_eq!(refs.len(), recall.hits.len(), "each once");
        for hit in &recall.hits {
            assert!((part(hit, Part::Parts) - hit.score).abs() < 1e-9, "it adds up");
        }
        let whole = ask(&agent, asked, |_| {}).await;
        assert!(whole.hits.iter().all(|hit| part(hit, Part::Parts) == 0.0));
    });
}

/// covers: C-194, C-195, C-196
#[test]
fn what_often_came_to_mind_together_brings_each_other() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        say(&agent, "user", "2026-05-07T10:00:00Z", "a", "I have a garden in Lisbon.").await;
        say(&agent, "user", "2026-05-08T10:00:00Z", "b", "I moved into a flat in Lisbon with my cat Miso.")
            .await;
        for times in 1..=3 {
            let recall = ask(&agent, "Lisbon cat", |_| {}).await;
            assert!(recall.hits.len() == 2 && recall.hits.iter().all(|hit| !hit.memories.is_empty()));
            assert!(
                recall.hits.iter().all(|hit| part(hit, Part::Together) == 0.0),
                "after {} times",
                times - 1
            );
            let given = Question { explain: true, ..Question::new("Lisbon cat") };
            agent.answer(given, Effects::Strengthen).await.expect("noted");
        }
        let recall = ask(&agent, "Lisbon cat", |_| {}).await;
        assert!(recall.hits.iter().all(|hit| part(hit, Part::Together) > 0.0), "{:?}", recall.hits);
    });
}

/// covers: C-139, C-140, C-260, W-48
#[test]
fn a_name_leads_to_what_stands_two_steps_away() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        say(&agent, "user", "2026-05-07T10:00:00Z", "a", "Zelda works at Siemens.").await;
        say(&agent, "user", "2026-06-07T10:00:00Z", "b", "I visited Siemens in Munich last week.").await;
        say(&agent, "user", "2026-07-07T10:00:00Z", "c", "I bought a red kettle.").await;
        let graph = |weight: f64| move |profile: &mut Profile| profile.graph = weight;
        let recall = ask(&agent, "Which city does Zelda go to?", graph(0.3)).await;
        let munich = recall.hits.iter().find(|hit| hit.found.text().contains("Munich"));
        assert!(munich.is_some_and(|hit| part(hit, Part::Graph) > 0.0), "{:?}", recall.hits);
        assert!(recall.hits.iter().all(|hit| !hit.found.text().contains("kettle")), "{:?}", recall.hits);
        let without = ask(&agent, "Which city does Zelda go to?", graph(0.0)).await;
        assert!(without.hits.iter().all(|hit| part(hit, Part::Graph) == 0.0));
    });
}

/// covers: C-139
#[test]
fn a_name_that_stands_everywhere_leads_nowhere() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let agent = agent(&home).await;
        for i in 0..45 {
            let text = format!("Zelda bought {i} red kettles for the {i}th shed.");
            say(&agent, "user", "2026-05-07T10:00:00Z", &format!("s{i}"), &text).await;
        }
        let recall = ask(&agent, "Which shed does Zelda like?", |profile| profile.graph = 0.3).await;
        assert!(!recall.hits.is_empty());
        assert!(recall.hits.iter().all(|hit| part(hit, Part::Graph) == 0.0), "{:?}", recall.hits);
    });
}

/// Whoever asks holds the index; whoever brings it up to date waits for that and must not be waited for.
/// covers: W-48
#[test]
fn a_time_is_asked_about_while_others_write() {
    let (folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
    run(async { say(&agent(&home).await, "user", "2026-11-10T10:00:00Z", "a", "The kiln is hot.").await });
    let (done, all) = mpsc::channel();
    let agent = Arc::new(run(agent(&home)));
    for writes in [true, false, false, false] {
        let (agent, done) = (Arc::clone(&agent), done.clone());
        thread::spawn(move || {
            run(async {
                for i in 0..150 {
                    if writes {
                        let draft = Draft::new(Role::User, format!("The kiln is {i} degrees hot."));
                        agent.remember(draft).await.expect("kept");
                    } else {
                        let recall = ask(&agent, "What about the kiln last week?", |_| {}).await;
                        assert!(!recall.hits.is_empty(), "what this view sees is found");
                    }
                }
            });
            done.send(()).expect("somebody counts");
        });
    }
    for _ in 0..4 {
        all.recv_timeout(Duration::from_mins(1)).expect("nobody waits for the other");
    }
    drop(folder);
}
