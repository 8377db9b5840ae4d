//! Process: how well one stretch of work went, whatever came of it, and whether what it looks like is what the user says.

use super::signal::WorkSignal;
use crate::skill::{ToolOutcome, ToolStep};

/// Share of the score that each part makes up.
const STEPS_SHARE: f64 = 0.5;
const END_SHARE: f64 = 0.3;
const SIGNAL_SHARE: f64 = 0.2;

/// How well a stretch of work went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessScore(pub f64);

/// A label that should be another, because the user says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relabel {
    /// It looks as if it had worked, and the user says that it did not.
    WorkedToFailed,
    /// It looks as if it had failed, and the user is satisfied.
    FailedToWorked,
}

impl Relabel {
    /// The words for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WorkedToFailed => "worked_to_failed",
            Self::FailedToWorked => "failed_to_worked",
        }
    }
}

/// How well the steps of one stretch went, and how it should be labeled if the user says otherwise; none without a step that was
/// carried out.
/// P = 0.5 · worked / carried out + 0.3 · [the last one worked] + 0.2 · signal
/// The signal is 1 if the user is satisfied, 0 if it is unsolved, and 0.5 otherwise.
pub fn process_score(
    steps: &[&ToolStep],
    signal: Option<WorkSignal>,
) -> Option<(ProcessScore, Option<Relabel>)> {
    let done = steps.iter().filter(|step| matches!(step.outcome, ToolOutcome::Worked | ToolOutcome::Failed));
    let done: Vec<bool> = done.map(|step| step.outcome == ToolOutcome::Worked).collect();
    let last_worked = *done.last()?;
    let worked = done.iter().filter(|worked| **worked).count() as f64 / done.len() as f64;
    let end = f64::from(u8::from(last_worked));
    let said = match signal {
        Some(WorkSignal::Satisfied) => 1.0,
        Some(WorkSignal::Corrected) | None => 0.5,
        Some(WorkSignal::Unsolved) => 0.0,
    };
    let relabel = match (last_worked, signal) {
        (true, Some(WorkSignal::Unsolved)) => Some(Relabel::WorkedToFailed),
        (false, Some(WorkSignal::Satisfied)) => Some(Relabel::FailedToWorked),
        _ => None,
    };
    Some((ProcessScore(STEPS_SHARE * worked + END_SHARE * end + SIGNAL_SHARE * said), relabel))
}
