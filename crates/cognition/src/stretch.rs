//! Stretches: conversations that are old and that hardly anybody opens. They are condensed; not a word of them goes.

/// Days since the last word after which a stretch is old.
const MIN_AGE_DAYS: f64 = 90.0;
/// Days without a use after which a stretch is idle.
const MIN_IDLE_DAYS: f64 = 60.0;

/// Whether a stretch is old and hardly opened: how long ago its last word was said, how long ago one of its memories was
/// used, how often they were used in all, and how many there are.
///
/// closed ⇔ age ≥ 90 ∧ idle ≥ 60 ∧ uses ≤ memories
pub fn is_closed(age_days: f64, idle_days: f64, uses: u64, memories: u64) -> bool {
    age_days >= MIN_AGE_DAYS && idle_days >= MIN_IDLE_DAYS && uses <= memories
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-262
    #[test]
    fn a_stretch_is_closed_when_it_is_old_and_hardly_opened() {
        for (age, idle, uses, memories, closed) in [
            (90.0, 60.0, 3, 3, true),
            (89.9, 60.0, 0, 3, false),
            (400.0, 59.0, 0, 3, false),
            (400.0, 60.0, 4, 3, false),
            (400.0, 400.0, 0, 0, true),
        ] {
            assert_eq!(is_closed(age, idle, uses, memories), closed, "{age} {idle} {uses} {memories}");
        }
    }
}
