//! Questions that need an index: `searcher` opens both indexes for one question about messages, `memories` and `memory_terms`
//! find memories by meaning and by words, `newest` finds the latest messages.

mod memories;
mod memory_terms;
mod newest;
mod searcher;

pub use newest::DayRecord;
pub use searcher::IndexSearcher;
