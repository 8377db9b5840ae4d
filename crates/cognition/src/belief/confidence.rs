//! Confidence in a belief: how well it is supported, in parts that can be told apart. How current it is, is another
//! question: see [`super::freshness`].

use cairn_domain::ConfidenceParts;
use serde::{Deserialize, Serialize};

/// Days after which the last support counts least.
const RECENT_DAYS: f64 = 60.0;
/// Recency after [`RECENT_DAYS`], and without any support.
const OLD: f64 = 0.1;
const NEVER: f64 = 0.35;

/// The weight of each part of the confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConfidenceWeights {
    /// Every belief starts with this.
    pub base: f64,
    /// Independent sources, with diminishing returns up to six.
    pub sources: f64,
    /// Kinds of sources, up to four.
    pub diversity: f64,
    /// Weight of the support, up to four.
    pub support: f64,
    /// How recent the support is.
    pub recency: f64,
    /// That an operator confirmed it.
    pub confirmed: f64,
    /// Subtracted for opposing evidence, which counts up to a weight of three.
    pub contradiction: f64,
}

impl Default for ConfidenceWeights {
    fn default() -> Self {
        Self {
            base: 0.28,
            sources: 0.22,
            diversity: 0.18,
            support: 0.20,
            recency: 0.12,
            confirmed: 0.12,
            contradiction: 0.35,
        }
    }
}

impl ConfidenceWeights {
    /// Whether every weight is a share.
    pub fn fits(&self) -> bool {
        let Self { base, sources, diversity, support, recency, confirmed, contradiction } = *self;
        [base, sources, diversity, support, recency, confirmed, contradiction]
            .iter()
            .all(|weight| (0.0..=1.0).contains(weight))
    }
}

/// How well a belief is supported, with n independent sources of d kinds, support s, contradiction k and recency r:
///
/// c = clamp₀₁(0.28 + 0.22·min(ln(1 + n)/ln 7, 1) + 0.18·min(d/4, 1) + 0.20·min(s/4, 1) + 0.12·r + 0.12·confirmed − 0.35·min(k/3, 1))
pub fn confidence(parts: &ConfidenceParts, weights: &ConfidenceWeights) -> f64 {
    let n = f64::from(parts.source_count);
    let sources = ((1.0 + n).ln() / 7_f64.ln()).min(1.0);
    let diversity = (f64::from(parts.source_diversity) / 4.0).min(1.0);
    let support = (parts.support_weight / 4.0).min(1.0);
    let confirmed = f64::from(u8::from(parts.operator_confirmed));
    let contradiction = (parts.contradiction_weight / 3.0).min(1.0);
    let sum = weights.base
        + weights.sources * sources
        + weights.diversity * diversity
        + weights.support * support
        + weights.recency * parts.recency_weight
        + weights.confirmed * confirmed
        - weights.contradiction * contradiction;
    sum.clamp(0.0, 1.0)
}

/// How recent the last support is.
///
/// r = clamp(1 − days/60, 0.1, 1), 0.35 if there never was any
pub fn recency(days: Option<f64>) -> f64 {
    days.map_or(NEVER, |days| (1.0 - days / RECENT_DAYS).clamp(OLD, 1.0))
}

/// More speaks against a belief than for it. Nothing of it fades with time, and a tie decides nothing.
pub fn is_outweighed(parts: &ConfidenceParts) -> bool {
    parts.contradiction_weight > parts.support_weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(sources: u32, kinds: u32, support: f64, against: f64, recency: f64, confirmed: bool) -> f64 {
        let parts = ConfidenceParts {
            source_count: sources,
            source_diversity: kinds,
            support_weight: support,
            contradiction_weight: against,
            recency_weight: recency,
            operator_confirmed: confirmed,
        };
        confidence(&parts, &ConfidenceWeights::default())
    }

    /// covers: K-40, K-52, K-53, K-54, K-55, K-56, K-57, K-58, K-59, X-K3
    #[test]
    fn every_part_adds_what_it_should() {
        for (n, d, s, k, r, confirmed, expected) in [
            (0, 0, 0.0, 0.0, 0.35, false, 0.322),
            (1, 1, 1.0, 0.0, 1.0, false, 0.573_366),
            (3, 1, 3.0, 0.0, 1.0, false, 0.751_731),
            (6, 4, 4.0, 0.0, 1.0, false, 1.0),
            (60, 9, 40.0, 0.0, 1.0, true, 1.0),
            (1, 1, 1.0, 0.0, 1.0, true, 0.693_366),
            (1, 1, 1.0, 1.0, 1.0, false, 0.456_699),
            (1, 1, 1.0, 9.0, 1.0, false, 0.223_366),
            (0, 0, 0.0, 9.0, 0.1, false, 0.0),
        ] {
            let found = of(n, d, s, k, r, confirmed);
            assert!((found - expected).abs() < 1e-6, "{n} {d} {s} {k} {r} {confirmed}: {found}");
        }
    }

    /// covers: K-57, X-K3
    #[test]
    fn support_is_recent_for_two_months() {
        for (days, expected) in [
            (None, 0.35),
            (Some(0.0), 1.0),
            (Some(-3.0), 1.0),
            (Some(30.0), 0.5),
            (Some(54.0), 0.1),
            (Some(900.0), 0.1),
        ] {
            assert!((recency(days) - expected).abs() < 1e-9, "{days:?}");
        }
    }

    /// covers: K-30, X-K5
    #[test]
    fn a_tie_outweighs_nothing() {
        let parts = |support_weight, contradiction_weight| ConfidenceParts {
            support_weight,
            contradiction_weight,
            ..ConfidenceParts::default()
        };
        assert!(!is_outweighed(&parts(1.0, 1.0)) && !is_outweighed(&parts(2.0, 1.0)));
        assert!(is_outweighed(&parts(1.0, 1.5)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: K-59
        #[test]
        fn it_stays_a_share_and_moves_the_right_way(
            n in 0_u32..50, d in 0_u32..8, s in 0.0..20.0_f64, k in 0.0..20.0_f64, r in 0.1..1.0_f64,
        ) {
            let c = of(n, d, s, k, r, false);
            prop_assert!((0.0..=1.0).contains(&c));
            prop_assert!(of(n + 1, d, s, k, r, false) >= c && of(n, d + 1, s, k, r, false) >= c);
            prop_assert!(of(n, d, s + 1.0, k, r, false) >= c && of(n, d, s, k, r, true) >= c);
            prop_assert!(of(n, d, s, k + 1.0, r, false) <= c);
        }
    }
}
