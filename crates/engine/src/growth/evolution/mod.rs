//! Code evolution: how an agent works with tools, what makes that hard again and again, and what is proposed against it. Everything
//! but a proposal is derived whenever somebody asks, so what is erased is in nothing; nothing here writes a file.
//!
//! - `config`: the switch that turns it off.
//! - `material`: the messages of tools and users, by project.
//! - `window`: a stretch of the work of one exchange, with its score.
//! - `spine`: everything that belongs to one exchange, joined by its id.
//! - `report`: the friction of each project, and what became of what was proposed.
//! - `hints`: the friction that a session is told of.
//! - `scaffold`: the rhythm that proposes.
//! - `redaction`, `shard`: the windows of a session as research may see them, once an operator approves.

mod config;
mod hints;
mod material;
mod redaction;
mod report;
pub(crate) mod scaffold;
mod shard;
mod spine;
mod window;

pub use config::EvolutionConfig;
pub use report::{EvolutionReport, ProjectEvolution, SeenFriction};
pub use shard::{ResearchShard, ShardClass, ShardExchange, ShardId, ShardStep, TrainingDecision};
pub use spine::{ExchangeSpine, SeenSignal, SpineCall, WorkedExchange};
pub use window::RefinerWindow;
