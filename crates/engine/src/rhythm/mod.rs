//! Rhythms: what happens while nobody is talking. A rhythm is a schedule and a list of steps; a run carries the steps out,
//! batch by batch, each in one transaction with how far the run came, so that a run that is cut short at any moment goes on
//! where it was. Every step decides on the moment at which its run began, so that it makes no difference how often that
//! happens.
//!
//! In reading order: `config` and `schedule` say when, `step` what there is to do, `run` does it; `dream` is the whole
//! night, one file a step; `layer` consolidates layers, `digest` condenses, `space` gives room back; `made` is what they make
//! memories of; `dry` carries a rhythm out in a
//! copy; `standing` tells how rhythms stand and what they did to one memory.
//!
//! What it must never do: let a conversation wait, take a word away, or change what is pinned, immutable or a flashbulb.

mod config;
mod digest;
mod dream;
mod dry;
mod layer;
mod made;
mod run;
mod schedule;
mod space;
mod standing;
mod step;

pub use config::{LayerConfig, Layers, RhythmConfig, Schedules};
pub use run::{Progress, RhythmOutcome, RhythmReport};
pub use space::Reclaimed;
pub use standing::{Explained, RhythmStanding};
pub(crate) use step::{Context, Decided};
