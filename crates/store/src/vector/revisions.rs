//! The vectors of memories as one process holds them. They are few beside those of messages, so that there is no file:
//! they are read from the database once, and what came after that before every answer.

use super::{Source, index::VectorIndex, run::Run};
use crate::{
    MemoryRecord, Result, View,
    database::Connection,
    record::{Item, active_embedder, for_each_vector},
    store::Files,
    vector::table,
};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// The index over the revisions of an agent's memories, shared by the threads of one process.
#[derive(Default)]
pub(crate) struct Revisions(RwLock<VectorIndex>);

impl Revisions {
    /// The index with every vector of the active embedder as `connection` sees it; `None` if there is none.
    pub(crate) fn caught_up(
        &self,
        connection: &mut Connection,
        agent_id: i64,
    ) -> Result<Option<RwLockReadGuard<'_, VectorIndex>>> {
        let active = active_embedder(connection, agent_id)?;
        let Some(active) = active.filter(|active| active.record.revisions > 0) else { return Ok(None) };
        // Revisions are never numbered anew.
        let (source, reached) = (Source::of(&active, 0), active.record.revisions);
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
                let tail = index.tail.get_or_insert_with(|| Run::new(source.dimension));
                for_each_vector(
                    connection,
                    agent_id,
                    source.embedder,
                    Item::Revision,
                    range,
                    |item, part, halves| {
                        tail.push(item, part, halves);
                    },
                )?;
                index.reached = reached;
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn forget(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = VectorIndex::default();
    }
}

/// Of so many revisions found near, those that are still what their memory says are kept: old ones lie beside them.
const MORE: usize = 3;
/// Vectors that are compared in full, for each memory asked for and at most: there are fewer memories than messages, and fewer
/// of them are asked for.
const COMPARED_EACH: usize = 16;
const COMPARED: usize = 400;

impl View<'_> {
    /// Up to which revision of memories the active embedder has made vectors.
    pub fn embedded_revisions(&mut self) -> Result<u32> {
        Ok(active_embedder(self.connection, self.agent_id)?.map_or(0, |active| active.record.revisions))
    }

    /// The vectors of the revisions `from .. to` that are still what their memory says, with the number of the memory.
    pub fn memory_vectors(&mut self, from: u32, to: u32) -> Result<Vec<(u32, Vec<f32>)>> {
        let Some(active) = active_embedder(self.connection, self.agent_id)? else { return Ok(Vec::new()) };
        let mut vectors = Vec::new();
        let embedder = active.record.id;
        for_each_vector(
            self.connection,
            self.agent_id,
            embedder,
            Item::Revision,
            from..to,
            |revision, _, halves| {
                let number = |pair: &[u8]| super::half::widen(u16::from_le_bytes([pair[0], pair[1]]));
                vectors.push((revision, halves.chunks_exact(2).map(number).collect::<Vec<f32>>()));
            },
        )?;
        let revisions: Vec<u32> = vectors.iter().map(|(revision, _)| *revision).collect();
        let numbers = self.numbers_of(&revisions)?;
        let number = |revision| numbers.iter().find(|(of, _)| *of == revision).map(|(_, number)| *number);
        Ok(vectors.into_iter().filter_map(|(revision, vector)| Some((number(revision)?, vector))).collect())
    }

    /// The memories nearest to a vector of length 1, replaced ones too, best first, with their cosine. Empty where there
    /// are no vectors.
    pub fn nearest_memories(&mut self, vector: &[f32], n: usize) -> Result<Vec<(u32, f32)>> {
        self.nearest(vector, n, |view, revisions| view.numbers_of(revisions))
    }

    /// The same with the memories themselves.
    pub fn memories_near(&mut self, vector: &[f32], n: usize) -> Result<Vec<(MemoryRecord, f32)>> {
        self.nearest(vector, n, |view, revisions| view.memories_saying(revisions))
    }

    /// What `read` says of the nearest revisions that are still what their memory says.
    fn nearest<T>(
        &mut self,
        vector: &[f32],
        n: usize,
        read: impl Fn(&mut Self, &[u32]) -> Result<Vec<(u32, T)>>,
    ) -> Result<Vec<(T, f32)>> {
        let wanted = n.saturating_mul(MORE);
        let compared = n.saturating_mul(COMPARED_EACH).min(COMPARED);
        let near = if let Some(Files { revisions, .. }) = self.shared.files() {
            let index = revisions.caught_up(self.connection, self.agent_id)?;
            index.map_or_else(Vec::new, |index| index.nearest_of(compared, vector, wanted, 0.0, None))
        } else {
            table::nearest_revisions(self.connection, self.agent_id, vector, wanted)?
        };
        let mut found = Vec::with_capacity(n);
        for some in near.chunks(n.max(1)) {
            let revisions: Vec<u32> = some.iter().map(|(revision, _)| *revision).collect();
            let mut said = read(self, &revisions)?;
            for (revision, cosine) in some {
                let at = said.iter().position(|(of, _)| of == revision);
                found.extend(at.map(|at| (said.swap_remove(at).1, *cosine)));
            }
            if found.len() >= n {
                break;
            }
        }
        found.truncate(n);
        Ok(found)
    }
}
