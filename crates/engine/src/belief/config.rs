//! The part of the configuration that concerns beliefs: the weights of their confidence and how soon they go stale.

use cairn_cognition::belief::{confidence::ConfidenceWeights, freshness::Cadences};
use serde::{Deserialize, Serialize};

/// The settings of beliefs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BeliefConfig {
    /// The weight of each part of confidence.
    pub weights: ConfidenceWeights,
    /// After how many days each kind of belief is looked at again.
    pub cadence_days: Cadences,
}

impl BeliefConfig {
    /// The first setting that is out of range, as a sentence.
    pub(crate) fn problem(&self) -> Option<String> {
        if !self.weights.fits() {
            return Some("beliefs.weights: each weight lies between 0 and 1".to_owned());
        }
        let days = "beliefs.cadence_days: each is a number of days above 0";
        (!self.cadence_days.fits()).then(|| days.to_owned())
    }
}
