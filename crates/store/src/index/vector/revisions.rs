//! The vectors of memories as one process holds them. They are few compared to those of messages, so there is no file: they
//! are read from the database once, and newer ones before every answer.

use super::{index::VectorIndex, run::VectorRun, source::IndexSource};
use crate::{
    error::Result,
    record::{Item, active_embedder, for_each_vector},
    transaction::Tx,
};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// The index over the revisions of an agent's memories, shared by the threads of one process.
#[derive(Default)]
pub(crate) struct LiveRevisionIndex(RwLock<VectorIndex>);

impl LiveRevisionIndex {
    /// The index with every vector of the active embedder as `connection` sees it; `None` if there is none.
    pub(crate) fn caught_up(&self, tx: &mut Tx<'_>) -> Result<Option<RwLockReadGuard<'_, VectorIndex>>> {
        let active = active_embedder(tx)?;
        let Some(active) = active.filter(|active| active.record.revisions > 0) else { return Ok(None) };
        // Revisions are never renumbered.
        let (source, reached) = (IndexSource::of(&active, 0), active.record.revisions);
        loop {
            let index = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if index.source.as_ref() == Some(&source) && index.reached >= reached {
                return Ok(Some(index));
            }
            drop(index);
            let mut index = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if index.source.as_ref() != Some(&source) {
                *index = VectorIndex { source: Some(source.clone()), ..VectorIndex::default() };
            }
            if index.reached < reached {
                let range = index.reached..reached;
                let tail = index.tail.get_or_insert_with(|| VectorRun::new(source.dimension));
                for_each_vector(tx, source.embedder, Item::Revision, range, |item, part, halves| {
                    tail.push(item, part, halves);
                })?;
                index.reached = reached;
            }
        }
    }

    /// Drops everything.
    pub(crate) fn clear(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = VectorIndex::default();
    }
}
