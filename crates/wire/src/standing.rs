//! Standing, for programs.

use cairn_domain::{
    Day, MessageId, StandingDimension, StandingDirection, StandingEvidence, StandingTrajectory, Time,
};
use cairn_engine::{DimensionStanding, StandingReport};
use schemars::JsonSchema;
use serde::Serialize;

/// Where the user stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Standing {
    /// Each dimension.
    pub dimensions: Vec<StandingLine>,
    /// The patterns that were found last, the last one first.
    pub trail: Vec<StandingStep>,
}

/// One dimension.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StandingLine {
    /// The dimension.
    pub dimension: StandingDimension,
    /// The score now, from 1 to 10.
    pub score: f64,
    /// Where it was going when it was last weighed.
    pub trajectory: StandingTrajectory,
    /// Weighed days, the newest first.
    pub days: Vec<StandingDay>,
}

/// A day that was weighed as a whole.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StandingDay {
    /// The day: 2026-11-20.
    pub day: String,
    /// The score after it.
    pub score: f64,
    /// By how much it moved.
    pub change: f64,
    /// The patterns, with what each added.
    pub reason: String,
}

/// A pattern that was found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StandingStep {
    /// The pattern.
    pub pattern: String,
    /// Its dimension.
    pub dimension: StandingDimension,
    /// Its direction.
    pub direction: StandingDirection,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// The change of the score.
    pub delta: f64,
    /// The words.
    pub saw: String,
    /// The message they stand in.
    pub message: MessageId,
    /// When they were said.
    pub at: Time,
}

impl From<&StandingReport> for Standing {
    fn from(report: &StandingReport) -> Self {
        let line = |it: &DimensionStanding| StandingLine {
            dimension: it.dimension,
            score: it.score,
            trajectory: it.trajectory,
            days: it
                .days
                .iter()
                .map(|day| StandingDay {
                    day: Day::to_string(&day.day),
                    score: day.score,
                    change: day.change,
                    reason: day.reason.clone(),
                })
                .collect(),
        };
        let step = |sign: &StandingEvidence| StandingStep {
            pattern: sign.pattern.clone(),
            dimension: sign.dimension,
            direction: sign.direction,
            confidence: sign.confidence,
            delta: sign.delta(),
            saw: sign.saw.clone(),
            message: sign.message,
            at: sign.at,
        };
        Self {
            dimensions: report.dimensions.iter().map(line).collect(),
            trail: report.trail.iter().map(step).collect(),
        }
    }
}
