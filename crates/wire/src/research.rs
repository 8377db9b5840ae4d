//! Shards of work for research.

use cairn_domain::Time;
use cairn_engine::{ShardExchange, TrainingDecision};
use schemars::JsonSchema;
use serde::Serialize;

/// Shards of work.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ResearchShards {
    /// The newest first.
    pub shards: Vec<ResearchShard>,
}

/// The work of one session as research may see it, in short.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ResearchShard {
    /// Its name: a hash of everything in it.
    #[serde(rename = "ref")]
    pub reference: String,
    /// `hot`, `warm`, `cold`, `research_export` or `excluded`.
    pub class: &'static str,
    /// Where it comes from: the posture and the models at work.
    pub source: String,
    /// When its first step was called.
    pub from: Time,
    /// When its last step was called.
    pub to: Time,
    /// Requests in it.
    pub exchanges: usize,
    /// Steps in it.
    pub steps: usize,
    /// The lowest score of its windows, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Exchanges that should have another label.
    pub relabeled: usize,
    /// Places that were masked.
    pub masked: usize,
    /// Whether an operator approved it.
    pub approved: bool,
    /// The receipt of the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<u64>,
    /// Whether words in it give orders to whoever reads them; then it is never exported.
    pub gives_orders: bool,
}

/// A shard as it is exported.
#[derive(Debug, Clone, Serialize)]
pub struct ExportedShard {
    /// The shard, and that it was approved.
    #[serde(flatten)]
    pub shard: ResearchShard,
    /// The treatment of its words.
    pub redaction: &'static str,
    /// The work.
    pub work: Vec<ShardExchange>,
}

impl From<&cairn_engine::ResearchShard> for ResearchShard {
    fn from(shard: &cairn_engine::ResearchShard) -> Self {
        let scores = shard.exchanges.iter().flat_map(|one| one.scores.iter().flatten().copied());
        let approved = shard.decision.filter(|(decision, _)| *decision == TrainingDecision::Approved);
        Self {
            reference: shard.id.to_string(),
            class: shard.class.as_str(),
            source: shard.source.clone(),
            from: shard.span.0,
            to: shard.span.1,
            exchanges: shard.exchanges.len(),
            steps: shard.exchanges.iter().map(|one| one.steps.len()).sum(),
            score: scores.min_by(f64::total_cmp),
            relabeled: shard.exchanges.iter().filter(|one| one.relabel.is_some()).count(),
            masked: shard.masked,
            approved: shard.is_approved(),
            receipt: approved.map(|(_, receipt)| receipt),
            gives_orders: shard.gives_orders,
        }
    }
}

impl From<&cairn_engine::ResearchShard> for ExportedShard {
    fn from(shard: &cairn_engine::ResearchShard) -> Self {
        Self {
            shard: shard.into(),
            redaction: "secrets, personal data, home folders and known names of people are masked",
            work: shard.exchanges.clone(),
        }
    }
}

impl<'a> FromIterator<&'a cairn_engine::ResearchShard> for ResearchShards {
    fn from_iter<I: IntoIterator<Item = &'a cairn_engine::ResearchShard>>(shards: I) -> Self {
        Self { shards: shards.into_iter().map(ResearchShard::from).collect() }
    }
}
