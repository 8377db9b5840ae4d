//! Cognitive dynamics: a diagnostic beside the memory. Of each turn some numbers are counted, projected into a state, and compared
//! with the state that was expected; how far it is off, its surprise, contributes to entropy. No word is in it, nothing of it is
//! searched or told as true, and with words that are erased everything that was learned is forgotten and learned again of the
//! rest.
//!
//! - `config`: the switches.
//! - `learning`: the learner and the turns that it learned from, read and written with the memory.
//! - `observe`: what a message adds to the numbers of its turn.
//! - `log_file`, `log`: one line a turn in a file; derived.
//! - `report`: the turns for people, and the file that they may give away.

mod config;
mod learning;
mod log;
mod log_file;
pub(crate) mod observe;
mod report;

pub use config::DynamicsConfig;
pub(crate) use log_file::DynamicsLog;
pub use report::{DynamicsReport, ObservedTurn};
