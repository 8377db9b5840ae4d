//! Activation: how present a memory is, by how often and how lately it was used. It ranks memories; how likely one is
//! still there at all is [`retention`](crate::retention).

/// Younger memories count as this old.
const MIN_AGE_SECONDS: f64 = 1.0;

/// How present a memory is that was used n times, the last time so many seconds ago; between 0 and 1.
///
/// B = ln(max(n, 1)) − 0.5·ln(age)
/// activation = 1 / (1 + e^(−B))
pub fn activation(accesses: u32, age_seconds: f64) -> f64 {
    let age =
        if age_seconds.is_nan() { MIN_AGE_SECONDS } else { age_seconds.clamp(MIN_AGE_SECONDS, f64::MAX) };
    let base = f64::from(accesses.max(1)).ln() - 0.5 * age.ln();
    1.0 / (1.0 + (-base).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// covers: C-45, X-C6
    #[test]
    fn use_raises_it_and_time_lowers_it() {
        for (accesses, age, expected) in [
            (0, 1.0, 0.5),
            (1, 1.0, 0.5),
            (1, 0.0, 0.5),
            (1, -7.0, 0.5),
            (3, 1.0, 0.75),
            (1, 9.0, 0.25),
            (3, 9.0, 0.5),
            (1, 86_400.0, 1.0 / (1.0 + 86_400.0_f64.sqrt())),
        ] {
            let found = activation(accesses, age);
            assert!((found - expected).abs() < 1e-12, "{accesses} {age}: {found}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_stays_between_0_and_1(accesses: u32, age in prop::num::f64::ANY) {
            prop_assert!((0.0..=1.0).contains(&activation(accesses, age)));
        }
    }
}
