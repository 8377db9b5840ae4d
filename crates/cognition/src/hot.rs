//! The hot tier: the few memories that are given with every question, whatever it is about.

use cairn_domain::{MILLIS_PER_DAY, Memory, Status, Tier, Time};

/// Maximum hot memories.
pub const MAX_HOT_MEMORIES: usize = 15;
/// Seconds before the hot memories are computed again.
pub const HOT_CACHE_SECONDS: u64 = 300;
/// Minimum utility of a hot memory.
pub const MIN_HOT_UTILITY: f64 = 0.8;
/// Minimum accesses of a hot memory.
pub const MIN_HOT_ACCESSES: u32 = 10;
/// Hot memories are younger than this.
pub const MAX_HOT_AGE_DAYS: f64 = 30.0;

/// The facts that make a memory hot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HotCandidate {
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

impl HotCandidate {
    /// The facts of a memory at this moment.
    pub fn of(memory: &Memory, now: Time) -> Self {
        Self {
            active: memory.holds(now) && memory.status != Status::Deprecated && memory.tier != Tier::Dormant,
            tier: memory.tier,
            utility: memory.utility,
            accesses: memory.accesses,
            age_days: (now.millis() - memory.recorded_at.millis()) as f64 / MILLIS_PER_DAY as f64,
            pinned: memory.pinned,
        }
    }

    /// Whether a memory is hot: knowledge that is useful, much used, young and active; or pinned and active.
    pub fn is_hot(&self) -> bool {
        let used = self.utility >= MIN_HOT_UTILITY
            && self.accesses >= MIN_HOT_ACCESSES
            && self.age_days < MAX_HOT_AGE_DAYS;
        self.active && (self.pinned || self.tier == Tier::Semantic && used)
    }
}

/// The hot ones of some memories, by their places: the most useful first, of equals the one that stands first.
pub fn hot_memories(memories: &[HotCandidate]) -> Vec<usize> {
    let mut hot: Vec<usize> = (0..memories.len()).filter(|it| memories[*it].is_hot()).collect();
    hot.sort_by(|a, b| memories[*b].utility.total_cmp(&memories[*a].utility));
    hot.truncate(MAX_HOT_MEMORIES);
    hot
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOT: HotCandidate = HotCandidate {
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
            (HotCandidate { utility: 0.79, ..HOT }, false),
            (HotCandidate { accesses: 9, ..HOT }, false),
            (HotCandidate { age_days: 30.0, ..HOT }, false),
            (HotCandidate { tier: Tier::Episodic, ..HOT }, false),
            (HotCandidate { active: false, ..HOT }, false),
            (
                HotCandidate {
                    pinned: true,
                    tier: Tier::Episodic,
                    utility: 0.5,
                    accesses: 0,
                    age_days: 400.0,
                    ..HOT
                },
                true,
            ),
            (HotCandidate { pinned: true, active: false, ..HOT }, false),
        ] {
            assert_eq!(memory.is_hot(), expected, "{memory:?}");
        }
    }

    /// covers: C-237
    #[test]
    fn at_most_fifteen_are_hot_the_most_useful_first() {
        let memories: Vec<HotCandidate> =
            (0..40).map(|it| HotCandidate { utility: 0.8 + f64::from(it % 20) / 100.0, ..HOT }).collect();
        let hot = hot_memories(&memories);
        assert_eq!(hot.len(), MAX_HOT_MEMORIES);
        assert_eq!(hot[..4], [19, 39, 18, 38]);
    }
}
