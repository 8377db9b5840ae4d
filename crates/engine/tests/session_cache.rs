//! The vectors of questions are cached for their session, and go with it.

use cairn_domain::{AgentName, Role};
use cairn_engine::{
    Effects, Missing, Question,
    models::{BoxFuture, Calibration, Embedder, EmbedderSpec, ModelError},
};
use cairn_testkit::{SimulatedClock, home, run, say};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counts the texts it is given; all of them mean the same.
struct CountingEmbedder {
    spec: EmbedderSpec,
    texts: AtomicUsize,
}

impl Embedder for CountingEmbedder {
    fn spec(&self) -> &EmbedderSpec {
        &self.spec
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>> {
        self.texts.fetch_add(texts.len(), Ordering::SeqCst);
        let mut vector = vec![0.0; self.spec.dimension];
        vector[0] = 1.0;
        Box::pin(async move { Ok(vec![vector; texts.len()]) })
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

/// covers: C-174
#[test]
fn a_question_is_embedded_once_in_a_session_and_again_when_that_is_over() {
    let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
    let (id, calibration) = ("counting".to_owned(), Calibration::default());
    let spec = EmbedderSpec { id, dimension: 8, max_tokens: 256, calibration };
    let counting = Arc::new(CountingEmbedder { spec, texts: AtomicUsize::new(0) });
    let home = home.with_embedder(Arc::clone(&counting) as Arc<dyn Embedder>);
    run(async {
        let name: AgentName = "main".parse().expect("a name");
        let agent = home.agent(&name, Missing::Create).await.expect("an agent");
        agent.remember(say("1", "a", Role::User, "I live in Lisbon.")).await.expect("kept");
        agent.embed(&mut |_| {}).await.expect("embedded");
        let embedded = async |session: &str| {
            let before = counting.texts.load(Ordering::SeqCst);
            let session = Some(session.to_owned());
            let question = Question { session, ..Question::new("Where do I live?") };
            agent.answer(question, Effects::None).await.expect("an answer");
            counting.texts.load(Ordering::SeqCst) - before
        };
        assert_eq!((embedded("a").await, embedded("a").await), (1, 0), "once in a session");
        assert_eq!(embedded("b").await, 1, "another session knows nothing of it");
        agent.end_session("a").await.expect("ended");
        assert_eq!((embedded("b").await, embedded("a").await), (0, 1), "gone with its session");
    });
}
