//! Consumers: who may be given which records, what each has to check and what none of them takes. One table; the gate, the governor and
//! the documentation follow it.

use crate::{Consumer, word::words};
use ConsumerCheck as Check;
use RecordState::{Candidate, Handoff, Lease, Memory, NotActive, NotFresh, Verified};
use schemars::JsonSchema;
use serde::Serialize;

words!(
    /// Whoever takes records to do something with them.
    ConsumerKind, "a consumer of records" {
        /// A prompt in which something stands as true.
        ContextInjection = "context_injection",
        /// Whoever asks what is remembered.
        Recall = "recall",
        /// Whoever plans what comes next: it is given what recall gives, each quoted with its ref.
        Planning = "planning",
        /// The governor, before a tool is used.
        ToolExecution = "tool_execution",
        /// The low-risk lane, which verifies what an operator declared in advance.
        MemoryPromotion = "memory_promotion",
        /// An operator who looks.
        UiReview = "ui_review",
        /// An operator's decision about a belief.
        ApprovalGates = "approval_gates",
    }
);

words!(
    /// A record, as far as a consumer cares.
    RecordState, "a state of a record" {
        /// A belief that an operator verified, active and fresh.
        Verified = "verified",
        /// A belief that was verified and that nothing has spoken for in its time.
        NotFresh = "not_fresh",
        /// A belief that is stale, replaced, refuted or taken back.
        NotActive = "not_active",
        /// A belief that nobody has verified.
        Candidate = "candidate",
        /// A memory or a message: what somebody said.
        Memory = "memory",
        /// A text that a session left for the next, or another generated one.
        Handoff = "handoff",
        /// An operator's lease.
        Lease = "lease",
    }
);

words!(
    /// A check that a consumer owes.
    ConsumerCheck, "a check of a consumer" {
        /// Nothing is given as true but in `enforce`.
        ProvenanceMode = "provenance_mode",
        /// It is not private.
        Privacy = "privacy",
        /// Its text gives no orders.
        InjectedOrders = "injected_orders",
        /// It is not about another project.
        Scope = "scope",
        /// The operator allowed it for this consumer.
        AllowedConsumers = "allowed_consumers",
        /// A source, read again, still says so.
        Source = "source",
        /// An operator signed in.
        SignedIn = "signed_in",
        /// An operator declared its kind in advance.
        Declared = "declared",
        /// Scope, time and budget of the lease.
        LeaseTerms = "lease_terms",
    }
);

/// The contract of one consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConsumerContract {
    /// Who.
    pub consumer: ConsumerKind,
    /// The states of records that it may take.
    pub may_consume: &'static [RecordState],
    /// The checks that it owes before it does.
    pub must_check: &'static [ConsumerCheck],
    /// The states of records that it never takes.
    pub never_accepts: &'static [RecordState],
    /// How it shows or uses what it takes, in a sentence.
    pub how: &'static str,
}

/// The contract of whoever gives a model what is remembered: what is verified as true, what was said as a quotation.
const fn quoting_contract(consumer: ConsumerKind, how: &'static str) -> ConsumerContract {
    ConsumerContract {
        consumer,
        may_consume: &[Verified, Memory, Handoff],
        must_check: &[
            Check::ProvenanceMode,
            Check::Privacy,
            Check::InjectedOrders,
            Check::Scope,
            Check::AllowedConsumers,
        ],
        never_accepts: &[Candidate, NotFresh, NotActive, Lease],
        how,
    }
}

/// Every consumer with its contract.
pub const CONSUMER_CONTRACTS: [ConsumerContract; 7] = [
    quoting_contract(
        ConsumerKind::ContextInjection,
        "verified beliefs stand as true; everything else is quoted, dated and has its ref",
    ),
    quoting_contract(
        ConsumerKind::Recall,
        "hits with their refs; what a candidate rests on is a hit, the candidate itself is told by `beliefs` and `review`",
    ),
    quoting_contract(ConsumerKind::Planning, "through recall and context, under their contracts"),
    ConsumerContract {
        consumer: ConsumerKind::ToolExecution,
        may_consume: &[Lease],
        must_check: &[Check::LeaseTerms],
        never_accepts: &[Verified, NotFresh, NotActive, Candidate, Memory, Handoff],
        how: "the operator's rules decide; only a lease lowers what they ask for",
    },
    ConsumerContract {
        consumer: ConsumerKind::MemoryPromotion,
        may_consume: &[Candidate],
        must_check: &[Check::Declared, Check::Privacy, Check::Source],
        never_accepts: &[Verified, NotFresh, NotActive, Memory, Handoff, Lease],
        how: "candidates of a kind that was declared in advance, supported by the user's own words; each with a receipt",
    },
    ConsumerContract {
        consumer: ConsumerKind::UiReview,
        may_consume: &[Verified, NotFresh, NotActive, Candidate, Memory, Handoff, Lease],
        must_check: &[],
        never_accepts: &[],
        how: "everything is shown with its state; looking changes nothing",
    },
    ConsumerContract {
        consumer: ConsumerKind::ApprovalGates,
        may_consume: &[Candidate],
        must_check: &[Check::SignedIn, Check::Source],
        never_accepts: &[Verified, NotFresh, NotActive, Memory, Handoff, Lease],
        how: "an operator verifies, rejects or defers a candidate; each decision is a receipt and can be rolled back",
    },
];

impl ConsumerKind {
    /// Its contract.
    pub fn contract(self) -> &'static ConsumerContract {
        // The table has a row for each, in their order: a test holds it.
        &CONSUMER_CONTRACTS[self as usize]
    }
}

impl ConsumerContract {
    /// Whether it may take a record in this state.
    pub fn accepts(&self, state: RecordState) -> bool {
        self.may_consume.contains(&state) && !self.never_accepts.contains(&state)
    }

    /// Whether it owes this check.
    pub fn owes(&self, check: ConsumerCheck) -> bool {
        self.must_check.contains(&check)
    }
}

impl From<Consumer> for ConsumerKind {
    fn from(consumer: Consumer) -> Self {
        match consumer {
            Consumer::ContextInjection => Self::ContextInjection,
            Consumer::Recall => Self::Recall,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-195
    #[test]
    fn every_consumer_says_of_every_state_whether_it_takes_it() {
        for kind in ConsumerKind::ALL {
            let contract = kind.contract();
            assert_eq!(contract.consumer, kind, "the table is in order");
            for state in RecordState::ALL {
                let (may, never) =
                    (contract.may_consume.contains(&state), contract.never_accepts.contains(&state));
                assert_ne!(may, never, "{kind} and {state}");
            }
        }
    }
}
