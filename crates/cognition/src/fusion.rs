//! Fusion: one ranking out of several.

/// Reciprocal-rank constant of the seeds.
pub const RRF_K: f64 = 60.0;

/// What standing at `rank` (1-based) in a ranking is worth.
///
/// rrf = 1 / (k + rank)
pub fn reciprocal_rank(k: f64, rank: usize) -> f64 {
    1.0 / (k + rank as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

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
