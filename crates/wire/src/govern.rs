//! The governor's packets: decisions, leases, outcomes, and the contracts of consumers.

use cairn_domain::{
    CONSUMER_CONTRACTS, ConsumerContract, GovernorDecision, MaturationCandidate, OutcomeEvent,
    OutcomeVerification, ResponsibilityLease, StateRecord,
};
use cairn_engine::{Governed, ObservedOutcome, RecordedDecision, RecordedOutcome, StandingLease};
use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};

/// The JSON schemas of the five packets, each under its name.
#[derive(Debug, Clone, Serialize)]
pub struct PacketSchemas {
    state_record: Schema,
    responsibility_lease: Schema,
    governor_decision: Schema,
    outcome_event: Schema,
    maturation_candidate: Schema,
}

impl PacketSchemas {
    /// All of them.
    pub fn all() -> Self {
        Self {
            state_record: schema_for!(StateRecord),
            responsibility_lease: schema_for!(ResponsibilityLease),
            governor_decision: schema_for!(GovernorDecision),
            outcome_event: schema_for!(OutcomeEvent),
            maturation_candidate: schema_for!(MaturationCandidate),
        }
    }
}

/// A question for the governor.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GovernDecideRequest {
    /// The tool.
    pub tool: String,
    /// The command line that it would run.
    pub command: Option<String>,
    /// Paths that it would change.
    #[serde(default)]
    pub paths: Vec<String>,
    /// The folder that it works in, on the machine of the server.
    pub folder: Option<String>,
    /// Everything that it is said to stand on: refs, `tool/NAME`, `handoff/THREAD`, `outcome/NUMBER`, `lease/NAME`.
    #[serde(default)]
    pub authority: Vec<String>,
}

/// A decision with the number of its receipt.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NumberedDecision {
    /// The number of its receipt; none if nothing stands in the way.
    pub receipt: Option<u64>,
    /// The decision; none if its words were erased.
    pub decision: Option<GovernorDecision>,
}

/// Decisions, the newest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GovernorDecisions {
    /// The decisions.
    pub decisions: Vec<NumberedDecision>,
}

/// A lease as it stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NamedLease {
    /// Its name.
    pub name: String,
    /// The number of the receipt that gave it.
    pub receipt: u64,
    /// The lease.
    pub lease: ResponsibilityLease,
    /// Actions that were permitted under it.
    pub used: u32,
    /// Why it permits nothing any more; none while it does.
    pub ended: Option<String>,
}

/// The leases of an agent, by name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Leases {
    /// The leases.
    pub leases: Vec<NamedLease>,
}

/// An outcome to record.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRequest {
    /// The number of the decision's receipt.
    pub decision: u64,
    /// The observed effect.
    pub effect: String,
    /// How it was verified; `unverified` if not given.
    pub verification: Option<OutcomeVerification>,
    /// How it failed, if it did.
    pub failure_class: Option<String>,
    /// The risk that is left.
    pub residual_risk: Option<String>,
}

/// An outcome with the number of its receipt.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NumberedOutcome {
    /// The number of its receipt.
    pub receipt: u64,
    /// The outcome; none if its words were erased.
    pub outcome: Option<OutcomeEvent>,
}

/// Outcomes, the newest first.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Outcomes {
    /// The outcomes.
    pub outcomes: Vec<NumberedOutcome>,
}

/// The receipt of an outcome that was recorded.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OutcomeReceipt {
    /// Its number.
    pub receipt: u64,
}

/// Every consumer with its contract.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Consumers {
    /// The contracts.
    pub consumers: Vec<ConsumerContract>,
}

impl Consumers {
    /// The table.
    pub fn table() -> Self {
        Self { consumers: CONSUMER_CONTRACTS.to_vec() }
    }
}

impl From<Governed> for NumberedDecision {
    fn from(governed: Governed) -> Self {
        Self { receipt: governed.receipt, decision: Some(governed.decision) }
    }
}

impl From<RecordedDecision> for NumberedDecision {
    fn from(recorded: RecordedDecision) -> Self {
        Self { receipt: Some(recorded.receipt), decision: recorded.decision }
    }
}

impl FromIterator<RecordedDecision> for GovernorDecisions {
    fn from_iter<I: IntoIterator<Item = RecordedDecision>>(recorded: I) -> Self {
        Self { decisions: recorded.into_iter().map(Into::into).collect() }
    }
}

impl FromIterator<StandingLease> for Leases {
    fn from_iter<I: IntoIterator<Item = StandingLease>>(standing: I) -> Self {
        let one = |it: StandingLease| NamedLease {
            name: it.name,
            receipt: it.receipt,
            used: it.terms.used,
            lease: it.terms.lease,
            ended: it.ended.map(|end| end.why),
        };
        Self { leases: standing.into_iter().map(one).collect() }
    }
}

impl FromIterator<RecordedOutcome> for Outcomes {
    fn from_iter<I: IntoIterator<Item = RecordedOutcome>>(recorded: I) -> Self {
        let one = |it: RecordedOutcome| NumberedOutcome { receipt: it.receipt, outcome: it.outcome };
        Self { outcomes: recorded.into_iter().map(one).collect() }
    }
}

impl From<OutcomeRequest> for ObservedOutcome {
    fn from(request: OutcomeRequest) -> Self {
        Self {
            decision: request.decision,
            effect: request.effect,
            verification: request.verification.unwrap_or(OutcomeVerification::Unverified),
            failure_class: request.failure_class,
            residual_risk: request.residual_risk,
        }
    }
}

/// Records that may shape behavior, each with where it comes from, how it stands, and who may use and change it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StateRecords {
    /// The records.
    pub records: Vec<StateRecord>,
}

/// Candidates for a change. None of them is one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MaturationCandidates {
    /// The candidates.
    pub candidates: Vec<MaturationCandidate>,
}
