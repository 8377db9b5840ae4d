//! Beliefs, and what stands behind one.

use crate::{Evidence, Memory};
use cairn_domain::{
    BeliefId, BeliefKind, BeliefLane, BeliefStatus, ConfidenceParts, Consumer, Privacy, ReceiptAction,
    Stance, SubjectType, Time,
};
use cairn_engine::BeliefEvidence;
use cairn_store::BeliefRecord;
use schemars::JsonSchema;
use serde::Serialize;

/// Something held true, whether it was verified or not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Belief {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: BeliefId,
    /// The kind of truth it is.
    pub kind: BeliefKind,
    /// The kind of thing it is about.
    pub subject_type: SubjectType,
    /// Which.
    pub subject_id: String,
    /// The subject as code spells it: one belief stands under each key.
    pub key: String,
    /// The value under that key.
    pub value: String,
    /// The claim, as a sentence.
    pub summary: String,
    /// Whether an operator has verified it; a candidate is nothing to rely on.
    pub lane: BeliefLane,
    /// Whether it is still held.
    pub status: BeliefStatus,
    /// How well it is supported, 0 to 1.
    pub confidence: f64,
    /// The figures that confidence is computed from.
    pub confidence_parts: ConfidenceParts,
    /// How current it is, 0 to 1.
    pub freshness: f64,
    /// When something last spoke for it.
    pub last_supported_at: Time,
    /// When something last spoke against it.
    pub last_contradicted_at: Option<Time>,
    /// When it is to be looked at again.
    pub due_at: Time,
    /// Who may see it outside its agent.
    pub privacy: Privacy,
    /// Who may be given it once it is verified.
    pub allowed_consumers: Vec<Consumer>,
    /// When it was first held.
    pub created_at: Time,
}

impl From<&BeliefRecord> for Belief {
    fn from(record: &BeliefRecord) -> Self {
        let belief = &record.belief;
        Self {
            reference: belief.id,
            kind: belief.kind,
            subject_type: belief.subject_type,
            subject_id: belief.subject_id.clone(),
            key: belief.key.clone(),
            value: belief.value.clone(),
            summary: belief.summary.clone(),
            lane: belief.lane,
            status: belief.status,
            confidence: belief.confidence,
            confidence_parts: belief.parts,
            freshness: belief.freshness,
            last_supported_at: belief.last_supported_at,
            last_contradicted_at: belief.last_contradicted_at,
            due_at: belief.due_at,
            privacy: belief.privacy,
            allowed_consumers: belief.allowed_consumers.clone(),
            created_at: belief.created_at,
        }
    }
}

/// A belief with all that speaks for and against it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WhyBelief {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: BeliefId,
    /// The belief, as current as it is now.
    pub belief: Belief,
    /// Why the confidence is what it is, in words.
    pub confidence_in_words: String,
    /// The evidence for it and against it.
    pub evidence: Vec<Link>,
    /// The beliefs it replaced, the last first.
    pub before: Vec<Belief>,
    /// The belief that took its place.
    pub after: Option<Belief>,
    /// Everything that was done about it, the oldest first.
    pub receipts: Vec<Receipt>,
    /// The events that would change it, as sentences.
    pub would_change: Vec<String>,
}

/// One piece of evidence for a belief, against it or beside it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Link {
    /// A ref: `mem_…`, `entity://…`.
    pub source: String,
    /// For or against.
    pub stance: Stance,
    /// How much it counts.
    pub weight: f64,
    /// Who spoke.
    pub role: String,
    /// The words, verbatim.
    pub excerpt: String,
    /// Echoes of one source have one root, and count once.
    pub root: String,
    /// When the words were said.
    pub said_at: Time,
    /// The memory.
    pub memory: Option<Memory>,
    /// The sources of that memory, read again just now.
    pub rests_on: Vec<Evidence>,
}

/// An entry of the ledger.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Receipt {
    /// Its place in the ledger.
    pub number: u64,
    /// When.
    pub at: Time,
    /// Who.
    pub actor: String,
    /// The action that was taken.
    pub action: ReceiptAction,
    /// From what.
    pub was: String,
    /// To what.
    pub becomes: String,
    /// Why.
    pub reason: String,
    /// How it is undone, if an operator did it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub undo: String,
}

impl From<&cairn_engine::WhyBelief> for WhyBelief {
    fn from(why: &cairn_engine::WhyBelief) -> Self {
        Self {
            reference: why.record.belief.id,
            belief: Belief { freshness: why.freshness, ..(&why.record).into() },
            confidence_in_words: why.in_words.clone(),
            evidence: why.evidence.iter().map(Link::from).collect(),
            before: why.before.iter().map(Belief::from).collect(),
            after: why.after.as_ref().map(Belief::from),
            receipts: why.receipts.iter().map(Receipt::from).collect(),
            would_change: why.would_change.clone(),
        }
    }
}

impl From<&BeliefEvidence> for Link {
    fn from(one: &BeliefEvidence) -> Self {
        let evidence = &one.link.evidence;
        Self {
            source: evidence.source.clone(),
            stance: evidence.stance,
            weight: evidence.weight,
            role: evidence.role.clone(),
            excerpt: evidence.excerpt.clone(),
            root: evidence.root.clone(),
            said_at: one.link.said_at,
            memory: one.memory.as_ref().map(Memory::from),
            rests_on: one.sources.iter().map(Evidence::from).collect(),
        }
    }
}

impl From<&cairn_domain::Receipt> for Receipt {
    fn from(receipt: &cairn_domain::Receipt) -> Self {
        Self {
            number: receipt.number,
            at: receipt.at,
            actor: receipt.actor.clone(),
            action: receipt.action,
            was: receipt.told.was.clone(),
            becomes: receipt.told.becomes.clone(),
            reason: receipt.told.reason.clone(),
            undo: receipt.told.undo.clone(),
        }
    }
}
