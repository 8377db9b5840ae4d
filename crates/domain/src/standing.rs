//! Standing: where somebody stands in four dimensions, as a score that never moves without a row that says why.

use crate::{Day, MessageId, Time, word::words};

/// The score that everybody begins with, and its bounds.
pub const FIRST_STANDING: f64 = 5.0;
/// The lowest score.
pub const MIN_STANDING: f64 = 1.0;
/// The highest score.
pub const MAX_STANDING: f64 = 10.0;

words!(
    /// A dimension of standing.
    StandingDimension, "a dimension of standing" {
        /// Facing what is so.
        CourageGrounding = "courage_grounding",
        /// Facing oneself.
        CourageSelf = "courage_self",
        /// Keeping one's word.
        Word = "word",
        /// The name one has among others.
        Brand = "brand",
    }
);

words!(
    /// The direction in which a pattern moves a score.
    StandingDirection, "a direction of standing" {
        /// Up, strongly.
        StrongRise = "++",
        /// Up.
        Rise = "+",
        /// Noted, and moves nothing.
        Neutral = "0",
        /// Down.
        Fall = "-",
        /// Down, strongly.
        StrongFall = "--",
    }
);

impl StandingDirection {
    /// The change of a score by one sure sign.
    pub fn step(self) -> f64 {
        match self {
            Self::StrongRise => 0.2,
            Self::Rise => 0.1,
            Self::Neutral => 0.0,
            Self::Fall => -0.15,
            Self::StrongFall => -0.25,
        }
    }
}

words!(
    /// Where a score is going.
    StandingTrajectory, "a trajectory of standing" {
        /// It rises.
        Rising = "rising",
        /// It stays.
        Steady = "steady",
        /// It falls.
        Falling = "falling",
    }
);

/// A pattern that was found in what somebody said.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingEvidence {
    /// The message.
    pub message: MessageId,
    /// Whom it is about.
    pub subject: String,
    /// The pattern.
    pub pattern: String,
    /// Its dimension.
    pub dimension: StandingDimension,
    /// Its direction.
    pub direction: StandingDirection,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// The words.
    pub saw: String,
    /// When they were said.
    pub at: Time,
}

impl StandingEvidence {
    /// The change of the score:
    ///
    /// delta = step·confidence
    pub fn delta(&self) -> f64 {
        self.direction.step() * self.confidence
    }
}

/// The score of a dimension after a day was weighed as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingScore {
    /// Whom it is about.
    pub subject: String,
    /// The dimension.
    pub dimension: StandingDimension,
    /// The day.
    pub day: Day,
    /// The score.
    pub score: f64,
    /// By how much it moved.
    pub change: f64,
    /// Where it is going.
    pub trajectory: StandingTrajectory,
    /// Why: the patterns, with what each added.
    pub reason: String,
}
