//! BM25: how much a message says about a term. One scorer for every database and every index.

use serde::{Deserialize, Serialize};

/// The two constants of BM25.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bm25 {
    /// How quickly repeats stop counting.
    pub k1: f64,
    /// How much a long message is held against itself, from 0 to 1.
    pub b: f64,
}

impl Bm25 {
    /// The constants that most engines use.
    pub const USUAL: Self = Self { k1: 1.2, b: 0.75 };
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.4 }
    }
}

/// Rarity of a term that `holding` of `messages` messages hold.
///
/// idf = ln(1 + (N − n + 0.5) / (n + 0.5))
pub fn inverse_document_frequency(messages: u64, holding: u64) -> f64 {
    let (all, some) = (messages as f64, holding.min(messages) as f64);
    (1.0 + (all - some + 0.5) / (some + 0.5)).ln()
}

/// BM25 with the parts precomputed that are the same for every message.
#[derive(Debug, Clone, Copy)]
pub struct LengthScale {
    most: f32,
    base: f32,
    per_term: f32,
}

impl Bm25 {
    /// The scale for messages of this mean length.
    pub fn scale(&self, average_length: f64) -> LengthScale {
        LengthScale {
            most: self.ceiling() as f32,
            base: (self.k1 * (1.0 - self.b)) as f32,
            per_term: (self.k1 * self.b / average_length.max(1.0)) as f32,
        }
    }

    /// Upper bound of a term's weight, however often it occurs.
    ///
    /// ceiling = k1 + 1
    pub fn ceiling(&self) -> f64 {
        self.k1 + 1.0
    }
}

impl LengthScale {
    /// Weight of `frequency` occurrences in a message of `length` terms, before rarity.
    ///
    /// w = f·(k1 + 1) / (f + k1·(1 − b + b·length/average))
    pub fn weight(&self, frequency: u32, length: u32) -> f32 {
        let frequency = frequency as f32;
        frequency * self.most / (frequency + self.base + self.per_term * length as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
        let bm25 = Bm25 { k1: 1.2, b: 0.75 };
        let scale = bm25.scale(20.0);
        let weight = |frequency, length| f64::from(scale.weight(frequency, length));
        assert!(near(inverse_document_frequency(1_000, 10), (1.0_f64 + 990.5 / 10.5).ln()));
        assert!(
            inverse_document_frequency(1_000, 1_000) > 0.0,
            "a word in every message is worth little, never less than nothing"
        );
        assert!(near(weight(1, 20), 1.0), "one occurrence in an average message is worth one");
        assert!(near(weight(2, 20), 4.4 / 3.2));
        assert!(weight(1, 10) > weight(1, 40), "length counts against");
        assert!(weight(1_000_000, 20) <= bm25.ceiling());
        assert!(bm25.scale(0.0).weight(1, 0).is_finite());
    }
}
