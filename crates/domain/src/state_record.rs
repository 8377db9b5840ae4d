//! Packets about records that may shape what an agent does: where each comes from, how it stands, and who may use and change it.

use crate::{BeliefKind, ConsumerKind, RecordState, Time, word::words};
use schemars::JsonSchema;
use serde::Serialize;

words!(
    /// The kind of a record that may shape behavior.
    StateRecordKind, "a kind of record" {
        /// Something held true.
        Belief = "belief",
        /// Something remembered.
        Memory = "memory",
        /// Steps that worked in the same order again and again.
        Skill = "skill",
        /// A text that a session left for the next.
        Handoff = "handoff",
        /// A change of an identity file that waits for an operator.
        Proposal = "proposal",
        /// A file that says who the agent is.
        Identity = "identity",
    }
);

words!(
    /// Who may change a record.
    MutationPolicy, "a policy about changes" {
        /// An operator who signed in, with a receipt.
        OperatorOnly = "operator_only",
        /// Rhythms by what is said; its promotion is the operator's.
        EvidenceOnly = "evidence_only",
        /// Corrections and rhythms; earlier texts stay, and the user's word is replaced by the user's alone.
        AppendOnly = "append_only",
        /// Nobody: it is written anew from what it quotes.
        Regenerated = "regenerated",
    }
);

/// One record that may shape behavior: where it comes from, how it stands, who may use and change it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StateRecord {
    /// Its ref: `blf_…`, `mem_…`, `prp_…`, `handoff/THREAD`, `identity/SOUL.md`, `skill/…`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its kind.
    pub kind: StateRecordKind,
    /// The records it rests on, by ref.
    pub source: Vec<String>,
    /// Where it stands in its life, in a word of its kind.
    pub status: String,
    /// Its state as consumers know it; an identity file, which is given as it is, has none.
    pub state: Option<RecordState>,
    /// How current it is, 0 to 1, if that is measured.
    pub freshness: Option<f64>,
    /// Since when it says so, or was last supported.
    pub at: Time,
    /// Who may be given it now.
    pub allowed_consumers: Vec<ConsumerKind>,
    /// Who may change it.
    pub mutation_policy: MutationPolicy,
    /// The receipts about it, the oldest first.
    pub receipts: Vec<u64>,
    /// How its last change is undone, if an operator made it.
    pub rollback: Option<String>,
}

impl RecordState {
    /// The consumers that accept a record in this state.
    pub fn consumers(self) -> Vec<ConsumerKind> {
        ConsumerKind::ALL.into_iter().filter(|kind| kind.contract().accepts(self)).collect()
    }
}

words!(
    /// The lane in which a candidate would mature.
    MaturationLane, "a lane of maturation" {
        /// How the world is.
        Semantic = "semantic",
        /// How something stands now.
        CurrentState = "current_state",
        /// Something that somebody claims or promises.
        Claim = "claim",
        /// How people belong together.
        Relational = "relational",
        /// How something is done.
        Procedural = "procedural",
        /// Who the agent is and what it never does.
        Safety = "safety",
        /// Whether it may be given as true again.
        ContextEligibility = "context_eligibility",
    }
);

impl From<BeliefKind> for MaturationLane {
    fn from(kind: BeliefKind) -> Self {
        match kind {
            BeliefKind::WorldFact => Self::Semantic,
            BeliefKind::ProjectState | BeliefKind::ToolingState | BeliefKind::RuntimeState => {
                Self::CurrentState
            }
            BeliefKind::Identity | BeliefKind::Commitment => Self::Claim,
            BeliefKind::RelationshipFact => Self::Relational,
            BeliefKind::OperatorPreference => Self::Procedural,
            BeliefKind::SelfModel => Self::Safety,
        }
    }
}

words!(
    /// How a candidate would be applied.
    ApplicationMode, "a mode of application" {
        /// An operator looks at it and decides.
        OperatorReview = "operator_review",
        /// A rhythm, because an operator declared its kind in advance.
        Declared = "declared",
    }
);

/// A candidate for a change, and what it would take. It is no change.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MaturationCandidate {
    /// Its ref: `blf_…` or `prp_…`.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The lane in which it would mature.
    pub lane: MaturationLane,
    /// Its words, or the change that it proposes.
    pub summary: String,
    /// The records that speak for it, by ref.
    pub evidence: Vec<String>,
    /// How its evidence looks, and what is recommended.
    pub evidence_review: String,
    /// How it would be applied.
    pub application_mode: ApplicationMode,
    /// The effect of applying it, and how that is undone.
    pub later_effect_plan: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-202
    #[test]
    fn no_candidate_is_for_a_prompt_and_no_record_but_a_lease_is_for_a_tool() {
        assert_eq!(
            RecordState::Candidate.consumers(),
            [ConsumerKind::MemoryPromotion, ConsumerKind::UiReview, ConsumerKind::ApprovalGates]
        );
        for state in RecordState::ALL.into_iter().filter(|state| *state != RecordState::Lease) {
            assert!(!state.consumers().contains(&ConsumerKind::ToolExecution), "{state}");
        }
    }
}
