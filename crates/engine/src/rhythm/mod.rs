//! Rhythms: what happens while nobody is talking. A rhythm is a schedule and a list of steps; a run carries the steps out,
//! batch by batch, each in one transaction with how far the run came, so that a run that is cut short at any moment goes on
//! where it was. Every step decides on the moment at which its run began, so that it makes no difference how often that
//! happens.
//!
//! In reading order:
//! - `config` and `schedule`: when rhythms run; `kind`: the kinds there are; `catalog`: every rhythm with its steps.
//! - `step_context`: what a step is given and returns; `watermark`: how far each step has come.
//! - `dream`: the steps of the night; `layer`: consolidation of layers; `digest`: condensed views; `disk_space`:
//!   compaction. `derived_memory` is a memory made of others, `single_value` what must not become part of one.
//! - `dispatch`: which function decides each step; `run`: leases, batches, progress.
//! - `dry_run`: a rhythm carried out in a copy; `status`: how rhythms stand, and what they did to one memory.
//!
//! It must never make a conversation wait, remove words, or change a memory that is pinned, immutable or a flashbulb.

mod catalog;
mod config;
mod derived_memory;
mod digest;
mod disk_space;
mod dispatch;
mod dream;
mod dry_run;
mod kind;
mod layer;
mod run;
mod schedule;
mod single_value;
mod status;
mod step_context;
pub(crate) mod watermark;

pub(crate) use catalog::told_changes;
pub use config::{LayerConfig, Layers, RhythmConfig, Schedules};
pub use disk_space::Reclaimed;
pub use run::{RhythmOutcome, RhythmProgress, RhythmReport};
pub use status::{PastRun, RhythmHistory, RhythmStanding};
pub(crate) use step_context::{StepContext, StepDecision};
