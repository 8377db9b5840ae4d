//! Forgetting: the floating threshold, how long each category is kept at least, and how fast it loses stability. What is
//! forgotten goes dormant; nothing here deletes.

use crate::retention::{FADED_RETENTION, MIN_STABILITY_DAYS};
use cairn_domain::Category;

/// Share of the threshold below which a memory is neglected.
const NEGLECTED_SHARE: f64 = 0.5;
/// Share of the threshold above which a memory is in demand.
const IN_DEMAND_SHARE: f64 = 1.5;
/// How much faster a neglected memory decays.
const NEGLECTED_DECAY_FACTOR: f64 = 1.5;

/// How much faster than usual a memory decays that was used so often: 1.5 below half the threshold, otherwise 1. The
/// threshold is how often a memory is used on average, so that what counts as much used depends on how much is used at all.
///
/// θ = mean(accesses)
pub fn decay_factor(accesses: u32, threshold: f64) -> f64 {
    if f64::from(accesses) < NEGLECTED_SHARE * threshold { NEGLECTED_DECAY_FACTOR } else { 1.0 }
}

/// Whether a memory that was used so often, above one and a half times the threshold, stays when space is made.
pub fn is_in_demand(accesses: u32, threshold: f64) -> bool {
    f64::from(accesses) > IN_DEMAND_SHARE * threshold
}

/// Days before a memory of this category may go dormant; `None` is never.
pub fn minimum_retention_days(category: Category) -> Option<u32> {
    match category {
        Category::Correction | Category::Preference | Category::Entity => None,
        Category::Decision | Category::Plan => Some(45),
        Category::Fact | Category::Pattern | Category::Procedure => Some(14),
        Category::Other => Some(7),
    }
}

/// Whether a memory of this category and age may go dormant at all: a floor under every rule of forgetting.
pub fn may_go_dormant(category: Category, age_days: f64) -> bool {
    minimum_retention_days(category).is_some_and(|days| age_days >= f64::from(days))
}

/// The share of its stability that a memory of this category loses in a day, before the multiplier of its tier.
pub fn decay_per_day(category: Category) -> f64 {
    match category {
        Category::Correction | Category::Preference | Category::Entity => 0.0,
        Category::Fact | Category::Pattern | Category::Procedure => 0.005,
        Category::Decision | Category::Plan => 0.02,
        Category::Other => 0.05,
    }
}

/// The stability that is left after so many days, counted since the last time this was applied. `per_day` is
/// [`decay_per_day`], `times` the multiplier of the tier and the [`decay_factor`] together. Where nothing decays (a rate of 0, a
/// dormant memory) stability is what it was; storage strength is not touched in any case.
///
/// S′ = max(0.5, S·e^(−rate·times·days))
pub fn eroded_stability(stability: f64, per_day: f64, times: f64, days: f64) -> f64 {
    let decay = per_day * times * days;
    if decay > 0.0 { (stability * (-decay).exp()).max(MIN_STABILITY_DAYS.min(stability)) } else { stability }
}

/// Memories below this utility …
pub const USELESS_UTILITY: f64 = 0.15;
/// … go dormant after this many days without use.
pub const UNUSED_DAYS: f64 = 30.0;

/// Whether the utility floor lets a memory go: of little use, and unused for a month.
pub fn is_useless(utility: f64, idle_days: f64) -> bool {
    utility < USELESS_UTILITY && idle_days >= UNUSED_DAYS
}

/// Whether a memory has faded away: it hardly ever comes to mind, and nobody has used it for a month.
pub fn has_faded(retention: f64, idle_days: f64) -> bool {
    retention < FADED_RETENTION && idle_days >= UNUSED_DAYS
}

/// How many memories are let go where there are more active ones than may be: down to nine tenths of that.
pub fn surplus_memories(active: u64, most: u64) -> u64 {
    if active > most { active - most * 9 / 10 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tier::decay_multiplier;
    use cairn_domain::Tier;
    use proptest::prelude::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// covers: X-C4
    #[test]
    fn the_threshold_floats_with_use() {
        for (accesses, times, in_demand) in [
            (0, 1.5, false),
            (1, 1.5, false),
            (2, 1.0, false),
            (4, 1.0, false),
            (6, 1.0, false),
            (7, 1.0, true),
        ] {
            assert!(near(decay_factor(accesses, 4.0), times), "{accesses}");
            assert_eq!(is_in_demand(accesses, 4.0), in_demand, "{accesses}");
        }
        assert!(
            near(decay_factor(0, 0.0), 1.0) && !is_in_demand(0, 0.0),
            "where nothing is used, nothing stands out"
        );
    }

    /// covers: C-27, C-28, C-29, C-30, C-31, C-32, X-C12
    #[test]
    fn each_category_is_kept_its_time() {
        for (category, days) in [
            (Category::Correction, None),
            (Category::Preference, None),
            (Category::Entity, None),
            (Category::Decision, Some(45)),
            (Category::Plan, Some(45)),
            (Category::Fact, Some(14)),
            (Category::Pattern, Some(14)),
            (Category::Procedure, Some(14)),
            (Category::Other, Some(7)),
        ] {
            assert_eq!(minimum_retention_days(category), days, "{category}");
            assert_eq!(may_go_dormant(category, 1e6), days.is_some(), "{category}");
        }
    }

    /// covers: X-C4
    #[test]
    fn nothing_goes_dormant_before_its_time() {
        for (category, age, may) in [
            (Category::Other, 6.99, false),
            (Category::Other, 7.0, true),
            (Category::Fact, 13.99, false),
            (Category::Fact, 14.0, true),
            (Category::Decision, 44.0, false),
            (Category::Decision, 45.0, true),
            (Category::Preference, f64::INFINITY, false),
        ] {
            assert_eq!(may_go_dormant(category, age), may, "{category} after {age}");
        }
    }

    /// covers: C-94, C-96, X-C21
    #[test]
    fn what_is_useless_goes_and_space_is_made_down_to_nine_tenths() {
        for (utility, idle, goes) in [(0.14, 30.0, true), (0.15, 300.0, false), (0.1, 29.9, false)] {
            assert_eq!(is_useless(utility, idle), goes, "{utility} after {idle}");
        }
        for (active, most, goes) in [(500, 500, 0), (501, 500, 51), (600, 500, 150), (50_001, 50_000, 5_001)]
        {
            assert_eq!(surplus_memories(active, most), goes, "{active} of {most}");
        }
    }

    /// covers: C-46, C-47, C-48, C-49, X-C12
    #[test]
    fn each_category_decays_at_its_rate() {
        for (category, rate) in [
            (Category::Preference, 0.0),
            (Category::Entity, 0.0),
            (Category::Correction, 0.0),
            (Category::Fact, 0.005),
            (Category::Pattern, 0.005),
            (Category::Procedure, 0.005),
            (Category::Decision, 0.02),
            (Category::Plan, 0.02),
            (Category::Other, 0.05),
        ] {
            assert!(near(decay_per_day(category), rate), "{category}");
        }
    }

    /// covers: X-C7, C-234
    #[test]
    fn stability_erodes_by_category_and_tier_down_to_half_a_day() {
        for (category, tier, days, expected) in [
            (Category::Fact, Tier::Semantic, 10.0, 20.0 * (-0.05_f64).exp()),
            (Category::Fact, Tier::Episodic, 10.0, 20.0 * (-0.15_f64).exp()),
            (Category::Other, Tier::Working, 1.0, 20.0 * (-0.5_f64).exp()),
            (Category::Other, Tier::Working, 1e6, 0.5),
            (Category::Other, Tier::Dormant, 1e6, 20.0),
            (Category::Preference, Tier::Working, 1e6, 20.0),
            (Category::Other, Tier::Working, -3.0, 20.0),
        ] {
            let left = eroded_stability(20.0, decay_per_day(category), decay_multiplier(tier), days);
            assert!(near(left, expected), "{category} {tier} after {days}: {left}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: X-C7
        #[test]
        fn eroding_in_two_steps_is_eroding_once(
            stability in 0.5_f64..1_000.0,
            rate in 0.0_f64..0.1,
            (first, second) in (0.0_f64..100.0, 0.0_f64..100.0),
        ) {
            let once = eroded_stability(stability, rate, 3.0, first + second);
            let twice = eroded_stability(eroded_stability(stability, rate, 3.0, first), rate, 3.0, second);
            prop_assert!((once - twice).abs() < 1e-9 * stability);
            prop_assert!(once <= stability && once >= MIN_STABILITY_DAYS);
        }
    }
}
