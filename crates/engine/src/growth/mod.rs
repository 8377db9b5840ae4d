//! Growth: what an agent may become. Signals become inquiries, inquiries settle into growth vectors, vectors become proposals,
//! and an operator decides. Nothing here writes an identity file, a belief or the configuration.
//!
//! In reading order: `proposal` is a change of an identity file that waits, and what an operator has to see to decide.

mod proposal;

pub use proposal::{ProposalDraft, ProposalEvidence, ProposalReview, StoredProposal};
