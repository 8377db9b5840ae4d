//! Beliefs that wait for an operator, and the decisions about them.

use crate::{Belief, Context, Proposal, Receipt};
use cairn_domain::{BeliefId, Consumer, ProvenanceMode, ReviewDecision, SourceState, Time};
use cairn_engine::{
    Briefing, EvidenceShape, StoredProposal,
    limits::{DEFAULT_CONTEXT_TOKENS, MAX_CONTEXT_TOKENS, MIN_CONTEXT_TOKENS},
};
use cairn_store::BeliefRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The beliefs and proposals that wait for an operator.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewQueue {
    /// How far what is held true is trusted.
    pub mode: ProvenanceMode,
    /// The beliefs.
    pub beliefs: Vec<Waiting>,
    /// Changes of identity files that were proposed, the oldest first.
    pub proposals: Vec<Proposal>,
}

/// A belief that waits.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Waiting {
    /// The belief.
    #[serde(flatten)]
    pub belief: Belief,
    /// Shape of its evidence: `conflicting`, `decayed`, `near_ready`, `recurring` or `single`.
    pub shape: &'static str,
}

impl ReviewQueue {
    /// The queue, each belief with the shape of its evidence.
    pub fn new(
        mode: ProvenanceMode,
        waiting: &[(BeliefRecord, EvidenceShape)],
        proposals: &[StoredProposal],
    ) -> Self {
        let one = |(record, shape): &(BeliefRecord, EvidenceShape)| Waiting {
            belief: record.into(),
            shape: shape.as_str(),
        };
        Self {
            mode,
            beliefs: waiting.iter().map(one).collect(),
            proposals: proposals.iter().map(Proposal::from).collect(),
        }
    }
}

/// A belief as an operator decides about it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReviewPage {
    /// The belief.
    pub belief: Belief,
    /// How well it is supported.
    pub confidence_in_words: String,
    /// The sources that speak for it, as they read now.
    pub sources: Vec<SourceNow>,
    /// The best that any of them says.
    pub state: SourceState,
    /// How much of the claim the best source holds, 0 to 1.
    pub coverage: f64,
    /// Shape of its evidence.
    pub shape: &'static str,
    /// Until when it was put off.
    pub deferred_until: Option<Time>,
    /// The number of the receipt that tells why, if it was put off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred_by: Option<u64>,
    /// The hash of what it says and of what its sources say: a decision confirms it.
    pub confirms: String,
    /// The recommended decision. It is never carried out by itself.
    pub recommended: &'static str,
    /// Why.
    pub because: String,
    /// Its receipts.
    pub receipts: Vec<Receipt>,
}

/// A source as it reads now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SourceNow {
    /// Its ref.
    pub source: String,
    /// The words that were quoted of it.
    pub quoted: String,
    /// Its text now; null if the source is missing.
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
            deferred_by: review.deferred_by,
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
    /// The operator's decision.
    pub decision: ReviewDecision,
    /// Why: it stands in the receipt.
    #[schemars(length(min = 1, max = 1_000))]
    pub reason: String,
    /// The `confirms` hash of the review, needed to accept. If it no longer matches, nothing is done.
    pub confirm: Option<String>,
    /// Until when it is put off, for `defer`.
    pub until: Option<Time>,
    /// Who may be given it, for `accept_verified`; all if nobody is named.
    #[serde(default, rename = "for")]
    pub consumers: Vec<Consumer>,
}

/// Asks what a decision about a belief would change for a model. Nothing is decided.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewRequest {
    /// The decision that is looked at.
    pub decision: ReviewDecision,
    /// Who would be given it, for `accept_verified`; all if nobody is named.
    #[serde(default, rename = "for")]
    pub consumers: Vec<Consumer>,
    /// In which mode; the one in force if not said.
    pub mode: Option<ProvenanceMode>,
    /// Topic of the task or the conversation.
    pub query: Option<String>,
    /// The lasting project.
    pub thread: Option<String>,
    /// How many tokens the context may have, 50 to 20000; 600 if not said.
    #[schemars(range(min = MIN_CONTEXT_TOKENS, max = MAX_CONTEXT_TOKENS))]
    pub budget: Option<usize>,
}

impl PreviewRequest {
    /// The context that is compared.
    pub fn briefing(&self) -> Briefing {
        let tokens = self.budget.unwrap_or(DEFAULT_CONTEXT_TOKENS);
        Briefing { query: self.query.clone(), thread: self.thread.clone(), tokens, ..Briefing::default() }
    }
}

/// A model's context before and after a decision.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DecisionPreview {
    /// How far beliefs are trusted in both.
    pub mode: ProvenanceMode,
    /// The context as it is.
    pub before: Context,
    /// The context as it would be.
    pub after: Context,
}

/// Undoes what a receipt tells of.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoRequest {
    /// Why: it stands in the receipt of the undoing.
    #[schemars(length(min = 1, max = 1_000))]
    pub reason: String,
}

/// A decision that was carried out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Decided {
    /// The receipt.
    pub receipt: Receipt,
    /// The belief that stands for it now.
    pub belief: BeliefId,
    /// The hash that was confirmed.
    pub confirms: String,
}
