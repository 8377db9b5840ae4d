//! Decides on one statement: `neighborhood` reads the memories around it, `change` finds those it replaces or may have
//! changed, `gate` decides between creating, updating, reinforcing, superseding and skipping, and `correction_target`
//! lets a correction overrule it. Nothing here writes.

pub(super) mod candidate;
pub(super) mod change;
pub(super) mod correction_target;
pub(super) mod gate;
pub(super) mod neighborhood;
