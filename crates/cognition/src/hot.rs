//! The hot tier: the few memories that are given with every question, whatever it is about.

use cairn_domain::Tier;

/// At most so many.
pub const MOST: usize = 15;
/// Which they are is worked out again after so many seconds.
pub const KEPT_SECONDS: u64 = 300;
/// How useful one is, at least.
pub const UTILITY: f64 = 0.8;
/// How often it was used, at least.
pub const ACCESSES: u32 = 10;
/// It was written down less than so many days ago.
pub const DAYS: f64 = 30.0;

/// What decides whether a memory is hot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warmth {
    /// Whether it holds now and is active.
    pub active: bool,
    /// How it is kept.
    pub tier: Tier,
    /// How useful it has been, 0 to 1.
    pub utility: f64,
    /// How often it was used.
    pub accesses: u32,
    /// How long ago it was written down.
    pub age_days: f64,
    /// Whether it is pinned, and pinned memories count as hot.
    pub pinned: bool,
}

impl Warmth {
    /// Whether a memory is hot: knowledge that is useful, much used, young and active; or pinned and active.
    pub fn is_hot(&self) -> bool {
        let used = self.utility >= UTILITY && self.accesses >= ACCESSES && self.age_days < DAYS;
        self.active && (self.pinned || self.tier == Tier::Semantic && used)
    }
}

/// The hot ones of some memories, by their places: the most useful first, of equals the one that stands first.
pub fn hot(memories: &[Warmth]) -> Vec<usize> {
    let mut hot: Vec<usize> = (0..memories.len()).filter(|it| memories[*it].is_hot()).collect();
    hot.sort_by(|a, b| memories[*b].utility.total_cmp(&memories[*a].utility));
    hot.truncate(MOST);
    hot
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOT: Warmth = Warmth {
        active: true,
        tier: Tier::Semantic,
        utility: 0.8,
        accesses: 10,
        age_days: 29.9,
        pinned: false,
    };

    /// covers: C-236, X-C18
    #[test]
    fn hot_is_useful_knowledge_that_is_used_and_young_or_pinned() {
        for (memory, expected) in [
            (HOT, true),
            (Warmth { utility: 0.79, ..HOT }, false),
            (Warmth { accesses: 9, ..HOT }, false),
            (Warmth { age_days: 30.0, ..HOT }, false),
            (Warmth { tier: Tier::Episodic, ..HOT }, false),
            (Warmth { active: false, ..HOT }, false),
            (
                Warmth {
                    pinned: true,
                    tier: Tier::Episodic,
                    utility: 0.5,
                    accesses: 0,
                    age_days: 400.0,
                    ..HOT
                },
                true,
            ),
            (Warmth { pinned: true, active: false, ..HOT }, false),
        ] {
            assert_eq!(memory.is_hot(), expected, "{memory:?}");
        }
    }

    /// covers: C-237
    #[test]
    fn at_most_fifteen_are_hot_the_most_useful_first() {
        let memories: Vec<Warmth> =
            (0..40).map(|it| Warmth { utility: 0.8 + f64::from(it % 20) / 100.0, ..HOT }).collect();
        let hot = hot(&memories);
        assert_eq!(hot.len(), MOST);
        assert_eq!(hot[..4], [19, 39, 18, 38]);
    }
}
