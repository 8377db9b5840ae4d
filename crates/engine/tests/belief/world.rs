//! An agent that is spoken to, day by day.

use cairn_domain::{AgentName, BeliefStatus, Draft, MILLIS_PER_DAY, MessageId, Ref, Role, Time};
use cairn_engine::{
    Agent, Audience, CorrectedBy, CorrectionDraft, Home, Missing, RhythmOutcome, RhythmReport, WhyBelief,
};
use cairn_store::{BeliefFilter, BeliefRecord};
use cairn_testkit::SimulatedClock;
use std::sync::Arc;
use tempfile::TempDir;
const START: &str = "2026-03-01T09:00:00Z";
/// No model, no jitter.
pub(crate) const CONFIG: &str = "[embedder]\nkind = \"none\"\n[rhythms]\njitter_seconds = 0\n";

pub(crate) struct World {
    pub(crate) clock: Arc<SimulatedClock>,
    pub(crate) home: Home,
    pub(crate) agent: Agent,
    said: std::cell::Cell<u32>,
    /// Goes with the world.
    _folder: Option<TempDir>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("config.toml"), CONFIG).expect("written");
        let clock = SimulatedClock::at(START);
        let home = Home::new(folder.path(), Arc::clone(&clock) as Arc<_>).expect("a home");
        let world = Self::of(home, clock, "main").await;
        Self { _folder: Some(folder), ..world }
    }

    /// Another agent of a home.
    pub(crate) async fn of(home: Home, clock: Arc<SimulatedClock>, name: &str) -> Self {
        let name: AgentName = name.parse().expect("a name");
        let agent = home.agent(&name, Missing::Create).await.expect("an agent");
        Self { clock, home, agent, said: std::cell::Cell::new(0), _folder: None }
    }

    /// Lets days pass.
    pub(crate) fn pass(&self, days: i64) {
        self.clock.pass_ms(days * MILLIS_PER_DAY);
    }

    fn now(&self) -> Time {
        self.home.now()
    }

    /// Somebody says something, each time in a session of its own, and it is formed.
    pub(crate) async fn say(&self, role: Role, text: &str) -> MessageId {
        let number = self.said.get();
        self.said.set(number + 1);
        let draft = Draft {
            source_id: Some(format!("m{number}")),
            session: Some(format!("s{number}")),
            at: Some(self.now()),
            ..Draft::new(role, text)
        };
        let kept = self.agent.remember(draft).await.expect("kept");
        self.agent.form_message(kept.message).await.expect("formed");
        kept.message
    }

    pub(crate) async fn user(&self, text: &str) -> MessageId {
        self.say(Role::User, text).await
    }

    /// Somebody corrects a record.
    pub(crate) async fn correct(&self, reference: Ref, role: Role, text: &str) {
        let by = if role == Role::User { CorrectedBy::User } else { CorrectedBy::Agent };
        let correction = CorrectionDraft { text: text.to_owned(), by, at: Some(self.now()) };
        self.agent.correct_record(reference, correction, Audience::Operator).await.expect("corrected");
    }

    pub(crate) async fn run(&self, rhythm: &str) -> RhythmReport {
        let report = self.agent.run_rhythm(rhythm, &mut |_| {}).await.expect(rhythm);
        assert_eq!(report.outcome, RhythmOutcome::Done, "{rhythm}");
        report
    }

    /// Every belief, whether it stands or not.
    pub(crate) async fn all(&self) -> Vec<BeliefRecord> {
        self.agent
            .beliefs(BeliefFilter { all: true, ..BeliefFilter::default() }, 1_000)
            .await
            .expect("listed")
    }

    /// The belief that stands under a key.
    pub(crate) async fn standing(&self, key: &str) -> Option<BeliefRecord> {
        let all = self.agent.beliefs(BeliefFilter::default(), 1_000).await.expect("listed");
        all.into_iter().find(|record| record.belief.key == key)
    }

    pub(crate) async fn why(&self, key: &str) -> WhyBelief {
        let record = self.standing(key).await.unwrap_or_else(|| panic!("nothing stands under {key}"));
        self.agent.why_belief(record.belief.id).await.expect("explained")
    }

    /// The beliefs under a key over time, oldest first: value and status.
    pub(crate) async fn story(&self, key: &str) -> Vec<(String, BeliefStatus)> {
        let mut all: Vec<BeliefRecord> =
            self.all().await.into_iter().filter(|record| record.belief.key == key).collect();
        all.sort_by_key(|record| record.number);
        all.into_iter().map(|record| (record.belief.value, record.belief.status)).collect()
    }

    pub(crate) async fn verified(&self) {
        let verification = self.agent.verify().await.expect("verified");
        assert_eq!(verification.findings, [], "{verification:?}");
    }
}
