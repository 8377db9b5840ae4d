//! What is found: each conversation becomes a fresh agent, each question is asked once, and the share of its evidence
//! among the hits is counted. Categories and evidence are never shown to the engine.

use crate::{
    Still,
    dataset::{Conversation, Question},
    perf::Percentiles,
};
use cairn_domain::AgentName;
use cairn_engine::{Agent, EngineError, Home, Missing, Profile};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// Hits asked for.
const HITS: usize = 40;

/// The figures of some questions: means, in percent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Figures {
    /// Questions asked.
    pub questions: usize,
    /// Share of evidence messages among the first 1, 5 and 10.
    pub turn: [f64; 3],
    /// Share of questions with all evidence among the first 10.
    pub all_at_10: f64,
    /// Mean reciprocal rank of the first evidence message.
    pub reciprocal_rank: f64,
    /// Share of evidence sessions among the first 1, 5 and 10.
    pub session: [f64; 3],
}

/// What was measured.
pub struct Report {
    /// Over all questions.
    pub all: Figures,
    /// By category.
    pub categories: BTreeMap<String, Figures>,
    latency: Percentiles,
}

impl Figures {
    fn add(&mut self, evidence: &[String], hits: &[String], sessions: &HashMap<String, String>) {
        let session_of = |id: &String| sessions.get(id).cloned().unwrap_or_default();
        let (wanted_sessions, found_sessions) =
            (evidence.iter().map(session_of), hits.iter().map(session_of));
        let (wanted_sessions, found_sessions) = (distinct(wanted_sessions), distinct(found_sessions));
        self.questions += 1;
        for (i, k) in [1, 5, 10].into_iter().enumerate() {
            self.turn[i] += share(evidence, hits, k);
            self.session[i] += share(&wanted_sessions, &found_sessions, k);
        }
        self.all_at_10 += if share(evidence, hits, 10) >= 1.0 { 1.0 } else { 0.0 };
        let first = hits.iter().position(|hit| evidence.contains(hit));
        self.reciprocal_rank += first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
    }

    fn mean(mut self) -> Self {
        let percent = 100.0 / self.questions.max(1) as f64;
        for figure in self.turn.iter_mut().chain(&mut self.session) {
            *figure *= percent;
        }
        self.all_at_10 *= percent;
        self.reciprocal_rank *= percent;
        self
    }

    fn to_json(self) -> Value {
        json!({"questions": self.questions, "turn_r1": self.turn[0], "turn_r5": self.turn[1], "turn_r10": self.turn[2],
               "turn_all10": self.all_at_10, "mrr": self.reciprocal_rank, "session_r1": self.session[0],
               "session_r5": self.session[1], "session_r10": self.session[2]})
    }
}

impl Report {
    /// For programs.
    pub fn to_json(&self) -> Value {
        let categories: BTreeMap<&String, Value> =
            self.categories.iter().map(|(name, f)| (name, f.to_json())).collect();
        json!({"all": self.all.to_json(), "categories": categories, "p50_ms": self.latency.p50, "p95_ms": self.latency.p95})
    }

    /// For a table: name and figures, all questions last.
    pub fn rows(&self) -> Vec<(String, Figures)> {
        let mut rows: Vec<(String, Figures)> =
            self.categories.iter().map(|(name, f)| (name.clone(), *f)).collect();
        rows.push(("all".to_owned(), self.all));
        rows
    }

    /// How long an answer took.
    pub fn latency(&self) -> String {
        format!("p50 {:.2} ms, p95 {:.2} ms", self.latency.p50, self.latency.p95)
    }
}

/// Asks every question of every conversation, each conversation in an agent of its own, in a folder beside `beside`
/// that is removed afterwards.
pub async fn run(
    conversations: &[Conversation],
    beside: &Path,
    profile: Profile,
    on_stage: &mut (dyn FnMut(&str) + Send),
) -> Result<Report, EngineError> {
    let place =
        |error| EngineError::File { doing: "make a folder in", path: beside.to_owned(), source: error };
    std::fs::create_dir_all(beside).map_err(place)?;
    let folder = tempfile::Builder::new().prefix(".eval-").tempdir_in(beside).map_err(place)?;
    let home = Home::new(folder.path(), Arc::new(Still))?;
    let mut categories: BTreeMap<String, Figures> = BTreeMap::new();
    let mut all = Figures::default();
    let mut times = Vec::new();
    for (i, conversation) in conversations.iter().enumerate() {
        on_stage(&format!("conversation {} of {}", i + 1, conversations.len()));
        let name: AgentName = format!("conversation-{i}").parse()?;
        let agent = home.agent(&name, Missing::Create).await?;
        agent
            .remember_all(conversation.messages.iter().map(crate::dataset::Message::draft).collect())
            .await?;
        let session = |message: &crate::dataset::Message| (message.id.clone(), message.session.clone());
        let sessions: HashMap<String, String> = conversation.messages.iter().map(session).collect();
        for question in &conversation.questions {
            let (hits, time) = ask(&agent, question, profile).await?;
            times.push(time);
            for figures in [&mut all, categories.entry(question.category.clone()).or_default()] {
                figures.add(&question.evidence, &hits, &sessions);
            }
        }
    }
    let categories = categories.into_iter().map(|(name, figures)| (name, figures.mean())).collect();
    Ok(Report { all: all.mean(), categories, latency: Percentiles::of(times) })
}

/// The callers' ids of the hits, best first.
async fn ask(
    agent: &Agent,
    question: &Question,
    profile: Profile,
) -> Result<(Vec<String>, Duration), EngineError> {
    let asked =
        cairn_engine::Question { k: HITS, profile, ..cairn_engine::Question::new(&question.question) };
    let begun = Instant::now();
    let recall = agent.recall(asked).await?;
    let time = begun.elapsed();
    let ids = recall.hits.into_iter().filter_map(|hit| hit.record.message.source_id);
    Ok((distinct(ids), time))
}

/// The share of `wanted` among the first `k` of `found`.
fn share(wanted: &[String], found: &[String], k: usize) -> f64 {
    let first = &found[..k.min(found.len())];
    wanted.iter().filter(|id| first.contains(id)).count() as f64 / wanted.len().max(1) as f64
}

/// Each value once, in order of first appearance.
fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_counted_over_the_first_k() {
        let ids = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (wanted, found) = (ids("a b"), ids("x a y b"));
        for (k, expected) in [(1, 0.0), (2, 0.5), (4, 1.0), (10, 1.0)] {
            assert!((share(&wanted, &found, k) - expected).abs() < 1e-12, "{k}");
        }
        assert_eq!(distinct(ids("a b a c b").into_iter()), ids("a b c"));
    }
}
