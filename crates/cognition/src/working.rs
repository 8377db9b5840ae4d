//! Working memory: the few things that a running session has in mind. Nine at most; when a tenth comes, the one that
//! counts least goes. It belongs to its session and ends with it: nothing here is stored, and it cannot be copied.

use cairn_domain::{MILLIS_PER_MINUTE, Time};
use std::cmp::Ordering;

/// Maximum things in mind.
pub const MAX_WORKING_ITEMS: usize = 9;
/// How fast something slips the mind, in minutes. The half-life is 30·ln 2, that is 20.8 minutes.
pub const TAU_MINUTES: f64 = 30.0;
/// Accesses that make something worth keeping beyond the session.
pub const PROMOTED_ACCESSES: u32 = 2;
/// Importance that makes something worth keeping beyond the session.
pub const PROMOTED_IMPORTANCE: f64 = 0.6;

/// Something that a session has in mind.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkingItem {
    /// The ref of the memory, or whatever else names it in this session.
    pub id: String,
    /// Its text.
    pub text: String,
    /// How much it matters.
    pub importance: f64,
    /// How often it was used in this session.
    pub accesses: u32,
    /// When it came to mind.
    pub added_at: Time,
    /// When it was used last.
    pub last_accessed: Time,
}

impl WorkingItem {
    /// How much it counts at this moment, with age in minutes since it was used last.
    ///
    /// score = importance · e^(−age/30) · (1 + 0.1·accesses)
    pub fn score(&self, now: Time) -> f64 {
        let age = (now.millis() - self.last_accessed.millis()) as f64 / MILLIS_PER_MINUTE as f64;
        self.importance * (-age.max(0.0) / TAU_MINUTES).exp() * (1.0 + 0.1 * f64::from(self.accesses))
    }

    /// Whether it is worth keeping beyond the session: used twice, or it matters.
    pub fn is_promotion_candidate(&self) -> bool {
        self.accesses >= PROMOTED_ACCESSES || self.importance >= PROMOTED_IMPORTANCE
    }

    /// Which of two counts less: by score, then the one used longer ago, then the one that came earlier, then by id.
    fn weaker(&self, other: &Self, now: Time) -> Ordering {
        self.score(now)
            .total_cmp(&other.score(now))
            .then_with(|| self.last_accessed.cmp(&other.last_accessed))
            .then_with(|| self.added_at.cmp(&other.added_at))
            .then_with(|| self.id.cmp(&other.id))
    }
}

/// The items that a running session has in mind.
#[derive(Debug, Default)]
pub struct WorkingMemory {
    entries: Vec<WorkingItem>,
}

impl WorkingMemory {
    /// Takes something in and returns what had to go for it: whatever counts least, which may be the newcomer itself. What
    /// is there already, by its id, is brought up to date in its place, and nothing goes.
    ///
    /// Scores are compared at the latest moment that is known here. Time takes the same share of all of them, so another
    /// moment would not choose another.
    pub fn put(&mut self, entry: WorkingItem) -> Option<WorkingItem> {
        if let Some(known) = self.entries.iter_mut().find(|known| known.id == entry.id) {
            known.text = entry.text;
            known.importance = entry.importance;
            known.accesses = known.accesses.max(entry.accesses);
            known.added_at = known.added_at.min(entry.added_at);
            known.last_accessed = known.last_accessed.max(entry.last_accessed);
            return None;
        }
        self.entries.push(entry);
        if self.entries.len() <= MAX_WORKING_ITEMS {
            return None;
        }
        let now = self.entries.iter().map(|entry| entry.last_accessed).max()?;
        let places = 0..self.entries.len();
        let weakest = places.min_by(|a, b| self.entries[*a].weaker(&self.entries[*b], now))?;
        Some(self.entries.remove(weakest))
    }

    /// The items, in the order in which they came.
    pub fn entries(&self) -> &[WorkingItem] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn minute(minute: f64) -> Time {
        Time::from_millis((minute * MILLIS_PER_MINUTE as f64) as i64)
    }

    fn entry(id: &str, importance: f64, accesses: u32, at: f64) -> WorkingItem {
        WorkingItem {
            id: id.to_owned(),
            text: format!("what {id} says"),
            importance,
            accesses,
            added_at: minute(at),
            last_accessed: minute(at),
        }
    }

    /// covers: C-222, C-223, X-B5
    #[test]
    fn a_score_falls_with_age_and_grows_with_use() {
        for (importance, accesses, age, expected) in [
            (0.5, 0, 0.0, 0.5),
            (0.5, 3, 0.0, 0.65),
            (1.0, 0, 30.0, 1.0 / std::f64::consts::E),
            (0.8, 10, TAU_MINUTES * std::f64::consts::LN_2, 0.8),
            (0.5, 0, -7.0, 0.5),
        ] {
            let found = entry("a", importance, accesses, 1_000.0).score(minute(1_000.0 + age));
            assert!((found - expected).abs() < 1e-6, "{importance} {accesses} after {age}: {found}");
        }
    }

    /// covers: C-218, C-222
    #[test]
    fn the_tenth_thing_pushes_out_what_counts_least() {
        let mut mind = WorkingMemory::default();
        for (place, importance) in [0.9, 0.8, 0.7, 0.3, 0.6, 0.5, 0.9, 0.8, 0.7].into_iter().enumerate() {
            assert_eq!(mind.put(entry(&format!("m{place}"), importance, 0, 0.0)), None);
        }
        let gone = mind.put(entry("new", 0.4, 0, 0.0)).expect("one goes");
        assert_eq!((gone.id.as_str(), mind.entries().len()), ("m3", 9));
        let gone = mind.put(entry("dull", 0.1, 0, 0.0)).expect("one goes");
        assert_eq!(gone.id, "dull", "a newcomer that counts least does not stay");
        let gone = mind.put(entry("later", 0.4, 0, 60.0)).expect("one goes");
        assert_eq!(gone.id, "new", "an hour is worth more than a little importance");
    }

    #[test]
    fn ties_are_broken_the_same_way_every_time() {
        let mut mind = WorkingMemory::default();
        for place in (0..10).rev() {
            let gone = mind.put(entry(&format!("m{place}"), 0.0, 0, 5.0 + f64::from(place / 2)));
            assert_eq!(
                gone.map(|gone| gone.id),
                (place == 0).then(|| "m0".to_owned()),
                "the oldest, then by id"
            );
        }
    }

    /// covers: C-224, C-227
    #[test]
    fn what_is_known_is_brought_up_to_date_in_its_place() {
        let mut mind = WorkingMemory::default();
        for place in 0..9 {
            mind.put(entry(&format!("m{place}"), 0.5, 4, 10.0));
        }
        let again = WorkingItem { text: "something newer".to_owned(), ..entry("m4", 0.9, 1, 20.0) };
        assert_eq!(mind.put(again), None);
        let expected = WorkingItem {
            id: "m4".to_owned(),
            text: "something newer".to_owned(),
            importance: 0.9,
            accesses: 4,
            added_at: minute(10.0),
            last_accessed: minute(20.0),
        };
        assert_eq!(mind.entries()[4], expected);
        assert_eq!(mind.entries().len(), 9);
    }

    /// covers: C-225
    #[test]
    fn what_was_used_twice_or_matters_is_worth_keeping() {
        for (importance, accesses, expected) in
            [(0.59, 1, false), (0.6, 0, true), (0.1, 2, true), (0.1, 1, false)]
        {
            let item = entry("a", importance, accesses, 0.0);
            assert_eq!(item.is_promotion_candidate(), expected, "{item:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: C-218, C-222, C-224
        #[test]
        fn never_more_than_nine_and_the_weakest_goes(
            puts in prop::collection::vec((0_u8..30, 0.0_f64..=1.0, 0_u32..20, 0.0_f64..300.0), 1..60),
            later in 0.0_f64..200.0,
        ) {
            let mut mind = WorkingMemory::default();
            for (id, importance, accesses, at) in puts {
                let new = entry(&format!("m{id}"), importance, accesses, at);
                let known = mind.entries().iter().any(|entry| entry.id == new.id);
                let before = mind.entries().len();
                let gone = mind.put(new);
                prop_assert!(mind.entries().len() <= MAX_WORKING_ITEMS);
                prop_assert_eq!(gone.is_some(), !known && before == MAX_WORKING_ITEMS);
                let latest = mind.entries().iter().chain(&gone).map(|entry| entry.last_accessed).max();
                let now = Time::from_millis(latest.expect("one").millis() + (later * MILLIS_PER_MINUTE as f64) as i64);
                if let Some(gone) = &gone {
                    let least = gone.score(now);
                    prop_assert!(mind.entries().iter().all(|entry| entry.score(now) >= least * (1.0 - 1e-9)));
                }
            }
        }
    }
}
