//! Proposals about identity files, and the decisions about them.

use crate::Receipt;
use cairn_domain::{IdentityEdit, ProposalId, ProposalOrigin, ProposalStatus, Time};
use cairn_engine::{ProposalDraft, ProposalReview, StoredProposal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Proposes a change of an identity file. It is stored, and an operator decides.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposeRequest {
    /// The file: `SOUL.md`, `AGENTS.md`, `ANCHOR.md`, `TOOLS.md` or `MEMORY.md`.
    pub file: String,
    /// The new passage.
    #[schemars(length(min = 1, max = 2_000))]
    pub text: String,
    /// The passage that it replaces, word for word; if left out, the passage is added at the end of the file, a point (`- …`) at the end of `## Principles` if there is such a section.
    pub replaces: Option<String>,
    /// Why.
    #[schemars(length(min = 1, max = 2_000))]
    pub reason: String,
    /// Refs of records that speak for it.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub evidence: Vec<String>,
}

impl ProposeRequest {
    /// The draft of what an agent proposes.
    pub fn by_agent(self) -> ProposalDraft {
        let Self { file, text, replaces, reason, evidence } = self;
        let edit = IdentityEdit { file, replaces, text };
        ProposalDraft { edit, reason, evidence, origin: ProposalOrigin::Agent }
    }
}

/// Proposals.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Proposals {
    /// The newest first.
    pub proposals: Vec<Proposal>,
}

/// A change of an identity file that waits for an operator, or that was decided.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Proposal {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: ProposalId,
    /// Where it stands.
    pub status: ProposalStatus,
    /// Who made it.
    pub origin: ProposalOrigin,
    /// The file.
    pub file: String,
    /// The passage that would go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// The new passage.
    pub text: String,
    /// Why.
    pub reason: String,
    /// The records that speak for it.
    pub evidence: Vec<ProposalSource>,
    /// When it was proposed.
    pub proposed_at: Time,
    /// When it is closed if nobody decides.
    pub expires_at: Time,
    /// Until when it was put off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred_until: Option<Time>,
    /// The receipt of the last decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<u64>,
    /// The effect that it expects, if it came of friction in work with tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaffold: Option<ProposalScaffold>,
}

/// The rest of a change that came of friction.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProposalScaffold {
    /// The kind of friction.
    pub friction: String,
    /// The expected effect.
    pub expects: String,
    /// How one sees whether it came.
    pub verify: String,
    /// How it is taken back.
    pub rollback: String,
}

/// A record that speaks for a proposal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProposalSource {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The words of it when it was quoted.
    pub quoted: String,
}

/// A proposal as an operator decides about it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProposalPage {
    /// The proposal.
    pub proposal: Proposal,
    /// The lines of the file that change, as `diff -u` writes them; empty if the change no longer fits.
    pub diff: String,
    /// Why it cannot be accepted now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// How the new passage stands to each principle of SOUL.md, conflicts first.
    pub alignment: Vec<AlignedPrinciple>,
    /// The hash of the change and of the file: a decision confirms it.
    pub confirms: String,
    /// The receipts about it.
    pub receipts: Vec<Receipt>,
}

/// How a passage stands to a principle.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AlignedPrinciple {
    /// `supports`, `neutral` or `conflicts`.
    pub alignment: &'static str,
    /// The principle, word for word.
    pub passage: String,
    /// The terms that both have.
    pub shared: Vec<String>,
}

/// A decision about a proposal that was carried out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProposalDecided {
    /// The proposal.
    #[serde(rename = "ref")]
    pub reference: ProposalId,
    /// Where it stands now.
    pub status: ProposalStatus,
    /// The receipt.
    pub receipt: Receipt,
}

impl From<&cairn_engine::ProposalEvidence> for ProposalSource {
    fn from(one: &cairn_engine::ProposalEvidence) -> Self {
        Self { reference: one.reference.clone(), quoted: one.quoted.clone() }
    }
}

impl From<&StoredProposal> for Proposal {
    fn from(stored: &StoredProposal) -> Self {
        let record = &stored.record;
        Self {
            reference: record.id,
            status: stored.status,
            origin: record.origin,
            file: record.file.clone(),
            replaces: record.replaces.clone(),
            text: record.text.clone(),
            reason: record.reason.clone(),
            evidence: stored.evidence.iter().map(ProposalSource::from).collect(),
            proposed_at: record.proposed_at,
            expires_at: record.expires_at,
            deferred_until: record.deferred_until,
            receipt: record.receipt,
            scaffold: stored.scaffold.as_ref().map(|scaffold| ProposalScaffold {
                friction: scaffold.friction.clone(),
                expects: scaffold.expects.clone(),
                verify: scaffold.verify.clone(),
                rollback: scaffold.rollback.clone(),
            }),
        }
    }
}

impl<'a> FromIterator<&'a StoredProposal> for Proposals {
    fn from_iter<I: IntoIterator<Item = &'a StoredProposal>>(stored: I) -> Self {
        Self { proposals: stored.into_iter().map(Proposal::from).collect() }
    }
}

impl From<&ProposalReview> for ProposalPage {
    fn from(review: &ProposalReview) -> Self {
        let principle = |one: &cairn_engine::alignment::PrincipleAlignment| AlignedPrinciple {
            alignment: one.alignment.as_str(),
            passage: one.passage.clone(),
            shared: one.shared.clone(),
        };
        Self {
            proposal: (&review.proposal).into(),
            diff: review.diff.clone(),
            unfit: review.after.as_ref().err().map(|invalid| invalid.problem.clone()),
            alignment: review.alignment.iter().map(principle).collect(),
            confirms: review.confirms.clone(),
            receipts: review.receipts.iter().map(Receipt::from).collect(),
        }
    }
}
