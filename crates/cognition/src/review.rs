//! Review: how a memory stands in its layer, when it is looked at again, and what becomes of it. Every decision comes with
//! its motivation.

use crate::{promotion::is_held, unit_interval::clamp_to_unit};
use cairn_domain::{Memory, Status};

/// Score from which a new memory is promoted.
pub const PROMOTE_SCORE: f64 = 0.60;
/// Score below which a current memory is demoted.
pub const DEMOTE_SCORE: f64 = 0.25;
/// Maximum days between reviews.
pub const MAX_REVIEW_DAYS: f64 = 365.0;

/// The factors of a memory's review score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerStanding {
    /// How recent it is within the horizon of its layer, 0 to 1.
    pub recency: f64,
    /// Importance times utility.
    pub weight: f64,
    /// How much it has to do with what the layer is about now, 0 to 1.
    pub relevance: f64,
}

/// The decision of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewDecision {
    /// From new to current.
    Promote,
    /// From current to deprecated.
    Demote,
    /// No change.
    Keep,
}

impl LayerStanding {
    /// The standing of a memory of this age in a layer with this horizon.
    ///
    /// recency = e^(−age/horizon)
    pub fn new(age_days: f64, horizon_days: f64, importance: f64, utility: f64, relevance: f64) -> Self {
        let recency = (-age_days.max(0.0) / horizon_days.max(f64::MIN_POSITIVE)).exp();
        Self {
            recency,
            weight: clamp_to_unit(importance) * clamp_to_unit(utility),
            relevance: clamp_to_unit(relevance),
        }
    }

    /// How it stands, from 0 to 1.
    ///
    /// review = 0.35·recency + 0.35·weight + 0.30·relevance
    pub fn score(&self) -> f64 {
        0.35 * self.recency + 0.35 * self.weight + 0.30 * self.relevance
    }

    /// The decision about a memory that stands so, and its motivation. Held memories are never demoted.
    pub fn decide(&self, memory: &Memory) -> (ReviewDecision, String) {
        let score = self.score();
        let parts = format!(
            "{score:.2} = .35 × {:.2} recency + .35 × {:.2} weight + .30 × {:.2} relevance",
            self.recency, self.weight, self.relevance
        );
        match memory.status {
            Status::New if score >= PROMOTE_SCORE => {
                (ReviewDecision::Promote, format!("{parts}: at least {PROMOTE_SCORE:.2}"))
            }
            Status::Current if score < DEMOTE_SCORE && is_held(memory) => {
                (ReviewDecision::Keep, format!("{parts}: below {DEMOTE_SCORE:.2}, and nothing may let it go"))
            }
            Status::Current if score < DEMOTE_SCORE => {
                (ReviewDecision::Demote, format!("{parts}: below {DEMOTE_SCORE:.2}"))
            }
            Status::New | Status::Current | Status::Deprecated | Status::Superseded => {
                (ReviewDecision::Keep, format!("{parts}: as before"))
            }
        }
    }
}

/// In how many days a memory is due again: when the chance that something has changed since has reached one half. Each
/// review in a row that changed nothing halves the rate, so that the time doubles; a year at most.
///
/// p = 1 − e^(−rate·days)
/// days = min(365, 2^unchanged·ln 2/rate)
pub fn next_review_days(rate_per_day: f64, unchanged: u32) -> f64 {
    let halved = rate_per_day / 2_f64.powi(unchanged.min(20) as i32);
    (std::f64::consts::LN_2 / halved.max(f64::MIN_POSITIVE)).min(MAX_REVIEW_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promotion::tests::memory;
    use proptest::prelude::*;

    /// covers: L-09, L-10, L-11, L-12, L-13, X-L2
    #[test]
    fn recency_weight_and_relevance_decide_and_say_so() {
        for (standing, status, pinned, decision) in [
            (LayerStanding::new(0.0, 30.0, 0.9, 0.9, 0.5), Status::New, false, ReviewDecision::Promote),
            (LayerStanding::new(0.0, 30.0, 0.5, 0.5, 0.1), Status::New, false, ReviewDecision::Keep),
            (LayerStanding::new(300.0, 30.0, 0.5, 0.5, 0.1), Status::New, false, ReviewDecision::Keep),
            (LayerStanding::new(300.0, 30.0, 0.5, 0.5, 0.1), Status::Current, false, ReviewDecision::Demote),
            (LayerStanding::new(300.0, 30.0, 0.5, 0.5, 0.1), Status::Current, true, ReviewDecision::Keep),
            (LayerStanding::new(300.0, 30.0, 0.9, 0.9, 0.9), Status::Current, false, ReviewDecision::Keep),
        ] {
            let (found, motivation) = standing.decide(&Memory { status, pinned, ..memory() });
            assert_eq!(found, decision, "{standing:?} {status}: {motivation}");
            assert!(motivation.contains("recency") && motivation.contains("relevance"), "{motivation}");
        }
        let standing = LayerStanding::new(30.0, 30.0, 0.8, 0.5, 0.5);
        assert!((standing.score() - (0.35 * (-1.0_f64).exp() + 0.35 * 0.4 + 0.15)).abs() < 1e-12);
    }

    /// covers: L-25, L-26, L-27, X-L3
    #[test]
    fn a_review_is_due_when_something_may_have_changed() {
        for (rate, unchanged, days) in
            [(0.70, 0, 0.990), (0.23, 0, 3.014), (0.023, 0, 30.137), (0.23, 2, 12.055), (0.023, 9, 365.0)]
        {
            let due = next_review_days(rate, unchanged);
            assert!((due - days).abs() < 1e-3, "{rate} {unchanged}: {due}");
        }
        let chance_of_change = 1.0 - (-0.23 * next_review_days(0.23, 0)).exp();
        assert!((chance_of_change - 0.5).abs() < 1e-12);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_standing_stays_between_0_and_1(age in -10.0_f64..1e6, horizon in 0.0_f64..1e4, parts in [-1.0_f64..2.0, -1.0..2.0, -1.0..2.0]) {
            let [importance, utility, relevance] = parts;
            let score = LayerStanding::new(age, horizon, importance, utility, relevance).score();
            prop_assert!((0.0..=1.0).contains(&score));
        }
    }
}
