//! Rehearsal, replay and what feelings do at night: what makes memories last that nobody has said again. Rehearsal is the
//! testing effect: what is about to be lost and is called to mind lasts longer. What is surprising and rewarding comes
//! first.

use crate::{
    promotion::strength_of,
    retention::{FADING_RETENTION, RetentionCurve},
    unit_interval::clamp_to_unit,
};
use cairn_domain::{Memory, Time};

/// Stability factor of a rehearsed memory.
pub const REHEARSAL_STABILITY_FACTOR: f64 = 1.5;
/// Maximum memories rehearsed per cycle.
pub const MAX_REHEARSED_PER_CYCLE: usize = 50;
/// Factor on the stability of memories used together, and of those related to one that was used.
pub const REPLAY_STABILITY_FACTOR: f64 = 1.02;
/// So much of its doubt a relation loses when both its ends were used together.
const REPLAY_CONFIDENCE_GAIN: f64 = 0.1;
/// Stability gain of a flashbulb, times its arousal.
const FLASHBULB_GAIN: f64 = 0.5;
/// Stability gain of any other memory with a feeling, times its arousal.
const FEELING_GAIN: f64 = 0.2;

/// Whether a memory is about to be lost at this moment: its retention is below 0.3.
pub fn is_fading(memory: &Memory, now: Time, curve: RetentionCurve) -> bool {
    strength_of(memory).retrieval(now, curve) < FADING_RETENTION
}

/// How early a memory is rehearsed and replayed: what was surprising when it came (1 − similarity to the nearest) and
/// what was of use comes first.
///
/// turn = 0.5·surprise + 0.5·utility·importance
pub fn rehearsal_priority(surprise: f64, utility: f64, importance: f64) -> f64 {
    0.5 * clamp_to_unit(surprise) + 0.5 * clamp_to_unit(utility) * clamp_to_unit(importance)
}

/// How sure a relation is after both its ends were used together.
///
/// c′ = c + 0.1·(1 − c)
pub fn replayed_confidence(confidence: f64) -> f64 {
    let confidence = clamp_to_unit(confidence);
    confidence + REPLAY_CONFIDENCE_GAIN * (1.0 - confidence)
}

/// How many times as stable a feeling makes a memory in the first night after it was made; 1 for one without.
///
/// S′ = S·(1 + 0.5·arousal) for a flashbulb, S·(1 + 0.2·arousal) for any other feeling
pub fn feeling_stability_factor(memory: &Memory) -> f64 {
    let arousal = clamp_to_unit(memory.arousal);
    if memory.flashbulb {
        1.0 + FLASHBULB_GAIN * arousal
    } else if memory.emotion.is_some() {
        1.0 + FEELING_GAIN * arousal
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promotion::tests::{day, memory};
    use cairn_domain::Ekman;

    /// covers: C-78, C-176
    #[test]
    fn what_is_about_to_be_lost_is_rehearsed() {
        for (stability, idle, fading) in
            [(1.0, 7.4, false), (1.0, 7.5, true), (10.0, 7.5, false), (0.5, 4.0, true)]
        {
            let memory = Memory { stability, ..memory() };
            assert_eq!(
                is_fading(&memory, day(idle), RetentionCurve::Seed),
                fading,
                "{stability} after {idle}"
            );
        }
        assert!((strength_of(&memory()).steadier(REHEARSAL_STABILITY_FACTOR).stability - 1.5).abs() < 1e-12);
    }

    /// covers: C-263
    #[test]
    fn surprise_and_reward_come_first() {
        assert!((rehearsal_priority(1.0, 1.0, 1.0) - 1.0).abs() < 1e-12);
        assert!((rehearsal_priority(0.4, 0.5, 0.8) - 0.4).abs() < 1e-12);
        assert!(
            rehearsal_priority(0.9, 0.5, 0.5) > rehearsal_priority(0.2, 0.5, 0.5)
                && rehearsal_priority(0.2, 0.9, 0.5) > rehearsal_priority(0.2, 0.5, 0.5)
        );
    }

    /// covers: C-209
    #[test]
    fn a_relation_grows_surer_and_never_certain() {
        assert!(
            (replayed_confidence(0.5) - 0.55).abs() < 1e-12 && (replayed_confidence(1.0) - 1.0).abs() < 1e-12
        );
        let mut sure = 0.4;
        for _ in 0..50 {
            assert!(replayed_confidence(sure) > sure);
            sure = replayed_confidence(sure);
        }
        assert!(sure < 1.0);
    }

    /// covers: C-208
    #[test]
    fn feelings_make_memories_last() {
        let calm = memory();
        let glad = Memory { arousal: 0.5, emotion: Some(Ekman::Joy), ..memory() };
        let shaken = Memory { arousal: 0.8, flashbulb: true, ..memory() };
        for (memory, times) in [(calm, 1.0), (glad, 1.1), (shaken, 1.4)] {
            assert!((feeling_stability_factor(&memory) - times).abs() < 1e-12, "{times}");
        }
    }
}
