//! What becomes of one statement: `neighborhood` reads what is known around it, `change` finds what it replaces and what may
//! have changed by it, `gate` decides between creating, updating, reinforcing, superseding and skipping,
//! `correction_target` lets a correction overrule it. Nothing here writes.

pub(super) mod candidate;
pub(super) mod change;
pub(super) mod correction_target;
pub(super) mod gate;
pub(super) mod neighborhood;
