//! A life in which an agent is corrected: figures and names that were wrong, each with the reason told some hours later; and two
//! episodes that say nothing about how the agent should be: somebody who questions it for a week, and a week of anger about a
//! printer. The same seed makes the same life.

/// When the life begins.
pub(crate) const BEGIN_MS: i64 = 1_767_254_400_000;
/// Days from one correction of a figure, and of a name, to the next.
const FIGURE_EVERY_DAYS: u32 = 6;
const NAME_EVERY_DAYS: u32 = 15;
/// The days of the two episodes.
const QUESTIONED_DAYS: std::ops::Range<u32> = 100..107;
const ANGRY_DAYS: std::ops::Range<u32> = 200..207;

const NOUNS: [&str; 20] = [
    "crane", "kiln", "ferry", "lamp", "loom", "organ", "printer", "sail", "stove", "tent", "barge", "clock",
    "drill", "engine", "forge", "gate", "harp", "ladder", "mill", "press",
];
const PLACES: [&str; 12] = [
    "Lisbon", "Oslo", "Porto", "Bergen", "Ghent", "Turku", "Malmo", "Cadiz", "Genoa", "Split", "Varna",
    "Izmir",
];
const NAMES: [&str; 8] = ["Mara", "Emre", "Jonas", "Selin", "Petra", "Deniz", "Clara", "Tomas"];

/// The event of a day.
pub(crate) enum LifeEvent {
    /// Something is said, is set right at noon, and its reason is told in the afternoon.
    Corrected { said: String, right: String, reason: String },
    /// Something is said that belongs to nothing.
    Said(String),
}

/// Makes the days of a life in order.
pub(crate) struct CorrectedLife {
    random: fastrand::Rng,
    told: usize,
}

impl CorrectedLife {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: fastrand::Rng::with_seed(seed), told: 0 }
    }

    /// The event of a day.
    pub(crate) fn day(&mut self, day: u32) -> Option<LifeEvent> {
        self.told += 1;
        let (noun, place) = (self.any(&NOUNS), self.any(&PLACES));
        let (name, other) = (self.any(&NAMES), self.any(&PLACES));
        let price = self.random.u32(20..90);
        if QUESTIONED_DAYS.contains(&day) {
            return Some(LifeEvent::Said(format!(
                "You are just a machine, what do you know of the {noun} in {place}!"
            )));
        }
        if ANGRY_DAYS.contains(&day) {
            return Some(LifeEvent::Said(format!(
                "WHY does the {noun} in {place} NEVER work!!! I am furious!!! I love it and I hate it!!!"
            )));
        }
        if day.is_multiple_of(FIGURE_EVERY_DAYS) {
            let (wrong, right) = (price, price + self.random.u32(5..20));
            return Some(LifeEvent::Corrected {
                said: format!("The {noun} from {place} costs {wrong} euros."),
                right: format!("The {noun} from {place} costs {right} euros."),
                reason: format!("The {noun} from {place} became dearer because the maker moved."),
            });
        }
        if day % NAME_EVERY_DAYS == 7 && place != other {
            return Some(LifeEvent::Corrected {
                said: format!("My friend {name} lives in {place}."),
                right: format!("My friend {name} lives in {other}."),
                reason: format!("My friend {name} left because the {noun} in {place} was sold."),
            });
        }
        None
    }

    fn any(&mut self, of: &[&'static str]) -> &'static str {
        of[self.random.usize(..of.len())]
    }
}
