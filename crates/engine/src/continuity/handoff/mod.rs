//! Handoffs: where the last session or a thread stood, every line a quotation.
//!
//! In reading order:
//! - `compose`: a handoff out of its material.
//! - `markdown`: a handoff as text, and back.
//! - `files`: the texts beside the database, for people.
//! - `write`: when a handoff is written, and how.
//! - `prose`: the lines of a thread's handoff as a paragraph, by a language model.

pub(super) mod compose;
mod files;
pub(super) mod markdown;
pub(super) mod prose;
mod write;

pub use write::StoredHandoff;
