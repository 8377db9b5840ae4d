//! The input and the output of a step of a rhythm.

use crate::{
    belief::BeliefConfig,
    growth::{CoherenceConfig, GrowthConfig, StandingConfig},
    rhythm::config::{LayerConfig, RhythmConfig},
};
use cairn_domain::Time;
use cairn_store::RhythmBatch;

/// The input of a step.
pub(crate) struct StepContext<'a> {
    /// The moment of the run.
    pub(crate) now: Time,
    /// How far the step came.
    pub(crate) place: i64,
    pub(crate) config: &'a RhythmConfig,
    pub(crate) beliefs: &'a BeliefConfig,
    pub(crate) coherence: &'a CoherenceConfig,
    pub(crate) growth: &'a GrowthConfig,
    pub(crate) standing: StandingConfig,
    /// The layer that the rhythm belongs to, if it does to one.
    pub(crate) layer: Option<(&'a str, &'a LayerConfig)>,
}

impl StepContext<'_> {
    /// The number that a step goes on from.
    pub(crate) fn number(&self) -> u32 {
        self.place as u32
    }
}

/// The changes of one batch of a step, and the place where the next one starts; `None` when the step is done.
pub(crate) struct StepDecision {
    pub(crate) batch: RhythmBatch,
    pub(crate) next: Option<i64>,
}

impl StepDecision {
    /// The step is done with this batch.
    pub(crate) fn last(batch: RhythmBatch) -> Self {
        Self { batch, next: None }
    }

    /// The step has nothing to do, and why.
    pub(crate) fn nothing(note: impl Into<String>) -> Self {
        Self::last(RhythmBatch { note: note.into(), ..RhythmBatch::default() })
    }

    /// The step goes on after the memory `last`; without one it is done.
    pub(crate) fn continue_after(batch: RhythmBatch, last: Option<u32>) -> Self {
        Self { batch, next: last.map(|last| i64::from(last) + 1) }
    }
}
