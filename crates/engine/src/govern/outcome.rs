//! Outcomes: what was seen after an action that the governor had decided about.

use super::{decision::kept_words, lease::StandingLease};
use crate::{agent::Agent, error::Result, stored_json::to_stored_json};
use cairn_domain::{
    GovernorDecision, Invalid, OutcomeEvent, OutcomeVerification, Receipt, ReceiptAction, ReceiptDetail,
};
use cairn_store::{LEASE_PREFIX, LeaseStop};

/// An observation of an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedOutcome {
    /// The receipt of the decision that it was done under.
    pub decision: u64,
    /// The observed effect.
    pub effect: String,
    /// How it was verified.
    pub verification: OutcomeVerification,
    /// How it failed, if it did.
    pub failure_class: Option<String>,
    /// The risk that is left.
    pub residual_risk: Option<String>,
}

/// An outcome of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedOutcome {
    /// The number of its receipt.
    pub receipt: u64,
    /// The outcome; none if its words were erased.
    pub outcome: Option<OutcomeEvent>,
}

impl Agent {
    /// Keeps what was seen after a decision, and ends the lease that it was done under if that is what it says. It permits
    /// nothing: success widens no autonomy.
    pub async fn record_outcome(&self, observed: &ObservedOutcome) -> Result<u64> {
        let receipt = self.receipt(observed.decision).await?;
        let receipt = receipt.filter(|receipt| receipt.action == ReceiptAction::Decide);
        let decision: Option<GovernorDecision> =
            receipt.as_ref().and_then(|receipt| serde_json::from_str(&receipt.told.becomes).ok());
        let (Some(receipt), Some(decision)) = (receipt, decision) else {
            let problem = format!("receipt {} is not a decision of the governor", observed.decision);
            return Err(Invalid::new(problem, "`cairn govern explain` lists the decisions").into());
        };
        let authorized = decision.authority.iter().filter(|standing| standing.authorizes);
        let outcome = OutcomeEvent {
            intent: decision.action.clone(),
            decision: observed.decision,
            authority_snapshot: authorized.map(|standing| standing.reference.clone()).collect(),
            observed_effect: kept_words(&observed.effect),
            verification: observed.verification,
            failure_class: observed.failure_class.clone(),
            residual_risk: observed.residual_risk.clone(),
            at: self.now(),
        };
        let stop = self.stop_of(&receipt, &outcome).await?;
        let told = ReceiptDetail {
            becomes: to_stored_json("an outcome", &outcome)?,
            reason: observed.verification.to_string(),
            ..ReceiptDetail::default()
        };
        let receipt = Receipt {
            number: 0,
            at: self.now(),
            actor: "governor".to_owned(),
            action: ReceiptAction::Outcome,
            subject: format!("decision/{}", observed.decision),
            told,
        };
        Ok(self.store.record_outcome(receipt, stop).await?)
    }

    /// The end of the lease that an action was done under, if its outcome is one on which to stop.
    async fn stop_of(&self, decision: &Receipt, outcome: &OutcomeEvent) -> Result<Option<LeaseStop>> {
        let Some(name) = decision.subject.strip_prefix(LEASE_PREFIX) else { return Ok(None) };
        let leases = self.leases().await?;
        // One that was given anew since is another, and one that was stopped stays so.
        let under = |lease: &&StandingLease| lease.name == name && lease.receipt < decision.number;
        let lease = leases.iter().find(under).filter(|lease| lease.terms.stopped.is_none());
        let conditions = lease.into_iter().flat_map(|lease| &lease.terms.lease.stop_conditions);
        let met = conditions.into_iter().find(|condition| condition.is_met_by(outcome));
        Ok(met
            .map(|condition| LeaseStop { lease: decision.subject.clone(), condition: condition.to_string() }))
    }

    /// Observations after decisions, the newest first.
    pub async fn outcomes(&self, limit: u32) -> Result<Vec<RecordedOutcome>> {
        let receipts = self.store.read(|view| view.receipts_with(ReceiptAction::Outcome, limit)).await?;
        let outcome = |receipt: Receipt| RecordedOutcome {
            receipt: receipt.number,
            outcome: serde_json::from_str(&receipt.told.becomes).ok(),
        };
        Ok(receipts.into_iter().map(outcome).collect())
    }
}
