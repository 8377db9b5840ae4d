//! Outcomes: what was seen after an action that the governor had decided about.

use super::decision::kept_words;
use crate::{
    agent::Agent,
    error::{EngineError, Result},
};
use cairn_domain::{Invalid, OutcomeEvent, OutcomeVerification, Receipt, ReceiptAction, ReceiptDetail};

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
    /// Keeps what was seen after a decision. It permits nothing: success widens no autonomy.
    pub async fn record_outcome(&self, observed: &ObservedOutcome) -> Result<u64> {
        let decision = self.decision(observed.decision).await?.and_then(|recorded| recorded.decision);
        let decision = decision.ok_or_else(|| {
            let problem = format!("receipt {} is no decision of the governor", observed.decision);
            EngineError::from(Invalid::new(problem, "`cairn govern explain` lists the decisions"))
        })?;
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
        let told = ReceiptDetail {
            becomes: serde_json::to_string(&outcome).unwrap_or_default(),
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
        Ok(self.store.record(receipt).await?)
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
