//! Cognitive dynamics, for programs.

use cairn_domain::{ExchangeId, Time, TurnFeature};
use cairn_engine::{DynamicsReport, ObservedTurn};
use schemars::JsonSchema;
use serde::Serialize;

/// How far each turn was from what was expected. A diagnostic; nothing here is remembered.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Dynamics {
    /// Whether turns are observed.
    pub enabled: bool,
    /// Turns that were learned from.
    pub learner_updates: u32,
    /// The learned surprise of late; none before enough was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usual: Option<f64>,
    /// Turns that are over, the newest first.
    pub turns: Vec<DynamicsTurn>,
}

/// One turn that is over.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DynamicsTurn {
    /// The exchange.
    #[serde(rename = "ref")]
    pub reference: ExchangeId,
    /// When it began.
    pub at: Time,
    /// How far it is from the usual state.
    pub surprise_frozen: f64,
    /// How far it is from the expected one, if there was a turn before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surprise_learned: Option<f64>,
    /// The mean squared error of the prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learner_loss: Option<f64>,
    /// Turns that were learned from until then.
    pub learner_updates: u32,
    /// Features that were not known.
    pub missing: Vec<TurnFeature>,
}

impl From<&DynamicsReport> for Dynamics {
    fn from(report: &DynamicsReport) -> Self {
        let turn = |turn: &ObservedTurn| DynamicsTurn {
            reference: turn.exchange,
            at: turn.at,
            surprise_frozen: turn.surprise_frozen,
            surprise_learned: turn.surprise_learned,
            learner_loss: turn.loss,
            learner_updates: turn.updates,
            missing: turn.missing.clone(),
        };
        Self {
            enabled: report.is_enabled,
            learner_updates: report.updates,
            usual: report.usual,
            turns: report.turns.iter().map(turn).collect(),
        }
    }
}
