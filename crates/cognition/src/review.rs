//! Review: how a memory stands in its layer, when it is looked at again, and what becomes of it. Every decision comes with
//! its motivation.

use crate::importance::unit;
use cairn_domain::Status;

/// From here on a new memory is promoted.
pub const PROMOTE: f64 = 0.60;
/// Below this a current memory is demoted.
pub const DEMOTE: f64 = 0.25;
/// A review is due when the chance that something has changed has reached this.
pub const DUE: f64 = 0.5;
/// However often nothing changed, a memory is reviewed after so many days.
pub const LONGEST_DAYS: f64 = 365.0;

/// What a memory is weighed by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// How recent it is within the horizon of its layer, 0 to 1.
    pub recency: f64,
    /// Importance times utility.
    pub weight: f64,
    /// How much it has to do with what the layer is about now, 0 to 1.
    pub relevance: f64,
}

/// What a review decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// From new to current.
    Promote,
    /// From current to deprecated.
    Demote,
    /// It stays what it is.
    Keep,
}

impl Standing {
    /// The standing of a memory of this age in a layer with this horizon.
    ///
    /// recency = e^(−age/horizon)
    pub fn new(age_days: f64, horizon_days: f64, importance: f64, utility: f64, relevance: f64) -> Self {
        let recency = (-age_days.max(0.0) / horizon_days.max(f64::MIN_POSITIVE)).exp();
        Self { recency, weight: unit(importance) * unit(utility), relevance: unit(relevance) }
    }

    /// How it stands, from 0 to 1.
    ///
    /// review = 0.35·recency + 0.35·weight + 0.30·relevance
    pub fn score(&self) -> f64 {
        0.35 * self.recency + 0.35 * self.weight + 0.30 * self.relevance
    }

    /// What a review decides, and the motivation. What is held is never demoted.
    pub fn decide(&self, status: Status, held: bool) -> (Decision, String) {
        let score = self.score();
        let parts = format!(
            "{score:.2} = .35 × {:.2} recency + .35 × {:.2} weight + .30 × {:.2} relevance",
            self.recency, self.weight, self.relevance
        );
        match status {
            Status::New if score >= PROMOTE => (Decision::Promote, format!("{parts}: at least {PROMOTE:.2}")),
            Status::Current if score < DEMOTE && held => {
                (Decision::Keep, format!("{parts}: below {DEMOTE:.2}, and nothing may let it go"))
            }
            Status::Current if score < DEMOTE => (Decision::Demote, format!("{parts}: below {DEMOTE:.2}")),
            Status::New | Status::Current | Status::Deprecated | Status::Superseded => {
                (Decision::Keep, format!("{parts}: as before"))
            }
        }
    }
}

/// How likely something has changed since a memory was last reviewed.
///
/// p = 1 − e^(−rate·days)
pub fn chance_of_change(rate_per_day: f64, days: f64) -> f64 {
    1.0 - (-rate_per_day * days.max(0.0)).exp()
}

/// In how many days a memory is due again: when the chance has reached one half. Each review in a row that changed
/// nothing halves the rate, so that the time doubles; a year at most.
///
/// days = min(365, 2^unchanged·ln 2/rate)
pub fn next_review_days(rate_per_day: f64, unchanged: u32) -> f64 {
    let halved = rate_per_day / 2_f64.powi(unchanged.min(20) as i32);
    (std::f64::consts::LN_2 / halved.max(f64::MIN_POSITIVE)).min(LONGEST_DAYS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// covers: L-09, L-10, L-11, L-12, L-13, X-L2
    #[test]
    fn recency_weight_and_relevance_decide_and_say_so() {
        for (standing, status, held, decision) in [
            (Standing::new(0.0, 30.0, 0.9, 0.9, 0.5), Status::New, false, Decision::Promote),
            (Standing::new(0.0, 30.0, 0.5, 0.5, 0.1), Status::New, false, Decision::Keep),
            (Standing::new(300.0, 30.0, 0.5, 0.5, 0.1), Status::New, false, Decision::Keep),
            (Standing::new(300.0, 30.0, 0.5, 0.5, 0.1), Status::Current, false, Decision::Demote),
            (Standing::new(300.0, 30.0, 0.5, 0.5, 0.1), Status::Current, true, Decision::Keep),
            (Standing::new(300.0, 30.0, 0.9, 0.9, 0.9), Status::Current, false, Decision::Keep),
        ] {
            let (found, motivation) = standing.decide(status, held);
            assert_eq!(found, decision, "{standing:?} {status}: {motivation}");
            assert!(motivation.contains("recency") && motivation.contains("relevance"), "{motivation}");
        }
        let standing = Standing::new(30.0, 30.0, 0.8, 0.5, 0.5);
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
        assert!((chance_of_change(0.23, next_review_days(0.23, 0)) - DUE).abs() < 1e-12);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_standing_stays_between_0_and_1(age in -10.0_f64..1e6, horizon in 0.0_f64..1e4, parts in [-1.0_f64..2.0, -1.0..2.0, -1.0..2.0]) {
            let [importance, utility, relevance] = parts;
            let score = Standing::new(age, horizon, importance, utility, relevance).score();
            prop_assert!((0.0..=1.0).contains(&score));
        }
    }
}
