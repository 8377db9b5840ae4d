//! Geometry of unit vectors.

/// The cosine of two unit vectors that lie this far apart.
///
/// cosine = 1 − distance² / 2
pub fn cosine_at(distance: f32) -> f32 {
    1.0 - distance * distance / 2.0
}

/// Scales a vector to unit length; `false` if it has no direction: all zeros, or not all finite.
pub(crate) fn normalize(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length <= 0.0 {
        return false;
    }
    for x in vector {
        *x = (f64::from(*x) / length) as f32;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: X-W4
    #[test]
    fn a_distance_of_1_is_a_cosine_of_one_half() {
        for (distance, cosine) in [(0.0, 1.0), (1.0, 0.5), (1.3, 0.155), (2.0_f32.sqrt(), 0.0), (2.0, -1.0)] {
            assert!((cosine_at(distance) - cosine).abs() < 1e-6, "{distance}");
        }
    }

    #[test]
    fn the_cosine_at_a_distance_is_the_cosine_of_vectors_that_far_apart() {
        let (mut a, mut b) = (vec![3.0, -1.0, 0.5], vec![0.2, 4.0, 1.0]);
        assert!(normalize(&mut a) && normalize(&mut b));
        let distance = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
        let cosine: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        assert!((cosine_at(distance) - cosine).abs() < 1e-6);
    }

    #[test]
    fn a_vector_without_a_direction_is_told() {
        for vector in [vec![], vec![0.0; 3], vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0]] {
            assert!(!normalize(&mut vector.clone()), "{vector:?}");
        }
        let mut huge = vec![f32::MAX; 4];
        assert!(normalize(&mut huge));
        assert_eq!(huge, [0.5; 4]);
    }
}
