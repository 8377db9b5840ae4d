//! Measurements of what is found and kept.

pub mod capture;
pub mod compaction;
pub mod coverage;
pub mod dynamics_learning;
pub mod entropy_validity;
pub mod figures;
pub mod forming_quality;
pub mod growth_answers;
pub mod growth_cost;
pub mod growth_year;
pub mod handoffs;
pub mod intentions;
pub mod life;
pub mod planted_friction;
pub mod plot;
pub mod poisoning;
pub mod retrieval;
pub mod runs;
pub mod secret_masking;
pub mod skills;
pub mod standing_independence;
pub mod updates;
