//! Retention: how likely a memory is still there after so many days. A power law: it falls quickly at first and has a long
//! tail, so that what was learned well is still there after a long time without use. Nothing is stored decayed; retention
//! is worked out whenever somebody asks, from the moment of the last access and the stability.

use serde::{Deserialize, Serialize};

/// Minimum stability of a memory.
pub const MIN_STABILITY_DAYS: f64 = 0.5;
/// Maximum stability of a memory: a hundred years.
pub const MAX_STABILITY_DAYS: f64 = 36_500.0;
/// Below this retention a memory is about to be lost: a dream rehearses it.
pub const FADING_RETENTION: f64 = 0.3;
/// Below this retention a memory hardly ever comes to mind.
pub const FADED_RETENTION: f64 = 0.05;

/// The exponents for which the curve of FSRS-6 makes sense.
const W20_RANGE: (f64, f64) = (0.1, 0.8);

/// How retention falls with time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetentionCurve {
    /// The curve that every threshold of Cairn was chosen on: 0.81 after one stability, below 0.3 after 7.4.
    #[default]
    Seed,
    /// The curve of the sixth Free Spaced Repetition Scheduler: 0.9 after one stability whatever the exponent.
    Fsrs6 {
        /// The exponent, held between 0.1 and 0.8; people are at 0.1542 on average.
        w20: f64,
    },
}

/// How likely a memory of this stability (in days) is still there, so many days after it was last used. Before its last
/// use it is certainly there.
///
/// Curve `seed`, and curve `fsrs6`:
///
/// R = (1 + t/(9·S))^(−2)
/// R = (1 + f·t/S)^(−w20) with f = 0.9^(−1/w20) − 1
pub fn retention(curve: RetentionCurve, days: f64, stability: f64) -> f64 {
    if days.is_nan() || days <= 0.0 {
        return 1.0;
    }
    let spans = days.min(f64::MAX) / stability.clamp(f64::MIN_POSITIVE, f64::MAX);
    match curve {
        RetentionCurve::Seed => (1.0 + spans / 9.0).powi(-2),
        RetentionCurve::Fsrs6 { w20 } => {
            let w20 = w20.clamp(W20_RANGE.0, W20_RANGE.1);
            let factor = 0.9_f64.powf(-1.0 / w20) - 1.0;
            (1.0 + factor * spans).powf(-w20)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PEOPLE: RetentionCurve = RetentionCurve::Fsrs6 { w20: 0.1542 };
    const ROOT: RetentionCurve = RetentionCurve::Fsrs6 { w20: 0.5 };

    /// covers: C-04, X-C1
    #[test]
    fn both_curves_hold_their_anchors() {
        for (curve, days, stability, expected) in [
            (RetentionCurve::Seed, 0.0, 1.0, 1.0),
            (RetentionCurve::Seed, 1.0, 1.0, 0.81),
            (RetentionCurve::Seed, 30.0, 30.0, 0.81),
            (RetentionCurve::Seed, 9.0, 1.0, 0.25),
            (RetentionCurve::Seed, 81.0, 1.0, 0.01),
            (ROOT, 1.0, 1.0, 0.9),
            (ROOT, 5.0, 1.0, (1.0_f64 + 19.0 / 81.0 * 5.0).powf(-0.5)),
            (PEOPLE, 20.0, 20.0, 0.9),
        ] {
            let found = retention(curve, days, stability);
            assert!((found - expected).abs() < 1e-12, "{curve:?} after {days} of {stability}: {found}");
        }
    }

    /// covers: C-04, X-C1
    #[test]
    fn a_memory_fades_after_so_many_stabilities() {
        for (curve, before, after) in
            [(RetentionCurve::Seed, 7.4, 7.5), (ROOT, 43.0, 43.2), (PEOPLE, 2_500.0, 2_515.0)]
        {
            assert!(retention(curve, before * 3.0, 3.0) > FADING_RETENTION, "{curve:?}");
            assert!(retention(curve, after * 3.0, 3.0) < FADING_RETENTION, "{curve:?}");
        }
    }

    /// covers: C-05
    #[test]
    fn the_tail_is_heavier_than_that_of_an_exponential() {
        for curve in [RetentionCurve::Seed, ROOT, PEOPLE] {
            let after_one = retention(curve, 1.0, 1.0);
            for days in [10.0, 30.0, 100.0] {
                assert!(retention(curve, days, 1.0) > after_one.powf(days), "{curve:?} after {days}");
            }
        }
    }

    #[test]
    fn odd_numbers_have_an_answer() {
        for curve in [
            RetentionCurve::Seed,
            ROOT,
            PEOPLE,
            RetentionCurve::Fsrs6 { w20: 0.0 },
            RetentionCurve::Fsrs6 { w20: f64::INFINITY },
        ] {
            assert_eq!(retention(curve, -1.0, 1.0).to_bits(), 1.0_f64.to_bits(), "before it was used");
            assert_eq!(retention(curve, f64::NEG_INFINITY, -3.0).to_bits(), 1.0_f64.to_bits());
            for (days, stability) in [
                (1.0, 0.0),
                (1.0, -5.0),
                (f64::INFINITY, 1.0),
                (f64::INFINITY, f64::INFINITY),
                (f64::MIN_POSITIVE, f64::INFINITY),
                (f64::MAX, f64::MIN_POSITIVE),
            ] {
                let found = retention(curve, days, stability);
                assert!((0.0..=1.0).contains(&found), "{curve:?} {days} {stability}: {found}");
            }
            assert!(retention(curve, 1.0, 0.0) < 1e-6, "without stability nothing stays");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn retention_falls_with_time_and_grows_with_stability(
            days in -10.0_f64..20_000.0,
            later in 0.0_f64..5_000.0,
            stability in -1.0_f64..40_000.0,
            steadier in 0.0_f64..5_000.0,
            w20 in prop::option::of(-0.5_f64..1.5),
        ) {
            let curve = w20.map_or(RetentionCurve::Seed, |w20| RetentionCurve::Fsrs6 { w20 });
            let now = retention(curve, days, stability);
            prop_assert!((0.0..=1.0).contains(&now), "{now}");
            prop_assert!(retention(curve, days + later, stability) <= now);
            prop_assert!(retention(curve, days, stability + steadier) >= now);
        }
    }
}
