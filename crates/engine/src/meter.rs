//! Figures of what takes how long, for whoever collects them: a server does, a command does not and pays nothing for it.
//! No word and no name stands in a figure.

use metrics::{counter, histogram};
use std::time::{Duration, Instant};

/// Runs one stage after another and records how long each took.
pub(crate) struct Stages {
    figure: &'static str,
    begun: Instant,
    stage: Instant,
}

impl Stages {
    /// The stages of answering a question: embed, memories, search, beside, finish.
    pub(crate) fn of_recall() -> Self {
        Self::new("cairn_recall_seconds")
    }

    /// The stages of a write: acknowledge; prepare, embed, decide, commit.
    pub(crate) fn of_write() -> Self {
        Self::new("cairn_write_seconds")
    }

    fn new(figure: &'static str) -> Self {
        let now = Instant::now();
        Self { figure, begun: now, stage: now }
    }

    /// A stage is over, and the next one begins.
    pub(crate) fn done(&mut self, stage: &'static str) {
        let now = Instant::now();
        record(self.figure, stage, now - self.stage);
        self.stage = now;
    }

    /// How long it all has taken so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Everything is over, under this name.
    pub(crate) fn all(&self, name: &'static str) -> Duration {
        let took = self.begun.elapsed();
        record(self.figure, name, took);
        took
    }
}

fn record(figure: &'static str, stage: &'static str, took: Duration) {
    histogram!(figure, "stage" => stage).record(took);
}

/// A section of a context was built.
pub(crate) fn section(name: &'static str, took: Duration) {
    histogram!("cairn_section_seconds", "section" => name).record(took);
}

/// The entropy of an exchange was measured: how long that took, and its share of the highest.
pub(crate) fn coherence(took: Duration, share: f64) {
    histogram!("cairn_coherence_seconds").record(took);
    histogram!("cairn_coherence_share").record(share);
}

/// All that growth looked at in a message while it was formed.
pub(crate) fn growth(took: Duration) {
    record("cairn_growth_seconds", "message", took);
}

/// Patterns of standing were looked for in a message.
pub(crate) fn standing(took: Duration) {
    histogram!("cairn_standing_seconds").record(took);
}

/// The numbers of a turn were counted, or its line was written.
pub(crate) fn dynamics(stage: &'static str, took: Duration) {
    histogram!("cairn_dynamics_seconds", "stage" => stage).record(took);
}

/// Something was done without what it is done with best.
pub fn fallback(what: &'static str) {
    counter!("cairn_fallbacks_total", "what" => what).increment(1);
}
