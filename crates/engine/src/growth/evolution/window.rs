//! Windows: stretches of the work of one exchange, as the refiner looks at them.

use cairn_cognition::{
    friction::{ProcessScore, Relabel, WorkSignal, failure_signature, process_score},
    skill::{ToolMessage, ToolOutcome, ToolStep},
};

/// Steps of one window.
const MAX_WINDOW_STEPS: usize = 50;

/// A stretch of the work of one exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct RefinerWindow {
    /// Steps in it.
    pub steps: usize,
    /// How well it went, from 0 to 1; none if nothing was carried out.
    pub score: Option<f64>,
    /// How far the turn is from what was expected, if it is over and was observed. A diagnostic; the score does not use it.
    pub surprise: Option<f64>,
    /// The signatures of its failures, each once.
    pub signatures: Vec<String>,
    /// The label that it should have instead, if the user says otherwise.
    pub relabel: Option<Relabel>,
}

/// The windows of the steps of one exchange; what the user said afterwards counts for the last one.
pub(super) fn windows(
    messages: &[ToolMessage<'_>],
    steps: &[&ToolStep],
    signal: Option<WorkSignal>,
) -> Vec<RefinerWindow> {
    let count = steps.len().div_ceil(MAX_WINDOW_STEPS);
    let window = |(place, steps): (usize, &[&ToolStep])| {
        let scored = process_score(steps, signal.filter(|_| place + 1 == count));
        let failed = steps.iter().filter(|step| step.outcome == ToolOutcome::Failed);
        let mut signatures: Vec<String> =
            failed.filter_map(|step| failure_signature(messages[step.result].text)).collect();
        signatures.sort();
        signatures.dedup();
        RefinerWindow {
            steps: steps.len(),
            score: scored.map(|(ProcessScore(score), _)| score),
            surprise: None,
            signatures,
            relabel: scored.and_then(|(_, relabel)| relabel),
        }
    };
    steps.chunks(MAX_WINDOW_STEPS).enumerate().map(window).collect()
}
