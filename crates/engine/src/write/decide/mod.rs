//! What becomes of one statement: `neighborhood` reads what is known around it, `gate` decides between creating,
//! updating, reinforcing, superseding and skipping, `other_outdated` finds what else no longer holds,
//! `correction_target` lets a correction overrule it. Nothing here writes.

pub(super) mod correction_target;
pub(super) mod gate;
pub(super) mod neighborhood;
pub(super) mod outdated;
