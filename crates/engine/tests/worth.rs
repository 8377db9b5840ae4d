//! Words that are worth too little to be kept for themselves, and what they change all the same.

use cairn_domain::{Draft, Role, Status, Verdict};
use cairn_engine::{
    Agent, Decision, Missing,
    models::{BoxFuture, Calibration, Embedder, EmbedderSpec, ModelError, TextPair},
};
use cairn_testkit::{SimulatedClock, home, run};
use std::sync::Arc;

/// An embedder to which all texts are alike, and that reads every pair in which tea is new as a change.
struct TeaReader(EmbedderSpec);

impl Embedder for TeaReader {
    fn spec(&self) -> &EmbedderSpec {
        &self.0
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, ModelError>> {
        let vector = |text: &String| {
            let angle = text.len() as f32 / 400.0;
            vec![angle.cos(), angle.sin()]
        };
        Box::pin(async move { Ok(texts.iter().map(vector).collect()) })
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn change_odds(&self, pair: &TextPair<'_>) -> Option<Result<f32, ModelError>> {
        Some(Ok(if pair.new.contains("tea now") { 9.0 } else { -9.0 }))
    }
}

async fn tell(agent: &Agent, text: &str) -> Vec<Decision> {
    let kept = agent.remember(Draft::new(Role::User, text)).await.expect("kept");
    agent.form_message(kept.message).await.expect("formed").decisions
}

/// covers: C-24, C-117
#[test]
fn words_of_little_worth_are_kept_if_they_replace_something_and_else_not() {
    const LITTLE: &str = "lol tea now. Tell me a joke about trains please.";
    let spec = EmbedderSpec {
        id: "tea".to_owned(),
        dimension: 2,
        max_tokens: 256,
        calibration: Calibration::default(),
    };
    let (_folder, home) = home(SimulatedClock::at("2026-11-15T10:00:00Z"));
    let home = home.with_embedder(Arc::new(TeaReader(spec)));
    run(async {
        let agent = async |name: &str| {
            home.agent(&name.parse().expect("a name"), Missing::Create).await.expect("an agent")
        };
        let (quiet, known) = (agent("quiet").await, agent("known").await);
        let decisions = tell(&quiet, LITTLE).await;
        assert_eq!((decisions.len(), decisions[0].verdict), (1, Verdict::Skip), "{decisions:?}");
        assert!(decisions[0].reason.contains("it says too little"), "{}", decisions[0].reason);

        let coffee = tell(&known, "I drink coffee in the morning, two cups.").await;
        let coffee = coffee[0].memory.expect("a memory");
        let decisions = tell(&known, LITTLE).await;
        assert_eq!(decisions[0].supersedes, Some(coffee), "{decisions:?}");
        assert_eq!(known.memory(coffee).await.expect("there").memory.status, Status::Superseded);
        let tea = known.memory(decisions[0].memory.expect("a memory")).await.expect("there");
        assert!(tea.memory.text.contains("tea now"), "{}", tea.memory.text);
    });
}
