//! Memories that come to mind together are linked: those given in one answer are strengthened, and pairs that often
//! occur together lend each other a little strength.

use crate::{retention::RetentionCurve, strength::Strength};
use cairn_domain::Time;

/// A pair lends strength after this many times together.
pub const LENDING_TIMES_TOGETHER: u32 = 3;
/// Maximum count of a pair.
pub const MAX_TIMES_TOGETHER: u32 = 1_000;
/// Maximum memories of one answer that are paired, best first.
pub const MAX_PAIRED_MEMORIES: usize = 15;
/// Maximum relative gain of stability per use.
const MAX_STABILITY_GAIN: f64 = 0.02;

/// The strength of a memory that was given at this moment: a use, which makes it a little more stable by as much as it
/// had faded. Given again while it is fresh, it gains next to nothing.
///
/// S″ = S·(1 + 0.02·(1 − R))
pub fn strengthened_by_recall(strength: Strength, now: Time, curve: RetentionCurve) -> Strength {
    let lost = 1.0 - strength.retrieval(now, curve);
    strength.after_access(now, curve).steadier(1.0 + MAX_STABILITY_GAIN * lost)
}

/// The pairs of what was given together, the smaller first; the same however the answer was ordered.
pub fn recalled_pairs<T: Copy + Ord>(given: &[T]) -> Vec<(T, T)> {
    let mut given: Vec<T> = given.iter().take(MAX_PAIRED_MEMORIES).copied().collect();
    given.sort_unstable();
    given.dedup();
    let with_later =
        |(place, one): (usize, &T)| given[place + 1..].iter().map(|other| (*one, *other)).collect::<Vec<_>>();
    given.iter().enumerate().flat_map(with_later).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_domain::MILLIS_PER_DAY;
    use proptest::prelude::*;

    fn day(day: f64) -> Time {
        Time::from_millis((day * MILLIS_PER_DAY as f64) as i64)
    }

    /// covers: C-194, X-P8
    #[test]
    fn what_is_given_gains_a_fiftieth_of_what_it_had_lost() {
        let memory = Strength { storage: 2.0, stability: 10.0, accesses: 4, last_access: day(100.0) };
        for (at, stability) in [(100.0, 10.0), (190.0, 10.0 * 1.015), (1e7, 10.2)] {
            let given = strengthened_by_recall(memory, day(at), RetentionCurve::Seed);
            assert!((given.stability - stability).abs() < 1e-3, "{at}: {}", given.stability);
            assert_eq!(given.accesses, 5);
        }
    }

    /// covers: C-195
    #[test]
    fn every_two_that_are_given_together_are_a_pair() {
        assert_eq!(recalled_pairs(&[3, 1, 2, 1]), [(1, 2), (1, 3), (2, 3)]);
        assert_eq!(recalled_pairs(&[2, 3, 1]), recalled_pairs(&[1, 2, 3]));
        assert!(recalled_pairs(&[1]).is_empty());
        assert_eq!(
            recalled_pairs(&(0..100).collect::<Vec<_>>()).len(),
            MAX_PAIRED_MEMORIES * (MAX_PAIRED_MEMORIES - 1) / 2
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_grows_strong_by_being_given_often(times in 1_usize..300) {
            let mut memory = Strength { storage: 1.0, stability: 1.0, accesses: 0, last_access: day(1.0) };
            for time in 0..times {
                memory = strengthened_by_recall(memory, day(1.0 + time as f64 / 10_000.0), RetentionCurve::Seed);
            }
            prop_assert!(memory.stability < 1.001);
        }
    }
}
