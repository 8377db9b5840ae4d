//! Coherence: how far an exchange departs from what an agent knows and is, as a sum of named contributions.

use crate::{ExchangeId, MessageId, Time, word::words};
use serde::{Deserialize, Serialize};

/// The highest entropy of an exchange.
pub const MAX_ENTROPY: f64 = 2.0;

words!(
    /// A source of entropy.
    EntropySource, "a source of entropy" {
        /// Somebody says that something was wrong.
        Correction = "correction",
        /// A statement cannot stand beside what is remembered or held true.
        Contradiction = "contradiction",
        /// Somebody questions who the agent is.
        IdentityChallenge = "identity_challenge",
        /// Something that nothing known is like.
        NovelConcept = "novel_concept",
        /// Strong feeling.
        StrongEmotion = "strong_emotion",
        /// Something that contradicts itself.
        Paradox = "paradox",
        /// A time that cannot be right.
        TemporalMismatch = "temporal_mismatch",
        /// The same move again.
        Loop = "loop",
        /// The agent claims a memory that no record supports.
        Confabulation = "confabulation",
        /// Something that goes against a principle of SOUL.md.
        PrincipleTension = "principle_tension",
        /// The agent's answers get worse.
        QualityDecay = "quality_decay",
        /// A turn that the learned predictor did not expect.
        Surprise = "surprise",
    }
);

/// One contribution to the entropy of an exchange.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntropyPart {
    /// Its source.
    pub source: EntropySource,
    /// How strongly it was found, from 0 to 1.
    pub strength: f64,
    /// The words or the record that it was found in.
    pub saw: String,
    /// The message that was looked at.
    pub message: MessageId,
}

/// The entropy of one exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct ExchangeEntropy {
    /// The exchange.
    pub exchange: ExchangeId,
    /// Its session.
    pub session: String,
    /// When its newest measured message was said.
    pub at: Time,
    /// The sum of its weighted contributions.
    pub entropy: f64,
    /// The contributions, in the order they were found.
    pub parts: Vec<EntropyPart>,
}

words!(
    /// The state of a session's coherence.
    CoherenceLevel, "a level of coherence" {
        /// Nothing to tell.
        Calm = "calm",
        /// Anchors are shown.
        Elevated = "elevated",
        /// A warning.
        Warning = "warning",
        /// It has lasted too long: the operator is told.
        Critical = "critical",
    }
);
