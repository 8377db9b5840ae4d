//! Beliefs: what memories together say is so. New memories are gathered by what they speak of, each group is weighed, and
//! what is held is created, reinforced, superseded or invalidated, each with its reason in the ledger. Rules alone decide;
//! no model makes a key, a stance or a number.
//!
//! In reading order: `config` holds weights and cadences, `gather` finds what belongs to a key, `weigh` tells what speaks for what, `decide` says what is held,
//! `consolidation` and `revalidation` are the rhythms, `immediate` is what a correction or a praise does without waiting
//! for one, `explanation` is what people and programs see, `review` what an operator sees before deciding, `trusted` the one gate to a
//! prompt.
//!
//! It must never change a lane, rewrite a past belief, or remove evidence.

mod config;
pub(crate) mod consolidation;
mod decide;
mod explanation;
mod gather;
mod immediate;
pub(crate) mod revalidation;
mod review;
mod trusted;
mod weigh;

pub use config::BeliefConfig;
pub use explanation::{BeliefEvidence, WhyBelief};
pub(crate) use immediate::{feedback_memory, memories_supporting};
pub use review::{EvidenceShape, Recommendation, Resolved, Review, ReviewScope};
pub(crate) use trusted::pass_gate;
pub use trusted::{SupposedDecision, Trusted};
pub(crate) use weigh::rescored_belief;
