//! The vector index: which messages are near a question in meaning. Derived from the vectors in the database; deleting it
//! loses nothing.
//!
//! As with keywords, most of it is in immutable files (`segment`), and newer vectors are read from the database into memory
//! before every answer (`live`), so a vector counts as soon as it is committed, in every process. Both are a `run` of
//! vectors. A search (`index`) compares a binary code of one bit per number for all vectors, keeps the nearest (`selection`)
//! and rescores those with all their numbers (`simd`). `revisions` does the same for the vectors of memories.
//!
//! On a server pgvector searches (`table`).

pub(crate) mod half;
mod index;
mod live;
mod revisions;
mod run;
mod segment;
mod selection;
mod simd;
mod source;
pub(crate) mod table;
#[cfg(test)]
mod tests;

pub use index::VectorIndex;
pub(crate) use live::LiveVectorIndex;
pub(crate) use revisions::LiveRevisionIndex;
