//! The memories nearest to a vector.

use crate::{
    context::{AgentFiles, View},
    error::Result,
    index::vector::{half, table},
    record::{Item, MemoryRecord, active_embedder, for_each_vector, revision_vectors},
};

/// Revisions fetched per requested memory: outdated ones, which are near as well, are dropped afterward.
const OVERFETCH_FACTOR: usize = 3;
/// Vectors rescored per requested memory.
const RESCORED_PER_RESULT: usize = 16;
/// Maximum number of vectors rescored.
const MAX_RESCORED: usize = 400;

impl View<'_> {
    /// Up to which revision of memories the active embedder has made vectors.
    pub fn embedded_revisions(&mut self) -> Result<u32> {
        Ok(active_embedder(self)?.map_or(0, |active| active.record.revisions))
    }

    /// The vectors of the revisions `from .. to` that are still what their memory says, with the number of the memory.
    pub fn memory_vectors(&mut self, from: u32, to: u32) -> Result<Vec<(u32, Vec<f32>)>> {
        let Some(active) = active_embedder(self)? else { return Ok(Vec::new()) };
        let mut vectors = Vec::new();
        let embedder = active.record.id;
        for_each_vector(self, embedder, Item::Revision, from..to, |revision, _, halves| {
            vectors.push((revision, half::decode_halves(halves)));
        })?;
        let revisions: Vec<u32> = vectors.iter().map(|(revision, _)| *revision).collect();
        let numbers = self.numbers_of(&revisions)?;
        let number = |revision| numbers.iter().find(|(of, _)| *of == revision).map(|(_, number)| *number);
        Ok(vectors.into_iter().filter_map(|(revision, vector)| Some((number(revision)?, vector))).collect())
    }

    /// The vectors of some revisions, each with its revision; nothing where there is no embedder.
    pub fn revision_vectors(&mut self, revisions: &[u32]) -> Result<Vec<(u32, Vec<f32>)>> {
        match active_embedder(self)? {
            Some(active) if !revisions.is_empty() => revision_vectors(self, active.record.id, revisions),
            _ => Ok(Vec::new()),
        }
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

    /// Reads the nearest revisions with `read`, which leaves out those that their memory no longer says.
    fn nearest<T>(
        &mut self,
        vector: &[f32],
        n: usize,
        read: impl Fn(&mut Self, &[u32]) -> Result<Vec<(u32, T)>>,
    ) -> Result<Vec<(T, f32)>> {
        let wanted = n.saturating_mul(OVERFETCH_FACTOR);
        let compared = n.saturating_mul(RESCORED_PER_RESULT).min(MAX_RESCORED);
        let near = if let Some(AgentFiles { revisions, .. }) = self.context.files() {
            let index = revisions.caught_up(self)?;
            index.map_or_else(Vec::new, |index| index.nearest_rescoring(compared, vector, wanted, 0.0, None))
        } else {
            table::nearest_revisions(self, vector, wanted)?
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
