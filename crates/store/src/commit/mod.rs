//! Commits the engine's decisions: `formation` writes what messages become, `believing` what is held true, `deciding` what the governor decided, `rhythm` what
//! rhythms change (`memory_change` of memories; `memory_end` says of which). Each checks that the state it was decided on still stands.

mod believing;
mod deciding;
mod formation;
mod memory_change;
mod memory_end;
mod rhythm;

pub use believing::{BeliefChange, BeliefChanges, BeliefTransition};
pub use deciding::LeaseStop;
pub use formation::{
    Committed, Formation, Link, MemoryAttachments, NewMemory, Reopened, Revised, Strengthened, Superseded,
};
pub use memory_change::{MemoryChange, MemoryEffect};
pub use memory_end::MemoryEnd;
pub use rhythm::{BatchOutcome, BeginOutcome, RhythmBatch, RunLease, RunOccasion, RunProgress};
