//! Standing: where the user stands in four dimensions. Patterns are noted while messages are formed, days are weighed at night,
//! and a score never moves without a row that says why.
//!
//! - `config`: the switch that turns it off.
//! - `notice`: the patterns in a message.
//! - `weigh`: the rhythm that weighs finished days.
//! - `judged`: a language model, where there is one, on a day as a whole; within what the rules allow.
//! - `state`: how each dimension stands now, with its trail.

mod config;
pub(crate) mod judged;
pub(crate) mod notice;
mod state;
pub(crate) mod weigh;

pub use config::StandingConfig;
pub use state::{DimensionStanding, StandingReport};
