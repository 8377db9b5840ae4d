//! Statements: who has which value of what.
//!
//! A sentence is read clause by clause. What asks, wishes, supposes or passes on somebody else's words states nothing; what
//! is planned is a `plan`, what was so once stands under `past/`, so that neither clashes with what is so. What is left is
//! read by the build of its language (`middle`: subject, verb, rest; `last`: the verb at the end), and the lists of the
//! lexicon say which slot a verb or a noun fills. First person and third give the same statement: the speaker is put in the
//! place of "I".

mod asked;
mod clause_words;
mod draft;
mod frame;
pub(crate) mod grammar;
mod last;
mod lead;
mod middle;
mod parse;
mod slots;
mod subject;
pub(crate) mod word;

pub use asked::{asked_slot, fills_slot};
pub use frame::Statement;
pub(crate) use frame::ValuePart;
pub use parse::{statements, statements_in};

#[cfg(test)]
mod tests;
