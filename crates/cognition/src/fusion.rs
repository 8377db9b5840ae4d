//! Fusion: one ranking out of several.

/// Reciprocal-rank constant of the seeds.
pub const RRF_K: f64 = 60.0;

/// The score of standing at `rank` (1-based) in a ranking.
///
/// rrf = 1 / (k + rank)
pub fn reciprocal_rank(k: f64, rank: usize) -> f64 {
    1.0 / (k + rank as f64)
}

/// A score relative to the best of its lane. The floor keeps a poor lane from looking good.
///
/// share = score / max(best, floor)
pub fn share_of_best(score: f64, best: f64, floor: f64) -> f64 {
    score / best.max(floor).max(f64::MIN_POSITIVE)
}

/// How alike two texts are, above what unrelated texts are for the same embedder.
///
/// alike = max(0, (cosine − u) / (1 − u))
pub fn similarity_above_unrelated(cosine: f64, unrelated: f64) -> f64 {
    ((cosine - unrelated) / (1.0 - unrelated)).max(0.0)
}

/// How much a message of `length` terms takes part in its neighbourhood: a short turn needs the turns around it, a long
/// one says what it means and matches anything.
///
/// part = L / (L + length)
pub fn neighborhood_share(length: f64, half_at: f64) -> f64 {
    half_at / (half_at + length).max(f64::MIN_POSITIVE)
}

/// The factor for being recent. τ is not the half-life: that is τ·ln 2.
///
/// recency = 1 + w·e^(−age/τ)
pub fn recency_factor(weight: f64, tau_days: f64, age_days: f64) -> f64 {
    1.0 + weight * (-age_days.max(0.0) / tau_days).exp()
}

/// Values beside each other: the greatest is worth one and the least nothing. Where all are equal, each is the greatest.
///
/// beside = (value − least) / (greatest − least)
pub fn min_max_normalized(values: &[f64]) -> Vec<f64> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let range = greatest - least;
    let beside = |value: &f64| if range > 0.0 { ((value - least) / range).clamp(0.0, 1.0) } else { 1.0 };
    values.iter().map(beside).collect()
}

/// The score of a memory reached over relations of these confidences, one per hop: as sure as all of them together, and
/// less with every hop.
///
/// path = Π confidence / (k + hops)
pub fn path_score(k: f64, confidences: &[f64]) -> f64 {
    confidences.iter().product::<f64>() * reciprocal_rank(k, confidences.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: X-C5, X-C6
    #[test]
    fn values_are_weighed_beside_each_other() {
        assert_eq!(min_max_normalized(&[1.0 / 61.0, 1.0 / 62.0, 1.0 / 61.0]), [1.0, 0.0, 1.0]);
        assert_eq!(min_max_normalized(&[2.0, 4.0, 3.0]), [0.0, 1.0, 0.5]);
        assert_eq!(min_max_normalized(&[0.3]), [1.0]);
        assert_eq!(min_max_normalized(&[]), [0.0; 0]);
    }

    /// covers: W-48
    #[test]
    fn a_longer_way_is_worth_less() {
        assert!((path_score(60.0, &[1.0]) - 1.0 / 61.0).abs() < 1e-15);
        assert!((path_score(60.0, &[0.5, 1.0]) - 0.5 / 62.0).abs() < 1e-15);
        assert!(path_score(60.0, &[0.9, 0.9]) < path_score(60.0, &[0.9]));
    }

    #[test]
    fn anchors() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(share_of_best(2.0, 4.0, 1.0), 0.5));
        assert!(near(share_of_best(0.2, 0.2, 0.5), 0.4), "the best of a poor lane is not worth one");
        assert!(near(share_of_best(0.0, 0.0, 0.0), 0.0));
        assert!(near(similarity_above_unrelated(0.515, 0.03), 0.5));
        assert!(near(similarity_above_unrelated(-0.2, 0.03), 0.0));
        assert!(near(similarity_above_unrelated(0.87, 0.74), 0.5), "each embedder has its own zero");
        assert!(near(neighborhood_share(0.0, 200.0), 1.0));
        assert!(near(neighborhood_share(200.0, 200.0), 0.5));
    }

    /// covers: W-47, X-B5
    #[test]
    fn recency_decays_by_the_seeds_formula() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(recency_factor(0.15, 14.0, 0.0), 1.15));
        assert!(near(recency_factor(0.15, 14.0, 14.0), 1.0 + 0.15 / std::f64::consts::E));
        let half_life = 14.0 * std::f64::consts::LN_2;
        assert!(near(recency_factor(0.15, 14.0, half_life), 1.075), "9.7 days, not 14");
        assert!(near(recency_factor(0.15, 14.0, -3.0), 1.15), "the future is no newer than now");
    }

    /// covers: X-B6
    #[test]
    fn both_spellings_agree_and_the_first_rank_is_worth_a_sixty_first() {
        assert!((reciprocal_rank(RRF_K, 1) - 1.0 / 61.0).abs() < 1e-15);
        for rank_from_zero in 0..1_000_usize {
            let zero_based = 1.0 / (RRF_K + rank_from_zero as f64 + 1.0);
            assert!((reciprocal_rank(RRF_K, rank_from_zero + 1) - zero_based).abs() < 1e-15);
        }
    }
}
