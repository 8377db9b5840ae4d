//! From decisions to one commit: `worker` takes messages in the order of recording, `draft` collects what forming one of
//! them changes, `outcome` tells what came of it and `explanation` why, `memory` is the memory a statement becomes, `records` and `relations_of` what is stored with it,
//! `reflection` what a thought looks back on, `intention` what it means for later or has done, `working_memory` what its session has in mind.

pub(super) mod draft;
pub(super) mod explanation;
pub(super) mod intention;
pub(super) mod memory;
pub(super) mod outcome;
pub(super) mod records;
pub(super) mod reflection;
pub(super) mod relations;
pub(super) mod worker;
pub(super) mod working_memory;
