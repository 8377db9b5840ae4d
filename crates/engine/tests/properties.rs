//! Properties of every conversation: rebuilding, repeating and asking about the past.

use cairn_domain::{AgentName, Draft, RecordKind, Role, Time};
use cairn_engine::{Agent, Effects, Hit, Missing, Profile, Question};
use cairn_eval::synthetic_life::SyntheticLife;
use cairn_testkit::{SimulatedClock, home, run};
use proptest::prelude::*;

const WORDS: [&str; 24] = [
    "kettle",
    "garden",
    "lisbon",
    "moved",
    "moving",
    "the",
    "is",
    "blue",
    "red",
    "clay",
    "glaze",
    "kiln",
    "run",
    "race",
    "October",
    "kahve",
    "şekersiz",
    "İstanbul",
    "東京",
    "🎉",
    "don't",
    "3.5",
    "café",
    "and",
];
const QUESTIONS: [&str; 6] =
    ["the blue kettle", "moving to lisbon", "şekersiz kahve", "clay 🎉 東京", "is the", "race in October"];

prop_compose! {
    fn draft()(
        words in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..12),
        session in 0..4_u8,
        thread in prop::option::of(0..3_u8),
        role in prop::sample::select(&Role::ALL[..]),
        minute in 0..5_000_i64,
        has_id in any::<bool>(),
        id in 0..1_000_u32,
    ) -> Draft {
        Draft {
            source_id: has_id.then(|| format!("ext-{id}")),
            session: Some(format!("s{session}")),
            thread: thread.map(|thread| format!("t{thread}")),
            at: Some(Time::from_millis(1_700_000_000_000 + minute * 60_000)),
            ..Draft::new(role, words.join(" "))
        }
    }
}

/// Everything a person could see of the answers to every question.
async fn answers(agent: &Agent, as_of: Option<Time>) -> Vec<String> {
    let mut answers = Vec::new();
    for text in QUESTIONS {
        let recall = agent
            .answer(Question { as_of, k: 40, ..Question::new(text) }, Effects::None)
            .await
            .expect("an answer");
        answers.extend(
            recall
                .hits
                .iter()
                .map(|hit| format!("{text}: {} {:?} {:?}", hit.found.reference(), hit.score, hit.found)),
        );
    }
    answers
}

/// The refs of the first hits, with their scores and how sure they are.
async fn first_hits(agent: &Agent, asked: &Question, k: usize) -> Vec<(String, u64, u64)> {
    let recall = agent.answer(Question { k, ..asked.clone() }, Effects::None).await.expect("an answer");
    let bits = |hit: &Hit| (hit.found.reference().to_string(), hit.score.to_bits(), hit.confidence.to_bits());
    recall.hits.iter().map(bits).collect()
}

async fn filled(home: &cairn_engine::Home, drafts: &[Draft], batch: usize) -> Agent {
    let name: AgentName = "main".parse().expect("a name");
    let agent = home.agent(&name, Missing::Create).await.expect("an agent");
    for drafts in drafts.chunks(batch) {
        agent.remember_all(drafts.to_vec()).await.expect("kept");
    }
    agent
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// covers: W-25, X-B6
    #[test]
    fn rebuilding_from_the_archive_changes_no_answer(drafts in prop::collection::vec(draft(), 1..80)) {
        run(async {
            let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
            let agent = filled(&home, &drafts, 7).await;
            let before = answers(&agent, None).await;
            let messages = agent.stats().await.expect("stats").counts;
            agent.rebuild().await.expect("rebuilt");
            prop_assert_eq!(&answers(&agent, None).await, &before);
            prop_assert_eq!(agent.stats().await.expect("stats").counts, messages);
            prop_assert_eq!(agent.verify().await.expect("verified").findings, []);
            Ok(())
        })?;
    }

    #[test]
    fn the_same_words_give_the_same_answers_in_every_home(drafts in prop::collection::vec(draft(), 1..80)) {
        run(async {
            let clock = SimulatedClock::at("2026-11-15T10:00:00Z");
            let (_one, here) = home(clock.clone());
            let (_two, there) = home(clock);
            let (here, there) = (filled(&here, &drafts, 5).await, filled(&there, &drafts, 80).await);
            let places = |answers: Vec<String>| answers.iter().map(|a| a.split("place").next().map(str::to_owned)).collect::<Vec<_>>();
            prop_assert_eq!(places(answers(&here, None).await), places(answers(&there, None).await));
            Ok(())
        })?;
    }

    /// covers: W-97
    #[test]
    fn saying_everything_again_adds_nothing(drafts in prop::collection::vec(draft(), 1..80)) {
        run(async {
            let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
            let agent = filled(&home, &drafts, 9).await;
            let before = (agent.stats().await.expect("stats").counts, answers(&agent, None).await);
            for kept in agent.remember_all(drafts.clone()).await.expect("kept") {
                prop_assert!(kept.duplicate);
            }
            prop_assert_eq!((agent.stats().await.expect("stats").counts, answers(&agent, None).await), before);
            Ok(())
        })?;
    }

    #[test]
    fn the_past_knows_nothing_of_the_future(drafts in prop::collection::vec(draft(), 1..80), minute in 0..5_000_i64) {
        run(async {
            let as_of = Time::from_millis(1_700_000_000_000 + minute * 60_000);
            let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
            let agent = filled(&home, &drafts, 80).await;
            for text in QUESTIONS {
                let question = Question { as_of: Some(as_of), k: 100, ..Question::new(text) };
                for hit in agent.answer(question, Effects::None).await.expect("an answer").hits {
                    prop_assert!(hit.found.at() <= as_of);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn the_first_hits_are_the_same_however_many_are_asked_for(drafts in prop::collection::vec(draft(), 1..80)) {
        run(async {
            let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
            let agent = filled(&home, &drafts, 80).await;
            agent.form(&mut |_| {}).await.expect("formed");
            for (text, kinds) in QUESTIONS.iter().flat_map(|text| [(text, vec![]), (text, vec![RecordKind::Memory])]) {
                for profile in [Profile::default(), Profile::seed()] {
                    let asked = Question { profile, kinds: kinds.clone(), ..Question::new(*text) };
                    let many = first_hits(&agent, &asked, 60).await;
                    for k in [1, 3, 10, 17, 30] {
                        let few = first_hits(&agent, &asked, k).await;
                        prop_assert_eq!(&few[..], &many[..k.min(many.len())], "{} {}", k, text);
                    }
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn an_explanation_adds_up_to_its_score(drafts in prop::collection::vec(draft(), 1..40)) {
        run(async {
            let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
            let agent = filled(&home, &drafts, 40).await;
            let question = Question { explain: true, thread: Some("t1".into()), ..Question::new("the blue kettle in lisbon") };
            for hit in agent.answer(question, Effects::None).await.expect("an answer").hits {
                let why = &hit.explanation;
                let terms: f64 = why.terms.iter().map(|term| term.share).sum();
                let words = why.score.part(cairn_engine::score::Part::Words);
                prop_assert!((terms - words).abs() < 1e-5, "{} {}", terms, words);
                let sum: f64 = why.score.parts.iter().map(|part| part.adds).sum();
                prop_assert!((sum - hit.score).abs() < 1e-12);
            }
            Ok(())
        })?;
    }
}

/// covers: C-35, C-157
#[test]
fn an_index_file_and_the_tail_behind_it_rank_alike() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let drafts: Vec<Draft> = SyntheticLife::new(5).take(1_400).collect();
        let agent = filled(&home, &drafts, 100).await;
        let questions: Vec<String> = {
            let mut life = SyntheticLife::new(5);
            (0..40).map(|_| life.question()).collect()
        };
        let ask = async |agent: &Agent| {
            let mut refs = Vec::new();
            for question in &questions {
                let hits = agent
                    .answer(Question { k: 20, ..Question::new(question) }, Effects::None)
                    .await
                    .expect("an answer")
                    .hits;
                refs.push(
                    hits.iter().map(|hit| (hit.found.reference(), hit.score.to_bits())).collect::<Vec<_>>(),
                );
            }
            refs
        };
        let from_tail = ask(&agent).await;
        assert!(from_tail.iter().any(|hits| hits.len() == 20), "the questions find something");
        agent.rebuild().await.expect("rebuilt");
        let segments = || std::fs::read_dir(agent.folder().join("index")).expect("a folder").count();
        assert!(segments() > 0, "the index was written down");
        let name: AgentName = "main".parse().expect("a name");
        let reopened = home.agent(&name, Missing::Refuse).await.expect("an agent");
        assert_eq!(ask(&reopened).await, from_tail);
        std::fs::remove_dir_all(agent.folder().join("index")).expect("removed");
        let without = home.agent(&name, Missing::Refuse).await.expect("an agent");
        assert_eq!(ask(&without).await, from_tail);
    });
}

/// Hits that are the same however many are asked for; behind them the order may depend on it.
const HEAD: usize = 120;

/// However long the life, and however deep the search: the head of the ranking stays what it is.
#[test]
fn the_first_hits_of_a_long_life_are_the_same_however_many_are_asked_for() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let mut life = SyntheticLife::new(5);
        let drafts: Vec<Draft> = (&mut life).take(1_400).collect();
        let agent = filled(&home, &drafts, 100).await;
        agent.form(&mut |_| {}).await.expect("formed");
        let mut most = 0;
        for _ in 0..12 {
            let asked = Question::new(life.question());
            let all = first_hits(&agent, &asked, 1_000).await;
            most = most.max(all.len());
            for k in [5, 10, 40, 130, 500] {
                let some = first_hits(&agent, &asked, k).await;
                let differs = some.iter().zip(&all).take(HEAD).position(|(one, other)| one != other);
                assert_eq!((some.len(), differs), (k.min(all.len()), None), "{k}: {:?}", asked.text);
            }
        }
        assert!(most > 120, "more than the head is found: {most}");
    });
}

#[test]
fn the_index_is_tended_by_one_at_a_time_while_messages_pour_in() {
    run(async {
        let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
        let line = |i: usize| format!(r#"{{"id":"{i}","session":"s{}","text":"kettle number {i}"}}"#, i / 20);
        let transcript = (0..12_000).map(line).collect::<Vec<_>>().join("\n");
        let name: AgentName = "main".parse().expect("a name");
        let agent = home.agent(&name, Missing::Create).await.expect("an agent");
        let input = Box::new(std::io::Cursor::new(transcript.into_bytes()));
        let report = agent.ingest(input, "test", "test".as_ref(), None, &mut |_| {}).await.expect("ingested");
        assert_eq!(report.added, 12_000);
        let hits =
            agent.answer(Question::new("kettle number 11999"), Effects::None).await.expect("an answer").hits;
        assert_eq!(hits[0].found.message().and_then(|it| it.message.source_id.as_deref()), Some("11999"));
    });
}
