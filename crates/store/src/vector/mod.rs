//! The vector index: which messages are near a question in meaning. Derived from the vectors in the database and thrown
//! away without regret.
//!
//! As with keywords, the bulk lies in immutable files (`segment`) and what came after them is read from the database
//! into memory before every answer (`keeper`), so a vector counts the moment it is committed, in every process. Both
//! are a `run` of vectors. A search (`index`) compares one bit a number first, for all vectors, keeps the nearest
//! (`selection`) and compares those in full (`simd`).
//!
//! On a server the vectors are searched where they are (`table`).

pub(crate) mod half;
mod index;
mod keeper;
mod revisions;
mod run;
mod segment;
mod selection;
mod simd;
pub(crate) mod table;
#[cfg(test)]
mod tests;

pub use index::VectorIndex;
pub(crate) use keeper::Vectors;
pub(crate) use revisions::Revisions;

/// What index files must say to be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    /// Moves when messages are numbered anew.
    epoch: i64,
    /// The embedder, by number, name and the moment it became what it is.
    embedder: u32,
    name: String,
    since: i64,
    /// How many numbers a vector has.
    dimension: usize,
}
