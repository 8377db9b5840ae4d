//! The spec of an embedder: everything that is known before it is loaded.

use super::vector::cosine_at;
use crate::install::files::MODEL_ID;

/// Which model an embedder runs, and the numbers that go with it.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedderSpec {
    /// Names the model and its quantization: vectors of different ids are never compared.
    pub id: String,
    /// Dimension of a vector.
    pub dimension: usize,
    /// Longer texts are cut here.
    pub max_tokens: usize,
    /// How its distances are read.
    pub calibration: Calibration,
}

/// How distances are read for one embedder; each model spreads its vectors differently.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Average cosine of two unrelated texts.
    pub unrelated: f32,
    /// Beyond this distance of unit vectors a neighbor does not count.
    pub distance: f32,
    /// The same while fewer than 2,000 exchanges are stored.
    pub sparse_distance: f32,
}

/// From this many stored exchanges on, memory is no longer sparse.
const SPARSE_BELOW_EXCHANGES: usize = 2_000;

impl Calibration {
    /// The distance beyond which a neighbor does not count when this many exchanges are stored.
    pub fn reach(&self, exchanges: usize) -> f32 {
        if exchanges < SPARSE_BELOW_EXCHANGES { self.sparse_distance } else { self.distance }
    }

    /// A cosine below this is no likeness at all.
    pub fn noise(&self) -> f32 {
        cosine_at(self.sparse_distance)
    }
}

/// The spec of the local model. Loads nothing.
pub fn local_spec() -> EmbedderSpec {
    EmbedderSpec {
        id: MODEL_ID.to_owned(),
        dimension: 384,
        max_tokens: 256,
        calibration: Calibration::default(),
    }
}

/// The numbers of the local model.
impl Default for Calibration {
    fn default() -> Self {
        Self { unrelated: 0.03, distance: 1.0, sparse_distance: 1.3 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-51, W-52
    #[test]
    fn neighbours_count_up_to_1_and_further_while_fewer_than_2000_exchanges_are_stored() {
        let calibration = Calibration::default();
        for (exchanges, reach) in [(0, 1.3), (1_999, 1.3), (2_000, 1.0), (1_000_000, 1.0)] {
            assert!((calibration.reach(exchanges) - reach).abs() < f32::EPSILON, "{exchanges}");
        }
    }

    /// covers: X-W4
    #[test]
    fn every_embedder_has_thresholds_of_its_own() {
        let other = Calibration { unrelated: 0.7, distance: 0.6, sparse_distance: 0.7 };
        assert!((other.reach(1) - 0.7).abs() < f32::EPSILON);
        assert!((other.reach(2_000) - 0.6).abs() < f32::EPSILON);
    }
}
