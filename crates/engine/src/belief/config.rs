//! What beliefs are weighed by: the part of the configuration that is about them.

use cairn_cognition::belief::{confidence::ConfidenceWeights, freshness::Cadences};
use serde::{Deserialize, Serialize};

/// What beliefs are weighed by.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BeliefConfig {
    /// What each part of confidence adds.
    pub weights: ConfidenceWeights,
    /// After how many days each kind of belief is looked at again.
    pub cadence_days: Cadences,
}

impl BeliefConfig {
    /// What does not fit, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        if !self.weights.fits() {
            return Some("beliefs.weights: each weight lies between 0 and 1".to_owned());
        }
        let days = "beliefs.cadence_days: each is a number of days above 0";
        (!self.cadence_days.fits()).then(|| days.to_owned())
    }
}
