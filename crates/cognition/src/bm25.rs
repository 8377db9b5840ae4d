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

impl Default for Bm25 {
    fn default() -> Self {
        Self { k1: 1.2, b: 0.75 }
    }
}

/// Rarity of a term that `holding` of `messages` messages hold.
///
/// idf = ln(1 + (N − n + 0.5) / (n + 0.5))
pub fn idf(messages: u64, holding: u64) -> f64 {
    let (all, some) = (messages as f64, holding.min(messages) as f64);
    (1.0 + (all - some + 0.5) / (some + 0.5)).ln()
}

impl Bm25 {
    /// What `frequency` occurrences in a message of `length` terms are worth, before rarity.
    ///
    /// w = f·(k1 + 1) / (f + k1·(1 − b + b·length/average))
    pub fn weight(&self, frequency: f64, length: f64, average_length: f64) -> f64 {
        let norm = self.k1 * (1.0 - self.b + self.b * length / average_length.max(1.0));
        frequency * (self.k1 + 1.0) / (frequency + norm)
    }

    /// The most that any number of occurrences can be worth.
    ///
    /// w_max = k1 + 1
    pub fn ceiling(&self) -> f64 {
        self.k1 + 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let bm25 = Bm25 { k1: 1.2, b: 0.75 };
        assert!(near(idf(1_000, 10), (1.0_f64 + 990.5 / 10.5).ln()));
        assert!(idf(1_000, 1_000) > 0.0, "a word in every message is worth little, never less than nothing");
        assert!(near(bm25.weight(1.0, 20.0, 20.0), 1.0), "one occurrence in an average message is worth one");
        assert!(near(bm25.weight(2.0, 20.0, 20.0), 4.4 / 3.2));
        assert!(bm25.weight(1.0, 10.0, 20.0) > bm25.weight(1.0, 40.0, 20.0), "length counts against");
        assert!(bm25.weight(1e9, 20.0, 20.0) < bm25.ceiling());
        assert!(bm25.weight(1.0, 0.0, 0.0).is_finite());
    }
}
