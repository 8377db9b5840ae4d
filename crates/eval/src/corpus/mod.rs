//! The material that is measured on: generated from a seed, or read from a file.

pub(crate) mod corrected_life;
pub mod dataset;
pub mod labeled;
pub(crate) mod long_thread;
pub(crate) mod persona;
pub(crate) mod planted_friction;
pub(crate) mod speaker;
pub(crate) mod synthetic_embedder;
pub mod synthetic_life;
pub mod tool_work;
pub(crate) mod working_month;
