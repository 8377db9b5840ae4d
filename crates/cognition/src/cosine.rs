//! How alike two texts are by their vectors.

/// The cosine of two vectors of length 1; 0 if they have not as many numbers, since no one embedder made both.
///
/// cosine = Σ aᵢ·bᵢ
pub fn cosine(one: &[f32], other: &[f32]) -> f32 {
    if one.len() != other.len() {
        return 0.0;
    }
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_one_direction_are_alike_and_those_of_two_embedders_are_not_compared() {
        for (one, other, expected) in [
            (&[0.6, 0.8][..], &[0.6, 0.8][..], 1.0),
            (&[1.0, 0.0], &[0.0, 1.0], 0.0),
            (&[0.6, 0.8], &[-0.6, -0.8], -1.0),
            (&[1.0, 0.0], &[1.0], 0.0),
        ] {
            assert!((cosine(one, other) - expected).abs() < 1e-6, "{one:?} {other:?}");
        }
    }
}
