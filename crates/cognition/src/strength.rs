//! Dual strength: how well a memory is stored, and how easily it comes to mind. Storage only ever grows. How easily it
//! comes to mind is not stored at all: it is the [`retention`](crate::retention) since the last access.
//!
//! Using a memory strengthens it by as much as it had faded: what is recalled twice in a minute gains nothing by the
//! second time, so nothing grows strong merely by being shown often.

use crate::{
    importance::encoding_boost,
    retention::{FADING_RETENTION, MAX_STABILITY_DAYS, MIN_STABILITY_DAYS, RetentionCurve, retention},
};
use cairn_domain::{MILLIS_PER_DAY, Time};

/// Storage of a new memory.
pub const MIN_STORAGE: f64 = 1.0;
/// Maximum storage.
pub const MAX_STORAGE: f64 = 10.0;
/// Storage that one access adds to a fully faded memory.
pub const STORAGE_GAIN: f64 = 1.0;
/// Storage from which a memory counts as stored well: at least four spaced accesses.
pub const WELL_STORED: f64 = 5.0;
/// Stability of a new memory before its encoding boost.
pub const FIRST_STABILITY_DAYS: f64 = 1.0;

/// How strong a memory is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// How well it is stored, from 1 to 10. Never decays.
    pub storage: f64,
    /// How slowly it fades, in days.
    pub stability: f64,
    /// How often it was used.
    pub accesses: u32,
    /// When it was used last; for a new memory, when it was made.
    pub last_access: Time,
}

impl Strength {
    /// The strength of a memory made at this moment; `signal` says from 0 to 1 how deeply it was encoded (see
    /// [`Channels::signal`](crate::importance::ImportanceChannels::signal)).
    ///
    /// S = 1 day · boost
    pub fn new(now: Time, signal: f64) -> Self {
        let stability = FIRST_STABILITY_DAYS * encoding_boost(signal);
        Self { storage: MIN_STORAGE, stability, accesses: 0, last_access: now }
    }

    /// How easily it comes to mind at this moment, from 0 to 1.
    pub fn retrieval(&self, now: Time, curve: RetentionCurve) -> f64 {
        retention(curve, self.idle_days(now), self.stability)
    }

    /// How long it has not been used, in days.
    pub fn idle_days(&self, now: Time) -> f64 {
        (now.millis() - self.last_access.millis()) as f64 / MILLIS_PER_DAY as f64
    }

    /// Its strength after somebody used it at this moment: retrieval is whole again, and storage gains by as much as
    /// retrieval had been lost. Stability stays as it was: what makes it grow is being said again, being rehearsed and the
    /// company of others.
    ///
    /// storage′ = min(10, storage + 1·(1 − R))
    pub fn after_access(self, now: Time, curve: RetentionCurve) -> Self {
        let lost = 1.0 - self.retrieval(now, curve);
        Self {
            storage: (self.storage + STORAGE_GAIN * lost).clamp(MIN_STORAGE, MAX_STORAGE),
            stability: self.stability,
            accesses: self.accesses.saturating_add(1),
            last_access: self.last_access.max(now),
        }
    }

    /// Its strength after the same was said again at this moment: an access that also makes it more stable, at most twice
    /// as stable.
    ///
    /// S′ = S·(1 + (1 − R))
    pub fn reinforced(self, now: Time, curve: RetentionCurve) -> Self {
        let lost = 1.0 - self.retrieval(now, curve);
        self.after_access(now, curve).steadier(1.0 + lost)
    }

    /// The same strength with its stability multiplied, between half a day and a hundred years.
    pub fn steadier(self, times: f64) -> Self {
        let stability = (self.stability * times).clamp(MIN_STABILITY_DAYS, MAX_STABILITY_DAYS);
        Self { stability, ..self }
    }

    /// Whether it is stored well and yet does not come to mind: storage of 5 or more with retrieval below 0.3.
    pub fn is_on_the_tip_of_the_tongue(&self, now: Time, curve: RetentionCurve) -> bool {
        self.storage >= WELL_STORED && self.retrieval(now, curve) < FADING_RETENTION
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(day: f64) -> Time {
        Time::from_millis((day * MILLIS_PER_DAY as f64) as i64)
    }

    fn made(storage: f64, stability: f64) -> Strength {
        Strength { storage, stability, accesses: 0, last_access: day(100.0) }
    }

    /// covers: X-C1
    #[test]
    fn a_new_memory_is_as_stable_as_it_was_encoded() {
        for (signal, stability) in [(0.0, 0.7), (0.5, 1.0), (1.0, 1.3)] {
            let new = Strength::new(day(3.0), signal);
            assert!((new.stability - stability).abs() < 1e-12, "{signal}");
            assert_eq!((new.accesses, new.last_access), (0, day(3.0)));
            assert!((new.storage - 1.0).abs() < 1e-12);
        }
    }

    /// covers: C-07, C-08, C-09, X-P8
    #[test]
    fn use_restores_retrieval_and_adds_to_storage_what_had_been_lost() {
        let memory = made(2.0, 1.0);
        for (at, retrieval, storage) in
            [(100.0, 1.0, 2.0), (101.0, 0.81, 2.19), (109.0, 0.25, 2.75), (99.0, 1.0, 2.0)]
        {
            assert!((memory.retrieval(day(at), RetentionCurve::Seed) - retrieval).abs() < 1e-12, "day {at}");
            let used = memory.after_access(day(at), RetentionCurve::Seed);
            assert!((used.storage - storage).abs() < 1e-12, "day {at}: {}", used.storage);
            assert!((used.retrieval(day(at), RetentionCurve::Seed) - 1.0).abs() < 1e-12, "day {at}");
            assert_eq!((used.accesses, used.last_access), (1, day(at).max(day(100.0))), "day {at}");
            assert!((used.stability - 1.0).abs() < 1e-12, "being shown does not make it stable");
        }
    }

    /// covers: X-P8
    #[test]
    fn a_hundred_uses_in_an_hour_are_worth_less_than_one_after_a_week() {
        let mut crammed = made(1.0, 1.0).after_access(day(101.0), RetentionCurve::Seed);
        let before = crammed.storage;
        for use_of_hour in 1..=100 {
            crammed =
                crammed.after_access(day(101.0 + f64::from(use_of_hour) / 2_400.0), RetentionCurve::Seed);
        }
        let spaced = made(1.0, 1.0).after_access(day(107.0), RetentionCurve::Seed);
        assert!(crammed.storage - before < 0.01, "{}", crammed.storage - before);
        assert!(spaced.storage - 1.0 > 0.5, "{}", spaced.storage);
    }

    /// covers: C-22
    #[test]
    fn being_said_again_makes_it_more_stable() {
        for (at, stability) in [(100.0, 2.0), (102.0, 2.0 * 1.19), (118.0, 2.0 * 1.75), (1e6, 4.0)] {
            let said_again = made(1.0, 2.0).reinforced(day(at), RetentionCurve::Seed);
            assert!((said_again.stability - stability).abs() < 1e-6, "day {at}: {}", said_again.stability);
            assert_eq!(said_again.accesses, 1);
        }
        let oldest = made(1.0, MAX_STABILITY_DAYS).reinforced(day(1e6), RetentionCurve::Seed);
        assert!((oldest.stability - MAX_STABILITY_DAYS).abs() < 1e-9, "nothing is stable beyond measure");
    }

    /// covers: C-10
    #[test]
    fn what_is_stored_well_and_not_at_hand_is_on_the_tip_of_the_tongue() {
        for (storage, days, expected) in
            [(5.0, 7.5, true), (5.0, 7.4, false), (4.99, 7.5, false), (10.0, 400.0, true), (10.0, 0.0, false)]
        {
            let found =
                made(storage, 1.0).is_on_the_tip_of_the_tongue(day(100.0 + days), RetentionCurve::Seed);
            assert_eq!(found, expected, "{storage} after {days}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: C-06, C-07
        #[test]
        fn storage_never_decays_and_stays_within_its_bounds(
            signal in 0.0_f64..1.0,
            moments in prop::collection::vec((-50.0_f64..2_000.0, any::<bool>()), 1..60),
        ) {
            let mut strength = Strength::new(day(0.0), signal);
            for (at, said_again) in moments {
                let next = if said_again {
                    strength.reinforced(day(at), RetentionCurve::Seed)
                } else {
                    strength.after_access(day(at), RetentionCurve::Seed)
                };
                prop_assert!(next.storage >= strength.storage);
                prop_assert!((MIN_STORAGE..=MAX_STORAGE).contains(&next.storage));
                prop_assert!((MIN_STABILITY_DAYS..=MAX_STABILITY_DAYS).contains(&next.stability));
                prop_assert!(next.last_access >= strength.last_access);
                prop_assert!((0.0..=1.0).contains(&next.retrieval(day(at + 30.0), RetentionCurve::Seed)));
                strength = next;
            }
        }
    }
}
