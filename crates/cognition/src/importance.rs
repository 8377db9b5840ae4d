//! Importance: how much something matters, told by four channels and by how deeply it was encoded.

use crate::{unit_interval::clamp_to_unit, utility::INITIAL_UTILITY};

/// Nearest memories whose utility makes the reward channel.
pub const REWARD_NEIGHBORS: usize = 5;
/// Memories at least this arousing are flashbulbs: pinned, important and lasting.
pub const FLASHBULB_AROUSAL: f64 = 0.8;
/// Minimum importance of a flashbulb memory.
pub const FLASHBULB_IMPORTANCE: f64 = 0.9;
/// Stability factor of a flashbulb memory.
pub const FLASHBULB_STABILITY_FACTOR: f64 = 1.5;

/// The four channels of a statement's importance, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImportanceChannels {
    /// How unlike everything known it is.
    pub novelty: f64,
    /// How urgent or moving it is: errors, security, deadlines, feelings.
    pub arousal: f64,
    /// How useful things like it have been.
    pub reward: f64,
    /// How close it is to what is going on.
    pub attention: f64,
}

impl ImportanceChannels {
    /// The weighted sum of the channels.
    ///
    /// composite = 0.25·novelty + 0.30·arousal + 0.25·reward + 0.20·attention
    pub fn composite(&self) -> f64 {
        0.25 * clamp_to_unit(self.novelty)
            + 0.30 * clamp_to_unit(self.arousal)
            + 0.25 * clamp_to_unit(self.reward)
            + 0.20 * clamp_to_unit(self.attention)
    }

    /// How deeply it was encoded: moved by what it says, or told by a person to keep it (`explicit`, from 0 to 1).
    ///
    /// signal = max(arousal, explicit)
    pub fn signal(&self, explicit: f64) -> f64 {
        clamp_to_unit(self.arousal).max(clamp_to_unit(explicit))
    }
}

/// The channel novelty, by the cosine to the nearest memory. Beside nothing everything is new.
///
/// novelty = 1 − cosine
pub fn novelty_channel(nearest: Option<f64>) -> f64 {
    nearest.map_or(1.0, |cosine| clamp_to_unit(1.0 - cosine))
}

/// The channel reward: the mean utility of the five nearest memories, nearest first; 0.5 if there are none.
pub fn reward_channel(utilities: &[f64]) -> f64 {
    let nearest = &utilities[..utilities.len().min(REWARD_NEIGHBORS)];
    if nearest.is_empty() {
        return INITIAL_UTILITY;
    }
    nearest.iter().copied().map(clamp_to_unit).sum::<f64>() / nearest.len() as f64
}

/// The factor for deep encoding, from 0.7 to 1.3.
///
/// boost = 0.7 + 0.6·signal
pub fn encoding_boost(signal: f64) -> f64 {
    0.7 + 0.6 * clamp_to_unit(signal)
}

/// How much something matters, from 0 to 1. A signal below the arousal of the channels counts as that arousal.
///
/// importance = min(1, composite · boost)
pub fn importance(channels: &ImportanceChannels, signal: f64) -> f64 {
    clamp_to_unit(channels.composite() * encoding_boost(channels.signal(signal)))
}

/// Whether something is moving enough to be kept like a photograph.
pub fn is_flashbulb(arousal: f64) -> bool {
    arousal >= FLASHBULB_AROUSAL
}

/// How much a flashbulb memory matters.
///
/// importance′ = max(importance, 0.9)
pub fn flashbulb_importance(importance: f64) -> f64 {
    clamp_to_unit(importance).max(FLASHBULB_IMPORTANCE)
}

/// Importance as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// Below 0.4.
    Low,
    /// From 0.4.
    Normal,
    /// From 0.6.
    High,
    /// From 0.8.
    Critical,
}

impl Priority {
    /// Importance from which something has high priority.
    pub const HIGH: f64 = 0.6;
    const CRITICAL: f64 = 0.8;
    const NORMAL: f64 = 0.4;

    /// The word for this importance.
    pub fn of(importance: f64) -> Self {
        if importance >= Self::CRITICAL {
            Self::Critical
        } else if importance >= Self::HIGH {
            Self::High
        } else if importance >= Self::NORMAL {
            Self::Normal
        } else {
            Self::Low
        }
    }

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    fn channels([novelty, arousal, reward, attention]: [f64; 4]) -> ImportanceChannels {
        ImportanceChannels { novelty, arousal, reward, attention }
    }

    /// covers: C-11, C-12, C-13, C-14, C-15
    #[test]
    fn each_channel_has_its_weight() {
        for (values, expected) in [
            ([1.0, 0.0, 0.0, 0.0], 0.25),
            ([0.0, 1.0, 0.0, 0.0], 0.30),
            ([0.0, 0.0, 1.0, 0.0], 0.25),
            ([0.0, 0.0, 0.0, 1.0], 0.20),
            ([1.0, 1.0, 1.0, 1.0], 1.0),
            ([0.4, 0.2, 0.5, 0.1], 0.305),
            ([9.0, -9.0, f64::NAN, f64::INFINITY], 0.45),
        ] {
            assert!(near(channels(values).composite(), expected), "{values:?}");
        }
    }

    /// covers: C-16, X-C2
    #[test]
    fn what_was_encoded_deeply_matters_more() {
        for (signal, expected) in [(0.0, 0.7), (0.5, 1.0), (1.0, 1.3), (7.0, 1.3), (-1.0, 0.7)] {
            assert!(near(encoding_boost(signal), expected), "{signal}");
        }
        for (values, signal, expected) in [
            ([0.4, 0.0, 0.5, 0.1], 0.0, 0.245 * 0.7),
            ([0.4, 0.0, 0.5, 0.1], 1.0, 0.245 * 1.3),
            ([0.4, 0.5, 0.5, 0.1], 0.0, 0.395),
            ([1.0, 1.0, 1.0, 1.0], 0.0, 1.0),
        ] {
            assert!(near(importance(&channels(values), signal), expected), "{values:?} {signal}");
        }
    }

    /// covers: X-C2
    #[test]
    fn novelty_and_reward_are_read_off_the_nearest_memories() {
        assert!(
            near(novelty_channel(None), 1.0)
                && near(novelty_channel(Some(0.3)), 0.7)
                && near(novelty_channel(Some(-0.4)), 1.0)
        );
        assert!(near(reward_channel(&[]), 0.5));
        assert!(near(reward_channel(&[1.0, 0.5]), 0.75));
        assert!(
            near(reward_channel(&[0.2, 0.2, 0.2, 0.2, 0.2, 1.0, 1.0]), 0.2),
            "only the five nearest count"
        );
    }

    /// covers: C-17
    #[test]
    fn priority_begins_at_its_edge() {
        for (importance, expected) in [
            (1.0, Priority::Critical),
            (0.8, Priority::Critical),
            (0.799, Priority::High),
            (0.6, Priority::High),
            (0.599, Priority::Normal),
            (0.4, Priority::Normal),
            (0.399, Priority::Low),
            (0.0, Priority::Low),
            (f64::NAN, Priority::Low),
        ] {
            assert_eq!(Priority::of(importance), expected, "{importance}");
        }
        assert!(Priority::Critical > Priority::High && Priority::Normal > Priority::Low);
        assert_eq!(Priority::of(0.8).as_str(), "critical");
    }

    /// covers: C-203
    #[test]
    fn a_flashbulb_memory_matters_and_lasts() {
        for (arousal, expected) in [(0.799, false), (0.8, true), (1.0, true), (f64::NAN, false)] {
            assert_eq!(is_flashbulb(arousal), expected, "{arousal}");
        }
        assert!(near(flashbulb_importance(0.3), 0.9) && near(flashbulb_importance(0.95), 0.95));
    }

    /// covers: C-204
    #[test]
    fn a_flashbulb_memory_is_half_as_stable_again() {
        let new = crate::strength::Strength::new(cairn_domain::Time::from_millis(0), 0.5);
        assert!(near(new.steadier(FLASHBULB_STABILITY_FACTOR).stability, 1.5));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn importance_stays_between_0_and_1_and_grows_with_every_channel(
            values in prop::array::uniform4(-0.5_f64..1.5),
            signal in -0.5_f64..1.5,
            more in 0.0_f64..1.0,
            channel in 0_usize..4,
        ) {
            let plain = importance(&channels(values), signal);
            let mut raised = values;
            raised[channel] += more;
            prop_assert!((0.0..=1.0).contains(&plain));
            prop_assert!(importance(&channels(raised), signal) >= plain);
            prop_assert!(importance(&channels(values), signal + more) >= plain);
        }
    }
}
