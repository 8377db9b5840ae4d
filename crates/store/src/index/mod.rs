//! The derived indexes: `keyword` and `vector` over messages, `memory_terms` over memories. Each is a segment file or a table,
//! caught up from the database before every answer. `query` is what they are asked, `segment_files` how their files are named.

pub(crate) mod keyword;
pub(crate) mod memory_terms;
pub(crate) mod query;
mod segment_files;
pub(crate) mod vector;

pub use keyword::{Document, KeywordIndex};
pub use query::{IndexQuery, MessageFilter, NearestQuery};
pub use vector::VectorIndex;
