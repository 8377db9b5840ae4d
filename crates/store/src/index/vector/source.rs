//! The state of the database that a vector index is made from.

use crate::record::StoredEmbedder;

/// The state that the files of an index were made from. A file of any other is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndexSource {
    /// Changes when messages are renumbered.
    pub(super) epoch: i64,
    /// The embedder, by number, name and the moment it was created or refilled.
    pub(super) embedder: u32,
    pub(super) name: String,
    pub(super) since: i64,
    /// Numbers per vector.
    pub(super) dimension: usize,
}

impl IndexSource {
    pub(super) fn of(embedder: &StoredEmbedder, epoch: i64) -> Self {
        let StoredEmbedder { record, since } = embedder;
        Self {
            epoch,
            embedder: record.id,
            name: record.name.clone(),
            since: *since,
            dimension: record.dimension,
        }
    }
}
