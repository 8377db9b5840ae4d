//! Utility: how useful a memory has been, from 0 to 1. Three pure functions: what use does to it, what time does to it,
//! and what it is worth when memories are weighed against each other.

use crate::unit_interval::clamp_to_unit;

/// The utility of a memory nobody has used, to which every other returns without use.
pub const INITIAL_UTILITY: f64 = 0.5;

/// How much one use counts: a single bad one does not ruin a useful memory.
const LEARNING_RATE: f64 = 0.1;
/// How much of the way back to the middle a day without use goes.
const DRIFT_PER_DAY: f64 = 0.01;

/// How a use turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UseOutcome {
    /// It helped.
    Success,
    /// It did not help, or misled.
    Failure,
}

/// The utility after a use; the target is 1 for a success and 0 for a failure.
///
/// u′ = u + 0.1·(target − u)
pub fn utility_after_use(utility: f64, outcome: UseOutcome) -> f64 {
    let target = match outcome {
        UseOutcome::Success => 1.0,
        UseOutcome::Failure => 0.0,
    };
    let utility = clamp_to_unit(utility);
    clamp_to_unit(utility + LEARNING_RATE * (target - utility))
}

/// The utility after so many days, counted since the last time this was applied: it drifts to the middle and, however long
/// the time, not beyond.
///
/// u′ = u + min(1, 0.01·days)·(0.5 − u)
pub fn drifted_utility(utility: f64, days: f64) -> f64 {
    let utility = clamp_to_unit(utility);
    utility + clamp_to_unit(DRIFT_PER_DAY * days) * (INITIAL_UTILITY - utility)
}

/// The value of a memory where relevance dominates and utility and importance break ties.
///
/// worth = 0.6·similarity + 0.2·utility + 0.2·importance
pub fn weighed_value(similarity: f64, utility: f64, importance: f64) -> f64 {
    0.6 * similarity + 0.2 * utility + 0.2 * importance
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// covers: C-98, C-99, C-102
    #[test]
    fn a_use_moves_utility_a_tenth_of_the_way() {
        for (before, outcome, after) in [
            (INITIAL_UTILITY, UseOutcome::Success, 0.55),
            (INITIAL_UTILITY, UseOutcome::Failure, 0.45),
            (1.0, UseOutcome::Success, 1.0),
            (1.0, UseOutcome::Failure, 0.9),
            (0.0, UseOutcome::Failure, 0.0),
        ] {
            assert!(near(utility_after_use(before, outcome), after), "{before} {outcome:?}");
        }
        assert!(near(INITIAL_UTILITY, 0.5));
    }

    /// covers: C-98, C-100, X-C9
    #[test]
    fn time_returns_utility_to_the_middle_and_never_beyond() {
        for (before, days, after) in [
            (0.9, 0.0, 0.9),
            (0.9, 10.0, 0.86),
            (0.1, 10.0, 0.14),
            (0.9, 100.0, 0.5),
            (0.9, 150.0, 0.5),
            (0.1, 1e9, 0.5),
            (0.9, -5.0, 0.9),
        ] {
            assert!(
                near(drifted_utility(before, days), after),
                "{before} after {days}: {}",
                drifted_utility(before, days)
            );
        }
    }

    /// covers: C-98, C-101
    #[test]
    fn relevance_dominates() {
        assert!(near(weighed_value(0.5, 0.5, 0.5), 0.5));
        assert!(near(weighed_value(0.8, 0.25, 0.75), 0.68));
        assert!(
            weighed_value(0.9, 0.0, 0.0) > weighed_value(0.2, 1.0, 1.0),
            "utility and importance alone do not win"
        );
        assert!(weighed_value(0.5, 0.6, 0.0) > weighed_value(0.5, 0.5, 0.0), "they break ties");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn utility_stays_between_0_and_1(start in -1.0_f64..2.0, days in -1e6_f64..1e6, helped in any::<bool>()) {
            let outcome = if helped { UseOutcome::Success } else { UseOutcome::Failure };
            prop_assert!((0.0..=1.0).contains(&utility_after_use(start, outcome)));
            let (before, after) = (clamp_to_unit(start), drifted_utility(start, days));
            prop_assert!((after - INITIAL_UTILITY).abs() <= (before - INITIAL_UTILITY).abs());
            prop_assert!((after - INITIAL_UTILITY) * (before - INITIAL_UTILITY) >= 0.0, "it does not swing to the other side");
        }
    }
}
