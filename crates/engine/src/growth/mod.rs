//! Growth: what an agent may become. Signals become inquiries, inquiries settle into growth vectors, vectors become proposals,
//! and an operator decides. Nothing here writes an identity file, a belief or the configuration.
//!
//! `coherence` measures how far each exchange departs from what the agent knows and is; `standing` notes where the user stands.
//!
//! `dynamics` observes in which state the agent was while something happened, beside the memory and without words.
//!
//! `evolution` finds what makes work with tools hard again and again.
//!
//! In reading order: `config` says which parts are on; `proposal` is a change of an identity file that waits, and what an operator
//! has to see to decide; `inquiry` opens what did not fit, `contemplation` makes the passes over it, `crystallization` takes what
//! came of it through the first two gates; `developing` tells how far each pattern is, `thoughts` and `night`
//! what a session is told, and `pattern` lists what repeats, for whoever wants to change a prompt.

pub(crate) mod coherence;
mod config;
pub(crate) mod contemplation;
pub(crate) mod crystallization;
mod developing;
pub(crate) mod dynamics;
pub(crate) mod evolution;
pub(crate) mod inquiry;
mod night;
mod pattern;
mod proposal;
pub(crate) mod standing;
mod thoughts;

pub use coherence::{CoherenceConfig, CoherenceState, EntropyWeights};
pub use config::{GrowthConfig, GrowthGate};
pub use developing::{GrowthPattern, PatternFate};
pub(crate) use dynamics::DynamicsLog;
pub use dynamics::{DynamicsConfig, DynamicsReport, ObservedTurn};
pub use evolution::{
    EvolutionConfig, EvolutionReport, ExchangeSpine, ProjectEvolution, RefinerWindow, ResearchShard,
    SeenFriction, SeenSignal, ShardClass, ShardExchange, ShardId, ShardStep, SpineCall, TrainingDecision,
    WorkedExchange,
};
pub(crate) use night::NightReport;
pub use pattern::{ObservedPattern, PatternSource};
pub use proposal::{ProposalDraft, ProposalEvidence, ProposalReview, ScaffoldChange, StoredProposal};
pub use standing::{DimensionStanding, StandingConfig, StandingReport};
pub use thoughts::InquiryPage;
pub(crate) use thoughts::Thoughts;
