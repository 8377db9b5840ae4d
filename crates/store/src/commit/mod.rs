//! Commits the engine's decisions: `formation` writes what messages become, `believing` what is held true, `deciding` what the governor decided, `tending` what
//! rhythms change. Each checks that the state it was decided on still stands.

mod believing;
mod deciding;
mod formation;
mod tending;

pub use believing::{Becomes, BeliefChange, Believing};
pub use deciding::LeaseStop;
pub use formation::{
    Bound, Committed, End, Formation, Link, NewMemory, Reopened, Revised, Strengthened, Superseded,
};
pub use tending::{Batch, Begun, Effect, Occasion, RunLease, Tended, Turn, What};
