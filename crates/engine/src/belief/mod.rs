//! Beliefs: what memories together say is so. New memories are gathered by what they speak of, each group is weighed, and
//! what is held is created, reinforced, superseded or invalidated, each with its reason in the ledger. Rules alone decide;
//! no model makes a key, a stance or a number.
//!
//! In reading order: `gather` finds what belongs to a key, `weigh` tells what speaks for what, `decide` says what is held,
//! `consolidation` and `revalidation` are the rhythms, `at_once` is what a correction or a praise does without waiting for
//! one, `shown` is what people and programs see, `review` what an operator sees before deciding, `trusted` the one gate to a
//! prompt.
//!
//! What it must never do: change a lane, rewrite what was held, or take evidence away.

mod at_once;
mod config;
pub(crate) mod consolidation;
mod decide;
mod gather;
pub(crate) mod revalidation;
mod review;
mod shown;
mod trusted;
mod weigh;

pub(crate) use at_once::{behind, praise};
pub use config::BeliefConfig;
pub use review::{Recommendation, Resolved, Review, Shape};
pub use shown::{BeliefEvidence, WhyBelief};
pub use trusted::Trusted;
pub(crate) use trusted::through;
pub(crate) use weigh::scored;
