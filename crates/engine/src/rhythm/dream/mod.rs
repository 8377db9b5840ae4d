//! Dreaming: twelve steps, each a decision over a page of memories. They decay, then strengthen, then let go, then make
//! something new of what belongs together. Nothing is deleted and no text is lost: what goes to rest is dormant, what
//! becomes part of a theme is replaced by it and stays readable.
//!
//! | step | file |
//! |---|---|
//! | stability fades by category and tier | `fading` |
//! | feelings make new memories last | `emotion` |
//! | what was used together grows together | `replay` |
//! | episodes become knowledge, useless knowledge rests | `promotion` |
//! | utility drifts back to the middle | `utility` |
//! | what is about to be lost is called to mind | `rehearsal` |
//! | plans for a time that is over end | `foresight` |
//! | what contradicts, is useless or too much rests | `forgetting` |
//! | what belongs together is found | `clustering` |
//! | what fades and belongs together becomes a theme | `consolidation` |
//! | of two that say the same one rests | `redundancy` |
//! | what happens again and again becomes a pattern | `abstraction` |
//!
//! `decide_page` reads active memories page by page, `priority` orders what is rehearsed and replayed.

pub(super) mod abstraction;
pub(super) mod clustering;
pub(super) mod consolidation;
pub(super) mod emotion;
pub(super) mod fading;
pub(super) mod foresight;
pub(super) mod forgetting;
mod page;
mod priority;
pub(super) mod promotion;
pub(super) mod redundancy;
pub(super) mod rehearsal;
pub(super) mod replay;
pub(super) mod utility;
