//! The keyword index: which messages contain a term, and the few facts about each message that filters and ranking need.
//! Derived from the database; deleting it loses nothing.
//!
//! Most of it is in immutable files (`segment`); newer messages are read from the database into memory before every answer,
//! so a message is found as soon as it is committed, by every process. `index` is what a question searches, `live` keeps it
//! current and writes its files.
//!
//! On a server the index is a table (`table`), and an answer reads the part of it that matters to its question.

mod document;
mod index;
mod live;
mod segment;
pub(crate) mod table;
mod varint;

pub use document::Document;
pub use index::KeywordIndex;
pub(crate) use live::LiveKeywordIndex;
