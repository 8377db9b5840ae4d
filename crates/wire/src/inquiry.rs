//! Inquiries and growth vectors, for programs.

use crate::ProposalSource;
use cairn_domain::{ContemplationPass, InquiryId, InquirySource, ProposalId, Time};
use cairn_engine::{GrowthPattern, InquiryPage};
use cairn_store::PassRecord;
use schemars::JsonSchema;
use serde::Serialize;

/// Inquiries, and the patterns that came of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Inquiries {
    /// The newest first.
    pub inquiries: Vec<Inquiry>,
    /// Sentences that several inquiries came to, the strongest first.
    pub patterns: Vec<Pattern>,
}

/// Something that did not fit, and what was thought about it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Inquiry {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: InquiryId,
    /// Why it was opened.
    pub source: InquirySource,
    /// The question.
    pub question: String,
    /// Refs of the records it is about.
    pub evidence: Vec<String>,
    /// When it was opened.
    pub opened_at: Time,
    /// How often it came up.
    pub seen: u32,
    /// When the next pass is due; left out if all are done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    /// The passes that were made, in order.
    pub passes: Vec<InquiryPass>,
    /// The growth vector that came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<String>,
    /// The proposal that the vector became part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
}

/// A pass over an inquiry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct InquiryPass {
    /// Which.
    pub pass: ContemplationPass,
    /// When it was made.
    pub made_at: Time,
    /// The outcome, in words.
    pub text: String,
    /// The memories and the other inquiries that it belongs to, in the pass that looks for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub connected: Vec<ProposalSource>,
}

/// Growth vectors that say the same.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Pattern {
    /// The sentence.
    pub text: String,
    /// How many inquiries came to it.
    pub times: usize,
    /// The records behind it, each once.
    pub refs: Vec<String>,
    /// How far it is, in words: how many inquiries and days it needs, what holds it back, or what became of its proposal.
    pub fate: String,
    /// The proposal that came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
}

impl Inquiries {
    /// The answer to a list.
    pub fn new(pages: &[InquiryPage], patterns: &[GrowthPattern]) -> Self {
        let pattern = |one: &GrowthPattern| Pattern {
            text: one.text.clone(),
            times: one.times,
            refs: one.refs.clone(),
            fate: one.fate.told(),
            proposal: one.fate.proposal().map(|(id, _)| id),
        };
        Self {
            inquiries: pages.iter().map(Inquiry::from).collect(),
            patterns: patterns.iter().map(pattern).collect(),
        }
    }
}

impl From<&InquiryPage> for Inquiry {
    fn from(page: &InquiryPage) -> Self {
        let InquiryPage { inquiry, evidence, passes, connected, vector } = page;
        let pass = |one: &PassRecord| {
            let belongs = connected.iter().filter(|_| one.pass == ContemplationPass::Connect);
            InquiryPass {
                pass: one.pass,
                made_at: one.made_at,
                text: one.text.clone(),
                connected: belongs.map(ProposalSource::from).collect(),
            }
        };
        Self {
            reference: inquiry.id,
            source: inquiry.source,
            question: inquiry.question.clone(),
            evidence: evidence.iter().map(|one| one.reference.clone()).collect(),
            opened_at: inquiry.opened_at,
            seen: inquiry.seen,
            due_at: inquiry.progress.due_at,
            passes: passes.iter().map(pass).collect(),
            vector: vector.as_ref().map(|one| one.text.clone()),
            proposal: vector.as_ref().and_then(|one| one.proposal),
        }
    }
}
