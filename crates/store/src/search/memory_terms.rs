//! The memories that hold some terms.

use crate::{
    context::{AgentFiles, View},
    database::{Value, values, wide},
    error::Result,
    record::{fnv1a, in_order, memory_state, pair},
};
use cairn_cognition::bm25::inverse_document_frequency;
use std::cmp::Reverse;

/// Beyond this many memories per term, the exact count no longer matters.
const MAX_COUNTED_MEMORIES: u32 = 2_000;
/// As many as are wanted are looked up at a time, and so often at most: what no longer says so or was replaced lies between.
const MAX_CHUNKS: usize = 8;

impl View<'_> {
    /// About how many memories hold each of these terms, and how many there are.
    pub fn memory_terms(&mut self, terms: &[String]) -> Result<(Vec<u32>, u32)> {
        let memories = memory_state(self)?.next_number as u32;
        if let Some(AgentFiles { words, .. }) = self.context.files() {
            let index = words.caught_up(self)?;
            let held = |term: &String| index.holding.get(&fnv1a(term)).map_or(0, |held| held.len() as u32);
            return Ok((terms.iter().map(|term| held(term).min(MAX_COUNTED_MEMORIES)).collect(), memories));
        }
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM memory_term WHERE agent_id = ?1 AND term = ?2 LIMIT ?3) AS held";
        let row =
            |term: &String| values![self.tx.agent_id, fnv1a(term), i64::from(MAX_COUNTED_MEMORIES)].to_vec();
        let rows: Vec<Vec<Value<'_>>> = terms.iter().map(row).collect();
        let holding = self.tx.first_of_each(sql, &rows, |row| Ok(row.int(0)? as u32))?;
        Ok((holding.into_iter().map(Option::unwrap_or_default).collect(), memories))
    }

    /// The memories that hold some of these terms and are not replaced: those first that hold the rarest and the most of
    /// them, of equals the newest.
    pub fn memories_holding(&mut self, terms: &[&str], limit: u32) -> Result<Vec<u32>> {
        let memories = memory_state(self)?.next_number as u64;
        let limit = limit as usize;
        let mut worth = Vec::new();
        for revisions in self.newest_holding(terms)? {
            let rarity = inverse_document_frequency(memories, revisions.len() as u64);
            worth.extend(revisions.into_iter().map(|revision| (revision, rarity)));
        }
        worth.sort_by_key(|(revision, _)| Reverse(*revision));
        worth.dedup_by(|(next, more), (revision, worth)| {
            let same = next == revision;
            *worth += if same { *more } else { 0.0 };
            same
        });
        // Stable: the newest stays first.
        worth.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut found = Vec::with_capacity(limit);
        for some in worth.chunks(limit.max(1)).take(MAX_CHUNKS) {
            let revisions: Vec<u32> = some.iter().map(|(revision, _)| *revision).collect();
            found.extend(self.not_replaced(&revisions)?);
            if found.len() >= limit {
                break;
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    /// The newest revisions that hold each of these terms, the newest first.
    fn newest_holding(&mut self, terms: &[&str]) -> Result<Vec<Vec<u32>>> {
        if let Some(AgentFiles { words, .. }) = self.context.files() {
            let index = words.caught_up(self)?;
            let newest = |term: &&str| {
                let held = index.holding.get(&fnv1a(term)).map_or(&[][..], Vec::as_slice);
                held.iter().rev().take(MAX_COUNTED_MEMORIES as usize).copied().collect()
            };
            return Ok(terms.iter().map(newest).collect());
        }
        let sql = "SELECT m.revision FROM memory_term AS t
                   JOIN memory AS m ON m.agent_id = t.agent_id AND m.number = t.number
                   WHERE t.agent_id = ?1 AND t.term = ?2 AND m.status <> 'superseded' ORDER BY m.revision DESC LIMIT ?3";
        let row =
            |term: &&str| values![self.tx.agent_id, fnv1a(term), i64::from(MAX_COUNTED_MEMORIES)].to_vec();
        let rows: Vec<Vec<Value<'_>>> = terms.iter().map(row).collect();
        self.tx.query_each(sql, &rows, |row| Ok(row.int(0)? as u32))
    }

    /// The memories that say one of these revisions now and are not replaced, in the order of the revisions.
    fn not_replaced(&mut self, revisions: &[u32]) -> Result<Vec<u32>> {
        let sql = "SELECT revision, number FROM memory WHERE agent_id = ?1 AND revision = ANY(?2)
                   AND status <> 'superseded'";
        let wanted = wide(revisions);
        let mut found = self.tx.query(sql, values![self.tx.agent_id, wanted.as_slice()], pair)?;
        in_order(&mut found, revisions, |(revision, _)| *revision);
        Ok(found.into_iter().map(|(_, number)| number).collect())
    }
}
