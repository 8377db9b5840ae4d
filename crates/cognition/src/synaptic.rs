//! Synaptic tags: what an important moment does for the small ones around it. A memory that matters little is tagged for
//! a few hours; if something important is stored in the same session meanwhile, what is tagged lasts longer. The tag is
//! kept with its memory, which names its session.

use cairn_domain::{MILLIS_PER_HOUR, Time};

/// Memories below this importance are tagged.
pub const WEAK_IMPORTANCE: f64 = 0.5;
/// Memories at least this important capture the tags of their session.
pub const STRONG_IMPORTANCE: f64 = 0.7;
/// Lifetime of a tag: four hours.
pub const TAG_LIFETIME_MS: i64 = 4 * MILLIS_PER_HOUR;
/// Stability factor of a captured memory.
pub const CAPTURED_STABILITY_FACTOR: f64 = 1.3;

/// A weak memory's wait for something important.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SynapticTag {
    /// When the memory was stored.
    pub tagged_at: Time,
    /// How long it waits, in milliseconds.
    pub ttl_ms: i64,
    /// Whether something important came in time.
    pub captured: bool,
}

impl SynapticTag {
    /// The tag of a memory stored at this moment, if it matters little.
    pub fn of(importance: f64, now: Time) -> Option<Self> {
        (importance < WEAK_IMPORTANCE).then_some(Self {
            tagged_at: now,
            ttl_ms: TAG_LIFETIME_MS,
            captured: false,
        })
    }

    /// Whether it still waits at this moment; the last millisecond of its time counts.
    pub fn waits(&self, now: Time) -> bool {
        let age_ms = now.millis() - self.tagged_at.millis();
        !self.captured && (0..=self.ttl_ms).contains(&age_ms)
    }

    /// The tag as captured, if a memory of this importance, stored at this moment in the same session, captures it. The
    /// tagged memory then becomes [`CAPTURED_STABILITY_FACTOR`] times as stable; that happens once.
    pub fn captured_by(self, importance: f64, now: Time) -> Option<Self> {
        (importance >= STRONG_IMPORTANCE && self.waits(now)).then_some(Self { captured: true, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Time {
        Time::from_millis(1_000_000 + ms)
    }

    /// covers: C-192
    #[test]
    fn what_matters_little_waits_for_four_hours() {
        for (importance, tagged) in
            [(0.0, true), (0.499, true), (0.5, false), (0.9, false), (f64::NAN, false)]
        {
            assert_eq!(SynapticTag::of(importance, at(0)).is_some(), tagged, "{importance}");
        }
        let tag = SynapticTag::of(0.2, at(0)).expect("a tag");
        for (ms, waits) in [(-1, false), (0, true), (14_400_000, true), (14_400_001, false)] {
            assert_eq!(tag.waits(at(ms)), waits, "after {ms} ms");
        }
    }

    /// covers: C-193
    #[test]
    fn something_important_in_time_captures_it_once() {
        let tag = SynapticTag::of(0.2, at(0)).expect("a tag");
        for (importance, ms, captured) in [
            (0.7, 0, true),
            (0.699, 0, false),
            (1.0, 14_400_000, true),
            (1.0, 14_400_001, false),
            (1.0, -1, false),
            (f64::NAN, 5, false),
        ] {
            assert_eq!(tag.captured_by(importance, at(ms)).is_some(), captured, "{importance} after {ms} ms");
        }
        let captured = tag.captured_by(0.7, at(60_000)).expect("captured");
        assert!(captured.captured && captured.tagged_at == at(0));
        assert_eq!(captured.captured_by(1.0, at(60_001)), None, "a second one does nothing more");
        let strength = crate::strength::Strength::new(at(0), 0.5).steadier(CAPTURED_STABILITY_FACTOR);
        assert!((strength.stability - 1.3).abs() < 1e-12);
    }
}
