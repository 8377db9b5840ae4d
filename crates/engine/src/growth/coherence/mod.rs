//! Coherence: how far each exchange departs from what the agent knows and is, measured while its messages are formed, without
//! any model.
//!
//! - `config`: weights and thresholds, and the switch that turns it off.
//! - `support`: whether any record supports what the agent claims to remember.
//! - `measure`: the entropy of an exchange with one more message.
//! - `state`: how a session stands, and which have been in a bad state for too long.

mod config;
pub(crate) mod measure;
mod state;
mod support;

pub use config::{CoherenceConfig, EntropyWeights};
pub use state::CoherenceState;
