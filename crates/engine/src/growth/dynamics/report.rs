//! The report: the newest turns with their surprise, and the numbers as a person may give them away.

use crate::{Agent, Result};
use cairn_cognition::dynamics::StateLearner;
use cairn_domain::{ExchangeId, Invalid, Time, TurnFeature, TurnFeatures};
use cairn_store::{DynamicsTurn, View};
use serde::Serialize;

/// Turns that are exported: all that are kept.
const MAX_EXPORTED_TURNS: u32 = 2_000;

/// The newest turns, and what was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicsReport {
    /// Whether turns are observed.
    pub is_enabled: bool,
    /// Turns that were learned from.
    pub updates: u32,
    /// The surprise of late; none before enough was learned.
    pub usual: Option<f64>,
    /// Turns that are over, the newest first.
    pub turns: Vec<ObservedTurn>,
}

/// One turn that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedTurn {
    /// The exchange.
    pub exchange: ExchangeId,
    /// When it began.
    pub at: Time,
    /// How far it is from the usual state.
    pub surprise_frozen: f64,
    /// How far it is from the expected one, if there was a turn before.
    pub surprise_learned: Option<f64>,
    /// The mean squared error of the prediction.
    pub loss: Option<f64>,
    /// Turns that were learned from until then.
    pub updates: u32,
    /// Features that were not known.
    pub missing: Vec<TurnFeature>,
}

/// One turn as it may be given away: when and of what it was is left out.
#[derive(Serialize)]
struct ExportedTurn {
    place: usize,
    surprise_frozen: f64,
    surprise_learned: Option<f64>,
    learner_loss: Option<f64>,
    learner_updates: u32,
    missing: Vec<TurnFeature>,
    state: Vec<f32>,
}

impl Agent {
    /// The newest turns with their surprise.
    pub async fn dynamics(&self, limit: u32) -> Result<DynamicsReport> {
        let read = move |view: &mut View<'_>| Ok((view.dynamics_learner()?, view.dynamics(limit)?));
        let (stored, turns) = self.store.read(read).await?;
        let learner = StateLearner::from_numbers(&stored.numbers).unwrap_or_default();
        Ok(DynamicsReport {
            is_enabled: self.config.dynamics.enabled && self.config.coherence.enabled,
            updates: learner.updates(),
            usual: learner.usual(),
            turns: turns.iter().filter_map(observed).collect(),
        })
    }

    /// The surprise of an exchange, if it is over.
    pub(crate) fn surprise_of(view: &mut View<'_>, exchange: ExchangeId) -> cairn_store::Result<Option<f64>> {
        let turn = view.dynamics_of(exchange)?;
        Ok(turn.and_then(|turn| turn.learned).and_then(|numbers| numbers.learned))
    }

    /// Lines of numbers for research, without time, place or words; refused unless the configuration allows it.
    pub async fn export_dynamics(&self) -> Result<Vec<String>> {
        if !self.config.dynamics.export {
            let hint = "set `export = true` under [dynamics] in config.toml; nothing was written";
            return Err(Invalid::new("the numbers of turns are not to be exported", hint).into());
        }
        let mut turns = self.store.read(|view| view.dynamics(MAX_EXPORTED_TURNS)).await?;
        turns.reverse();
        let over = turns.iter().filter(|turn| turn.learned.is_some());
        Ok(over.enumerate().filter_map(|(place, turn)| exported(place, turn)).collect())
    }
}

fn observed(turn: &DynamicsTurn) -> Option<ObservedTurn> {
    let numbers = turn.learned.as_ref()?;
    Some(ObservedTurn {
        exchange: turn.exchange,
        at: turn.at,
        surprise_frozen: numbers.frozen,
        surprise_learned: numbers.learned,
        loss: numbers.loss,
        updates: numbers.updates,
        missing: TurnFeatures::from_numbers(&turn.features)?.missing(),
    })
}

fn exported(place: usize, turn: &DynamicsTurn) -> Option<String> {
    let numbers = turn.learned.as_ref()?;
    let line = ExportedTurn {
        place,
        surprise_frozen: numbers.frozen,
        surprise_learned: numbers.learned,
        learner_loss: numbers.loss,
        learner_updates: numbers.updates,
        missing: TurnFeatures::from_numbers(&turn.features)?.missing(),
        state: numbers.state.clone(),
    };
    serde_json::to_string(&line).ok()
}
