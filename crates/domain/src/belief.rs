//! Beliefs: what is currently held true, under a key that code alone makes, with what speaks for and against it. How well
//! one is supported and how current it is are two numbers; whether an operator has verified it is a third thing.

use crate::{BeliefId, Privacy, Time, word::words};
use serde::{Deserialize, Serialize};

/// Something held true. A material change is another belief that supersedes it; this one stays as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Belief {
    /// Its name everywhere.
    pub id: BeliefId,
    /// The kind of truth it is: how soon it goes out of date depends on it.
    pub kind: BeliefKind,
    /// The kind of thing it is about.
    pub subject_type: SubjectType,
    /// Which of them.
    pub subject_id: String,
    /// The subject as code spells it: per agent, at most one belief stands under each key.
    pub key: String,
    /// The value under that key, in comparable words.
    pub value: String,
    /// The claim, as a sentence.
    pub summary: String,
    /// The memory that it was founded on, in its own words.
    pub detail: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether an operator has verified it.
    pub lane: BeliefLane,
    /// Whether it is still held.
    pub status: BeliefStatus,
    /// How well it is supported, 0 to 1.
    pub confidence: f64,
    /// The figures that confidence is computed from.
    pub parts: ConfidenceParts,
    /// How current it is, 0 to 1.
    pub freshness: f64,
    /// When something last spoke for it.
    pub last_supported_at: Time,
    /// When something last spoke against it.
    pub last_contradicted_at: Option<Time>,
    /// When it is to be looked at again.
    pub due_at: Time,
    /// Who may see it outside its agent: as the strictest of what it rests on.
    pub privacy: Privacy,
    /// Who may be given it once it is verified: all, unless an operator said otherwise.
    pub allowed_consumers: Vec<Consumer>,
    /// When it was first held.
    pub created_at: Time,
}

/// The figures that the confidence in a belief is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceParts {
    /// Independent sources that speak for it.
    pub source_count: u32,
    /// Of how many kinds they are.
    pub source_diversity: u32,
    /// How much they weigh.
    pub support_weight: f64,
    /// How much weighs what speaks against it.
    pub contradiction_weight: f64,
    /// How recent the support is, 0 to 1.
    pub recency_weight: f64,
    /// Whether an operator confirmed it.
    pub operator_confirmed: bool,
}

words!(
    /// The kind of truth that a belief is.
    BeliefKind, "a kind of belief" {
        /// Somebody's tastes and ways of working.
        OperatorPreference = "operator_preference",
        /// How a project stands.
        ProjectState = "project_state",
        /// How the world is.
        WorldFact = "world_fact",
        /// How the agent itself is and behaves.
        SelfModel = "self_model",
        /// How people belong together.
        RelationshipFact = "relationship_fact",
        /// How a tool is set up.
        ToolingState = "tooling_state",
        /// Who somebody is.
        Identity = "identity",
        /// An intention or a promise.
        Commitment = "commitment",
        /// How something that runs is doing.
        RuntimeState = "runtime_state",
    }
);

words!(
    /// Which side of its subject a belief is about: the closed part of a key. A topic may follow it.
    Facet, "a facet" {
        /// How answers should be.
        ResponseStyle = "response_style",
        /// By what somebody decides.
        DecisionPreference = "decision_preference",
        /// How and where something should arrive.
        DeliveryPreference = "delivery_preference",
        /// How somebody belongs to somebody, and what is known of them by that.
        Relationship = "relationship",
        /// How something is.
        Status = "status",
        /// Something that could go wrong.
        Risk = "risk",
        /// How something goes wrong.
        FailureMode = "failure_mode",
        /// How something is best done.
        BestPath = "best_path",
        /// How something is checked.
        VerificationPattern = "verification_pattern",
        /// Name of a person or thing.
        Name = "name",
        /// How old.
        Age = "age",
        /// Where somebody lives.
        Residence = "residence",
        /// For whom somebody works.
        Employer = "employer",
        /// How somebody makes a living.
        Occupation = "occupation",
        /// Where somebody learns.
        School = "school",
        /// Something that somebody likes.
        Likes = "likes",
        /// Something that somebody would rather have.
        Prefers = "prefers",
        /// Something that somebody likes best.
        Favourite = "favourite",
        /// Something that somebody or something works with.
        Uses = "uses",
        /// Something that somebody or something has.
        Owns = "owns",
        /// Something that somebody or something does regularly.
        Habit = "habit",
        /// Something that somebody means to do.
        Plan = "plan",
        /// Any other value that something has one of.
        Property = "property",
    }
);

words!(
    /// The kind of thing that a belief is about.
    SubjectType, "a subject type" {
        /// A person, an organization, anything with a name.
        Entity = "entity",
        /// A project or product.
        Project = "project",
        /// A tool, a service, a technology.
        Tool = "tool",
        /// The agent itself.
        Agent = "agent",
        /// The world.
        Global = "global",
    }
);

words!(
    /// Whether a belief was verified. Everything begins as a candidate.
    BeliefLane, "a lane of belief" {
        /// Said, and not verified.
        Candidate = "candidate",
        /// An operator has verified it.
        Verified = "verified",
    }
);

words!(
    /// Whether a belief is still held.
    BeliefStatus, "a status of belief" {
        /// It is held.
        Active = "active",
        /// It is held, and wants to be looked at again.
        Stale = "stale",
        /// Another took its place.
        Superseded = "superseded",
        /// More speaks against it than for it.
        Invalidated = "invalidated",
        /// An operator took it back.
        Retracted = "retracted",
    }
);

words!(
    /// How far what is held true is trusted: whether any of it is given to a model as true.
    #[derive(Default)]
    ProvenanceMode, "a provenance mode" {
        /// Nothing is; what would be is counted.
        #[default]
        Observe = "observe",
        /// Nothing is; what would be is reported, one by one.
        Diagnostic = "diagnostic",
        /// A belief is given if an operator verified it, while it is active and fresh.
        Enforce = "enforce",
    }
);

words!(
    /// Who is given what is held true.
    Consumer, "a consumer" {
        /// A prompt, in which it stands as true.
        ContextInjection = "context_injection",
        /// Whoever asks what is remembered.
        Recall = "recall",
    }
);

words!(
    /// An operator's decision about a belief.
    ReviewDecision, "a decision" {
        /// It is so: its words and its sources were seen.
        AcceptVerified = "accept_verified",
        /// It is not accepted.
        Reject = "reject",
        /// It is looked at again later.
        Defer = "defer",
        /// It was verified and is not to be trusted any more.
        Retract = "retract",
    }
);

words!(
    /// Whether a source, read again, still holds the words quoted from it.
    SourceState, "a state of a source" {
        /// It holds them.
        ExactMatch = "source_exact_match",
        /// It holds a good part of them.
        PartiallyOverlaps = "source_partially_overlaps_claim",
        /// It is there and says something else.
        Drifted = "source_drifted",
        /// It is not there.
        Missing = "source_missing",
    }
);

impl BeliefStatus {
    /// Whether the belief is held: of one key one such belief stands.
    pub fn stands(self) -> bool {
        match self {
            Self::Active | Self::Stale => true,
            Self::Superseded | Self::Invalidated | Self::Retracted => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: K-14, K-15, K-16, K-17, K-18, K-19, K-20, K-120, X-B9
    #[test]
    fn kinds_are_those_of_the_seed_and_three_more() {
        let words: Vec<&str> = BeliefKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let seed = "operator_preference project_state world_fact self_model relationship_fact tooling_state";
        assert_eq!(words.join(" "), format!("{seed} identity commitment runtime_state"));
    }

    /// covers: K-21, K-22, K-23, K-24, K-25, K-26, K-27, K-28, K-29, K-30
    #[test]
    fn subjects_and_statuses_are_those_of_the_seed_and_retraction() {
        let subjects: Vec<&str> = SubjectType::ALL.iter().map(|it| it.as_str()).collect();
        assert_eq!(subjects, ["entity", "project", "tool", "agent", "global"]);
        let statuses: Vec<&str> = BeliefStatus::ALL.iter().map(|it| it.as_str()).collect();
        assert_eq!(statuses, ["active", "stale", "superseded", "invalidated", "retracted"]);
    }
}
