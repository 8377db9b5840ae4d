//! Shards of work for research.

use cairn_domain::Time;
use cairn_engine::{ShardExchange, TrainingDecision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, Serialize, JsonSchema)]
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

/// A verdict of an operator about a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrainingVerdict {
    /// It may be exported as it is now.
    Approve,
    /// It is never exported.
    Exclude,
    /// A decision before is taken back.
    End,
}

/// A decision about a shard.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainingRequest {
    /// The decision.
    pub decision: TrainingVerdict,
    /// Why: it stands in the receipt.
    #[schemars(length(min = 1, max = 1_000))]
    pub reason: String,
}

/// A decision about a shard that was carried out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TrainingDecided {
    /// The receipt; undoing it takes the decision back.
    pub receipt: u64,
    /// The rules that hold from now on, a sentence each.
    pub boundary: Vec<String>,
}

impl TrainingVerdict {
    /// The decision as it stands about a shard from then on; none if it is taken back.
    pub fn decision(self) -> Option<TrainingDecision> {
        match self {
            Self::Approve => Some(TrainingDecision::Approved),
            Self::Exclude => Some(TrainingDecision::Excluded),
            Self::End => None,
        }
    }
}
