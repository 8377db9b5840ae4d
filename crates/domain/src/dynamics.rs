//! Dynamics: what is measured of a turn beside its words, as numbers. Diagnostic: no memory, no evidence, and no word is in it.

use crate::{EntropySource, word::words};

words!(
    /// A number that is measured of a turn.
    TurnFeature, "a feature of a turn" {
        /// The strongest sign of a correction; likewise the following ten, each a source of entropy.
        Correction = "correction",
        /// See [`EntropySource::Contradiction`].
        Contradiction = "contradiction",
        /// See [`EntropySource::IdentityChallenge`].
        IdentityChallenge = "identity_challenge",
        /// See [`EntropySource::NovelConcept`].
        NovelConcept = "novel_concept",
        /// See [`EntropySource::StrongEmotion`].
        StrongEmotion = "strong_emotion",
        /// See [`EntropySource::Paradox`].
        Paradox = "paradox",
        /// See [`EntropySource::TemporalMismatch`].
        TemporalMismatch = "temporal_mismatch",
        /// See [`EntropySource::Loop`].
        Loop = "loop",
        /// See [`EntropySource::Confabulation`].
        Confabulation = "confabulation",
        /// See [`EntropySource::PrincipleTension`].
        PrincipleTension = "principle_tension",
        /// See [`EntropySource::QualityDecay`].
        QualityDecay = "quality_decay",
        /// The sum of them.
        Entropy = "entropy",
        /// Words of the user.
        UserWords = "user_words",
        /// Words of the agent.
        AgentWords = "agent_words",
        /// Question marks of the user.
        Questions = "questions",
        /// Messages of tools.
        ToolMessages = "tool_messages",
        /// Results of tools that are errors.
        ToolErrors = "tool_errors",
        /// Seconds since the turn before in the session; not of the first one.
        GapSeconds = "gap_seconds",
        /// Seconds from the first message to the first answer; not before there is one.
        AnswerSeconds = "answer_seconds",
        /// The hour of the day on a circle, east.
        HourSine = "hour_sine",
        /// The hour of the day on a circle, north.
        HourCosine = "hour_cosine",
        /// Turns of the session before it.
        TurnsBefore = "turns_before",
        /// Whether it belongs to a thread.
        InThread = "in_thread",
        /// Whether it is work on code.
        InCode = "in_code",
        /// Standing in courage (grounding) on the last weighed day; likewise the following three.
        CourageGrounding = "courage_grounding",
        /// Standing in courage (self).
        CourageSelf = "courage_self",
        /// Standing in word.
        Word = "word",
        /// Standing in brand.
        Brand = "brand",
        /// By how much standing changed on the last weighed days, over all dimensions.
        StandingChange = "standing_change",
    }
);

/// How many numbers are measured of a turn.
pub const TURN_FEATURES: usize = TurnFeature::ALL.len();

/// The numbers measured of a turn, as they were counted; what is not known is `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnFeatures([f32; TURN_FEATURES]);

impl Default for TurnFeatures {
    fn default() -> Self {
        Self([f32::NAN; TURN_FEATURES])
    }
}

impl TurnFeatures {
    /// One of them, if it is known.
    pub fn get(&self, feature: TurnFeature) -> Option<f32> {
        Some(self.0[feature as usize]).filter(|value| !value.is_nan())
    }

    /// Sets one of them.
    pub fn set(&mut self, feature: TurnFeature, value: f64) {
        self.0[feature as usize] = value as f32;
    }

    /// Adds to one that is counted.
    pub fn count(&mut self, feature: TurnFeature, more: usize) {
        let counted = self.get(feature).unwrap_or_default();
        self.set(feature, f64::from(counted) + more as f64);
    }

    /// The features that are not known.
    pub fn missing(&self) -> Vec<TurnFeature> {
        TurnFeature::ALL.into_iter().filter(|feature| self.get(*feature).is_none()).collect()
    }

    /// The numbers as they are stored; NaN stands for what is not known.
    pub fn numbers(&self) -> &[f32] {
        &self.0
    }

    /// Reads stored numbers; `None` if there are more or fewer than there should be.
    pub fn from_numbers(numbers: &[f32]) -> Option<Self> {
        numbers.try_into().ok().map(Self)
    }
}

impl TurnFeature {
    /// The feature that a source of entropy is; surprise is none, since it comes of the features.
    pub fn of_source(source: EntropySource) -> Option<Self> {
        match source {
            EntropySource::Correction => Some(Self::Correction),
            EntropySource::Contradiction => Some(Self::Contradiction),
            EntropySource::IdentityChallenge => Some(Self::IdentityChallenge),
            EntropySource::NovelConcept => Some(Self::NovelConcept),
            EntropySource::StrongEmotion => Some(Self::StrongEmotion),
            EntropySource::Paradox => Some(Self::Paradox),
            EntropySource::TemporalMismatch => Some(Self::TemporalMismatch),
            EntropySource::Loop => Some(Self::Loop),
            EntropySource::Confabulation => Some(Self::Confabulation),
            EntropySource::PrincipleTension => Some(Self::PrincipleTension),
            EntropySource::QualityDecay => Some(Self::QualityDecay),
            EntropySource::Surprise => None,
        }
    }

    /// Whether it is a count or a duration, which are felt by how many times more they are.
    pub fn is_counted(self) -> bool {
        matches!(
            self,
            Self::UserWords
                | Self::AgentWords
                | Self::Questions
                | Self::ToolMessages
                | Self::ToolErrors
                | Self::GapSeconds
                | Self::AnswerSeconds
                | Self::TurnsBefore
        )
    }
}
