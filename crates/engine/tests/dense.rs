//! Both lanes through the engine, with an embedder that a test can foresee: a text lies where its marks say.

use cairn_domain::{AgentName, Draft, Role};
use cairn_engine::{
    Agent, Effects, Fusion, Home, Missing, Profile, Question,
    models::{BoxFuture, Calibration, Embedder, EmbedderSpec, ModelError},
};
use cairn_eval::synthetic_life::SyntheticLife;
use cairn_testkit::{SimulatedClock, home, run, say};
use std::{f32::consts::FRAC_PI_2, sync::Arc, time::Instant};

/// Numbers in a vector.
const DIMENSION: usize = 64;

/// Puts a text with the mark `~N` N hundredths of the way from the first axis to the second, any other by a hash of its
/// words among the rest.
struct Foreseen(EmbedderSpec);

impl Foreseen {
    fn vector(text: &str) -> Vec<f32> {
        let mut vector = vec![0.0; DIMENSION];
        let mark =
            text.split('~').nth(1).and_then(|mark| mark.split_whitespace().next()?.parse::<f32>().ok());
        if let Some(mark) = mark {
            (vector[1], vector[0]) = (mark / 100.0 * FRAC_PI_2).sin_cos();
            return vector;
        }
        for word in text.split_whitespace() {
            let hash = word.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31) ^ usize::from(byte));
            vector[2 + hash % (DIMENSION - 2)] += 1.0;
        }
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        vector.iter().map(|x| x / length).collect()
    }
}

impl Embedder for Foreseen {
    fn spec(&self) -> &EmbedderSpec {
        &self.0
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>> {
        Box::pin(async move { Ok(texts.iter().map(|text| Self::vector(text)).collect()) })
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

fn foreseen() -> (tempfile::TempDir, Home) {
    let (folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
    let spec = EmbedderSpec {
        id: "foreseen".to_owned(),
        dimension: DIMENSION,
        max_tokens: 256,
        calibration: Calibration::default(),
    };
    (folder, home.with_embedder(Arc::new(Foreseen(spec))))
}

async fn agent(home: &Home, drafts: Vec<Draft>) -> Agent {
    let name: AgentName = "main".parse().expect("a name");
    let agent = home.agent(&name, Missing::Create).await.expect("opened");
    agent.remember_all(drafts).await.expect("kept");
    agent.embed(&mut |_| {}).await.expect("embedded");
    agent
}

/// Each lane hands over three times as many as hits that differ are chosen among, whoever asks for how many.
///
/// covers: C-03, C-34
#[test]
fn ranks_are_fused_over_three_times_the_hits_that_are_looked_at() {
    let words_first = Profile {
        fusion: Fusion::ReciprocalRank,
        dense: 0.01,
        lexical: 1.0,
        recency: 0.0,
        ..Profile::seed()
    };
    for (zebra, dense_rank) in [(150, Some(150)), (190, None)] {
        let (_folder, home) = foreseen();
        run(async {
            // Each in a session of its own, so that no turn before it is read along.
            let text =
                |i: usize| format!("{} ~{}", if i == zebra { "zebra" } else { "plain" }, i as f32 * 0.4);
            let drafts =
                (1..=200).map(|i| say(&i.to_string(), &i.to_string(), Role::User, &text(i))).collect();
            let agent = agent(&home, drafts).await;
            for k in [1, 10] {
                let question = Question { k, profile: words_first, ..Question::new("zebra ~0") };
                let recall = agent.answer(question, Effects::None).await.expect("an answer");
                let best = &recall.hits[0];
                let found = best.found.message().and_then(|it| it.message.source_id.clone());
                assert_eq!(found, Some(zebra.to_string()));
                assert_eq!(best.explanation.dense_lane.map(|lane| lane.rank), dense_rank, "{k} asked for");
                assert_eq!(best.explanation.lexical_lane.map(|lane| lane.rank), Some(1));
            }
        });
    }
}

/// `CAIRN_SCALE=100000` asks the same of a longer life.
///
/// covers: W-213, W-216, W-231
#[test]
fn what_was_said_once_is_found_in_a_long_life_and_quickly() {
    let messages = std::env::var("CAIRN_SCALE").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000);
    let (_folder, home) = foreseen();
    run(async {
        let mut drafts: Vec<Draft> = SyntheticLife::new(3).take(messages).collect();
        for needle in 0..20 {
            let said = format!("The locker {needle} opens with sardine{needle} and nothing else.");
            let at = (needle + 1) * messages / 21;
            drafts
                .insert(at, say(&format!("needle-{needle}"), &format!("needle-{needle}"), Role::User, &said));
        }
        let agent = agent(&home, drafts).await;
        let mut times = Vec::new();
        for needle in 0..20 {
            let question = Question::new(format!("what was it that opens with sardine{needle}?"));
            let begun = Instant::now();
            let recall = agent.answer(question, Effects::None).await.expect("an answer");
            times.push(begun.elapsed());
            let wanted = Some(format!("needle-{needle}"));
            let found = recall
                .hits
                .iter()
                .any(|hit| hit.found.message().is_some_and(|it| it.message.source_id == wanted));
            assert!(found, "{wanted:?} is not among ten of {messages}");
            assert!(recall.lexical_only.is_none() && recall.pending == 0);
        }
        times.sort_unstable();
        assert!(times[10].as_millis() < 50, "half of the answers took longer than {:?}", times[10]);
    });
}

/// A message of several things means little of each; what was remembered of it means just that.
///
/// covers: C-33
#[test]
fn a_message_is_found_by_what_was_remembered_of_it_though_it_is_unlike_the_question() {
    let (_folder, home) = foreseen();
    run(async {
        let texts = [
            "The harbor master works at pier ~100 four. My locker number is ~0 seventeen.",
            "Fine ~80 then.",
        ];
        let drafts = texts.iter().enumerate().map(|(at, text)| say(&at.to_string(), "one", Role::User, text));
        let agent = agent(&home, drafts.collect()).await;
        agent.form(&mut |_| {}).await.expect("formed");
        agent.embed(&mut |_| {}).await.expect("embedded");
        let recall = agent.answer(Question::new("wherein ~0"), Effects::None).await.expect("an answer");
        let first = recall.hits.first().map(|hit| hit.found.text().to_owned());
        assert_eq!(first.as_deref(), Some(texts[0]), "{:?}", recall.hits);
    });
}
