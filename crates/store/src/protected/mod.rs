//! The protected half of the store: what only an operator changes. The crate `operator` alone names this module, and a test
//! of the house rules proves it; whoever calls these functions has seen a grant.
//!
//! In reading order: `decide` is what an operator decides about beliefs and sets; `import` takes over what was decided
//! elsewhere; `mark` is how something erased is known again without its words; `reach` finds everything that rests on some
//! words, `derived` what rhythms made of it, `grown` deletes what growth made of it, `erase` takes it away, `relocate` moves up what stays where the message table is the archive, `lines` blanks
//! the lines of the archive files, `copies` finds copies in the home, `finish` brings it to its end.

mod copies;
mod decide;
mod derived;
mod erase;
mod finish;
mod grown;
mod import;
mod lines;
mod mark;
mod reach;
mod relocate;

pub use decide::{
    BeliefDecision, Decided, ProposalDecision, ProposalMove, SettingChange, begin_decision, configure,
    decide, decide_proposal, forget_decision,
};
pub use erase::{Authority, erase, erase_standing, plan_erasure};
pub(crate) use finish::is_unfinished;
pub use import::take_rows;
pub(crate) use lines::finish_in;
pub(crate) use mark::Marks;
pub use reach::{Erasure, Words};
