//! Freshness of a belief: how current it is, whatever speaks for it. Each kind goes out of date in its own time.

use cairn_domain::{BeliefKind, MILLIS_PER_DAY, Time};
use serde::{Deserialize, Serialize};
/// Beliefs below this freshness are stale: a whole cadence has passed without support.
pub const STALE_BELOW: f64 = 0.5;
/// Subtracted while the latest evidence is against the belief.
const CONTRADICTED: f64 = 0.2;

/// Days until each kind of belief is due for revalidation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "each is named after its kind of belief")]
pub struct Cadences {
    pub operator_preference: f64,
    pub project_state: f64,
    pub world_fact: f64,
    pub self_model: f64,
    pub relationship_fact: f64,
    pub tooling_state: f64,
    pub identity: f64,
    pub commitment: f64,
    pub runtime_state: f64,
}

impl Default for Cadences {
    fn default() -> Self {
        Self {
            operator_preference: 30.0,
            project_state: 7.0,
            world_fact: 90.0,
            self_model: 14.0,
            relationship_fact: 60.0,
            tooling_state: 3.0,
            identity: 90.0,
            commitment: 7.0,
            runtime_state: 1.0,
        }
    }
}

impl Cadences {
    /// The cadence of this kind, in days.
    pub fn of(&self, kind: BeliefKind) -> f64 {
        match kind {
            BeliefKind::OperatorPreference => self.operator_preference,
            BeliefKind::ProjectState => self.project_state,
            BeliefKind::WorldFact => self.world_fact,
            BeliefKind::SelfModel => self.self_model,
            BeliefKind::RelationshipFact => self.relationship_fact,
            BeliefKind::ToolingState => self.tooling_state,
            BeliefKind::Identity => self.identity,
            BeliefKind::Commitment => self.commitment,
            BeliefKind::RuntimeState => self.runtime_state,
        }
    }

    /// Whether every cadence is a number of days.
    pub fn fits(&self) -> bool {
        BeliefKind::ALL.iter().all(|kind| self.of(*kind).is_finite() && self.of(*kind) > 0.0)
    }
}

/// Whether the last word about a belief was for it or against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastWord {
    /// It was supported last.
    For,
    /// It was contradicted last.
    Against,
}

/// How current a belief is, `days` after the last support.
///
/// f = clamp₀₁(1 − days/(2·cadence) − 0.2·[the last word was against it])
pub fn freshness(days: f64, cadence_days: f64, last_word: LastWord) -> f64 {
    let against = match last_word {
        LastWord::For => 0.0,
        LastWord::Against => CONTRADICTED,
    };
    (1.0 - days / (2.0 * cadence_days) - against).clamp(0.0, 1.0)
}

/// When a belief is to be looked at again.
///
/// due = last supported + cadence
pub fn due(last_supported: Time, cadence_days: f64) -> Time {
    Time::from_millis(last_supported.millis().saturating_add((cadence_days * MILLIS_PER_DAY as f64) as i64))
}

/// Whether a belief of this freshness wants to be looked at again.
pub fn is_stale(freshness: f64) -> bool {
    freshness < STALE_BELOW
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// covers: K-69, K-70, K-71, K-72, K-73, K-74, W-146, X-K6
    #[test]
    fn each_kind_has_its_cadence() {
        let days: Vec<u32> =
            BeliefKind::ALL.iter().map(|kind| Cadences::default().of(*kind) as u32).collect();
        assert_eq!(days, [30, 7, 90, 14, 60, 3, 90, 7, 1]);
        assert!(Cadences::default().fits());
    }

    /// covers: K-66, K-67, X-K4
    #[test]
    fn a_belief_is_stale_after_one_cadence_without_support() {
        for (days, cadence, last_word, expected) in [
            (0.0, 30.0, LastWord::For, 1.0),
            (15.0, 30.0, LastWord::For, 0.75),
            (30.0, 30.0, LastWord::For, 0.5),
            (30.1, 30.0, LastWord::For, 0.498_333),
            (60.0, 30.0, LastWord::For, 0.0),
            (600.0, 30.0, LastWord::Against, 0.0),
            (0.0, 3.0, LastWord::Against, 0.8),
            (1.8, 3.0, LastWord::Against, 0.5),
        ] {
            let found = freshness(days, cadence, last_word);
            assert!((found - expected).abs() < 1e-6, "{days} {cadence} {last_word:?}: {found}");
        }
        assert!(
            !is_stale(freshness(30.0, 30.0, LastWord::For)) && is_stale(freshness(30.1, 30.0, LastWord::For))
        );
        let said = Time::from_millis(1_000);
        assert_eq!(due(said, 3.0).millis(), 1_000 + 3 * 86_400_000);
    }

    /// covers: K-61, K-62
    #[test]
    fn sure_and_stale_are_two_things() {
        use super::super::confidence::{ConfidenceWeights, confidence, recency};
        use cairn_domain::ConfidenceParts;
        let parts = |n: u32, days| ConfidenceParts {
            source_count: n,
            source_diversity: n.min(4),
            support_weight: f64::from(n),
            recency_weight: recency(Some(days)),
            ..ConfidenceParts::default()
        };
        let weights = ConfidenceWeights::default();
        let (old, new) = (confidence(&parts(9, 200.0), &weights), confidence(&parts(1, 0.0), &weights));
        assert!(old > 0.85 && is_stale(freshness(200.0, 30.0, LastWord::For)), "{old}");
        assert!(new < 0.6 && !is_stale(freshness(0.0, 30.0, LastWord::For)), "{new}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_stays_a_share_and_only_falls(days in 0.0..1e4_f64, more in 0.0..1e3_f64, cadence in 0.1..400.0_f64) {
            let f = freshness(days, cadence, LastWord::For);
            prop_assert!((0.0..=1.0).contains(&f));
            prop_assert!(freshness(days + more, cadence, LastWord::For) <= f);
            prop_assert!(freshness(days, cadence, LastWord::Against) <= f);
        }
    }
}
