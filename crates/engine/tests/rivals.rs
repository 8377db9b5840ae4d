//! Of two statements that fit a question, the one that answers it now comes first; a model that read both says which that is.

use cairn_cognition::score::Part;
use cairn_domain::{Draft, Role, Time};
use cairn_engine::{
    Agent, Effects, Hit, Missing, Profile, Question,
    models::{BoxFuture, Calibration, Embedder, EmbedderSpec, ModelError, RivalAnswers},
};
use cairn_testkit::{SimulatedClock, home, run};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// An embedder to which all statements are as like every question and a little like each other, and that takes whatever has arrived for an answer and nothing that is only wanted.
#[derive(Default)]
struct ArrivalReader {
    readings: AtomicUsize,
}

impl Embedder for ArrivalReader {
    fn spec(&self) -> &EmbedderSpec {
        static SPEC: std::sync::LazyLock<EmbedderSpec> = std::sync::LazyLock::new(|| EmbedderSpec {
            id: "arrival".to_owned(),
            dimension: 3,
            max_tokens: 256,
            calibration: Calibration::default(),
        });
        &SPEC
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>> {
        let vector = |text: &String| {
            let angle = text.len() as f32 / 24.0;
            if text.ends_with('?') {
                vec![0.0, 0.0, 1.0]
            } else {
                vec![0.8 * angle.cos(), 0.8 * angle.sin(), 0.6]
            }
        };
        Box::pin(async move { Ok(texts.iter().map(vector).collect()) })
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn newer_answer_odds(&self, rivals: &RivalAnswers<'_>) -> Option<Result<f32, ModelError>> {
        self.readings.fetch_add(1, Ordering::Relaxed);
        if rivals.question.contains("broken") {
            let (id, problem) = ("arrival".to_owned(), "it cannot".to_owned());
            return Some(Err(ModelError::Failed { id, problem }));
        }
        assert!(rivals.older.contains("Fujifilm"), "{rivals:?}");
        assert_eq!(rivals.before_newer, "Noted, thank you.", "{rivals:?}");
        Some(Ok(if rivals.newer.contains("arrived") { 3.0 } else { -3.0 }))
    }
}

const OLDER: &str = "My camera is a Fujifilm.";

/// An agent that was told of a camera, and weeks later of another one.
async fn told(reader: &Arc<ArrivalReader>, newer: &str) -> (tempfile::TempDir, Agent) {
    let (folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
    let reader: Arc<dyn Embedder> = Arc::clone(reader) as Arc<dyn Embedder>;
    let home = home.with_embedder(reader);
    let agent = home.agent(&"main".parse().expect("a name"), Missing::Create).await.expect("an agent");
    for (day, role, text) in
        [(1, Role::User, OLDER), (40, Role::Assistant, "Noted, thank you."), (40, Role::User, newer)]
    {
        let at = Some(Time::from_millis(1_760_000_000_000 + day * 86_400_000));
        let draft = Draft { at, session: Some(format!("day-{day}")), ..Draft::new(role, text) };
        agent.remember(draft).await.expect("kept");
    }
    agent.form(&mut |_| {}).await.expect("formed");
    agent.embed(&mut |_| {}).await.expect("embedded");
    (folder, agent)
}

async fn hits(agent: &Agent, question: &str, k: usize, rivals: usize) -> Vec<Hit> {
    let profile = Profile { rivals, ..Profile::default() };
    let question = Question { k, profile, ..Question::new(question) };
    agent.answer(question, Effects::None).await.expect("an answer").hits
}

fn texts(hits: &[Hit]) -> Vec<&str> {
    let by_user = hits.iter().map(|hit| hit.found.text());
    by_user.filter(|text| *text != "Noted, thank you.").collect()
}

/// covers: K-10, C-123, C-245
#[test]
fn what_answers_now_comes_first_and_says_why() {
    const NEWER: &str = "A Nikon arrived in the mail, it weighs 800 grams.";
    const WANTED: &str = "My camera should become a camera of the brand Nikon some day.";
    const ASKED: &str = "What brand is my camera?";
    run(async {
        let reader = Arc::new(ArrivalReader::default());
        let (_folder, agent) = told(&reader, NEWER).await;
        assert_eq!(texts(&hits(&agent, ASKED, 5, 0).await), [OLDER, NEWER], "by how well they fit");
        assert_eq!(reader.readings.load(Ordering::Relaxed), 0, "nothing is read if nothing may be");
        let read = hits(&agent, ASKED, 5, 2).await;
        assert_eq!(texts(&read), [NEWER, OLDER]);
        assert_eq!(texts(&hits(&agent, ASKED, 1, 2).await), [NEWER], "however many are asked for");
        let part = |hit: &Hit, name| hit.explanation.score.parts.iter().any(|part| part.name == name);
        assert!(
            part(&read[0], Part::Answers) && read.iter().any(|hit| part(hit, Part::AnswersLess)),
            "{read:?}"
        );
        for hit in &read {
            let sum: f64 = hit.explanation.score.parts.iter().map(|part| part.adds).sum();
            assert!((sum - hit.score).abs() < 1e-9, "{hit:?}");
        }

        let (_folder, agent) = told(&reader, WANTED).await;
        assert_eq!(texts(&hits(&agent, ASKED, 5, 0).await), [WANTED, OLDER], "by how well they fit");
        assert_eq!(texts(&hits(&agent, ASKED, 5, 2).await), [OLDER, WANTED]);
    });
}

/// covers: C-124, C-125
#[test]
fn nothing_is_turned_round_for_a_question_about_the_past_or_by_a_model_that_fails() {
    run(async {
        let reader = Arc::new(ArrivalReader::default());
        let (_folder, agent) = told(&reader, "A Nikon arrived in the mail, it weighs 800 grams.").await;
        let before = reader.readings.load(Ordering::Relaxed);
        assert_eq!(texts(&hits(&agent, "What brand was my camera before?", 5, 2).await)[0], OLDER);
        assert_eq!(
            reader.readings.load(Ordering::Relaxed),
            before,
            "the past is not read for what holds now"
        );
        for rivals in [0, 2] {
            let found = hits(&agent, "Which brand is my broken camera?", 5, rivals).await;
            assert_eq!(texts(&found)[0], OLDER, "{rivals} rivals");
        }
    });
}
