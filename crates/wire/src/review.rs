//! What waits for an operator, and what is decided about it.

use crate::{Belief, Receipt};
use cairn_domain::{BeliefId, Consumer, ProvenanceMode, ReviewDecision, SourceState, Time};
use cairn_engine::Shape;
use cairn_store::BeliefRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What waits for an operator.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewQueue {
    /// How far what is held true is trusted.
    pub mode: ProvenanceMode,
    /// The beliefs.
    pub beliefs: Vec<Waiting>,
}

/// A belief that waits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Waiting {
    /// The belief.
    #[serde(flatten)]
    pub belief: Belief,
    /// What its evidence looks like: `conflicting`, `decayed`, `near_ready`, `recurring` or `single`.
    pub shape: &'static str,
}

impl ReviewQueue {
    /// What waits, by what its evidence looks like.
    pub fn new(mode: ProvenanceMode, waiting: &[(BeliefRecord, Shape)]) -> Self {
        let one = |(record, shape): &(BeliefRecord, Shape)| Waiting {
            belief: record.into(),
            shape: shape.as_str(),
        };
        Self { mode, beliefs: waiting.iter().map(one).collect() }
    }
}

/// A belief as an operator decides about it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewPage {
    /// The belief.
    pub belief: Belief,
    /// How well it is supported.
    pub confidence_in_words: String,
    /// What its sources say now, those that speak for it.
    pub sources: Vec<SourceNow>,
    /// The best that any of them says.
    pub state: SourceState,
    /// How much of the claim the best source holds, 0 to 1.
    pub coverage: f64,
    /// What its evidence looks like.
    pub shape: &'static str,
    /// Until when it was put off.
    pub deferred_until: Option<Time>,
    /// The hash of what it says and of what its sources say: a decision confirms it.
    pub confirms: String,
    /// What is recommended. Nobody does it.
    pub recommended: &'static str,
    /// Why.
    pub because: String,
    /// What was done about it.
    pub receipts: Vec<Receipt>,
}

/// What a source says now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceNow {
    /// Its ref.
    pub source: String,
    /// The words that were quoted of it.
    pub quoted: String,
    /// What it says now; null if it is not there.
    pub says: Option<String>,
    /// How the two compare.
    pub state: SourceState,
    /// How much of the quoted words it holds, 0 to 1.
    pub coverage: f64,
}

impl From<&cairn_engine::Review> for ReviewPage {
    fn from(review: &cairn_engine::Review) -> Self {
        let source = |source: &cairn_engine::Resolved| SourceNow {
            source: source.source.clone(),
            quoted: source.quoted.clone(),
            says: source.says.clone(),
            state: source.verification.state,
            coverage: source.verification.coverage,
        };
        let (recommended, because) = &review.recommended;
        Self {
            belief: Belief { freshness: review.why.freshness, ..(&review.why.record).into() },
            confidence_in_words: review.why.in_words.clone(),
            sources: review.sources.iter().map(source).collect(),
            state: review.verification.state,
            coverage: review.verification.coverage,
            shape: review.shape.as_str(),
            deferred_until: review.deferred_until,
            confirms: review.confirms.clone(),
            recommended: recommended.as_str(),
            because: because.clone(),
            receipts: review.why.receipts.iter().map(Receipt::from).collect(),
        }
    }
}

/// Decides about a belief.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideRequest {
    /// What becomes of it.
    pub decision: ReviewDecision,
    /// Why: it stands in the receipt.
    #[schemars(length(min = 1, max = 1_000))]
    pub reason: String,
    /// What the review told to confirm; needed to accept. If it is no longer so, nothing is done.
    pub confirm: Option<String>,
    /// Until when it is put off, for `defer`.
    pub until: Option<Time>,
    /// Who may be given it, for `accept_verified`; all if nobody is named.
    #[serde(default, rename = "for")]
    pub consumers: Vec<Consumer>,
}

/// Undoes what a receipt tells of.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoRequest {
    /// Why: it stands in the receipt of the undoing.
    #[schemars(length(min = 1, max = 1_000))]
    pub reason: String,
}

/// What was decided.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Decided {
    /// The receipt.
    pub receipt: Receipt,
    /// The belief that stands for it now.
    pub belief: BeliefId,
    /// What was confirmed.
    pub confirms: String,
}
