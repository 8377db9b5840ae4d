//! Which memories hold a term. On a server that is a table. In a folder each revision brings the hashes of its terms along
//! in one row, and a process that asks holds them by term: written by term they would touch as many pages as a text has
//! words.

use crate::{
    Result, View,
    database::{Connection, Value, values, wide},
    record::{fnv1a, in_order, memory_state, pair},
    store::Files,
};
use cairn_cognition::{
    bm25::idf,
    keywords::{Terms, terms},
};
use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{PoisonError, RwLock, RwLockReadGuard},
};

/// A term that so many memories hold is told from one that more do by nobody.
const MOST_COUNTED: u32 = 2_000;
/// As many as are wanted are looked up at a time, and so often at most: what no longer says so or was replaced lies between.
const MOST_CHUNKS: usize = 8;

/// The revisions of an agent's memories by their terms, shared by the threads of one process.
#[derive(Default)]
pub(crate) struct Words(RwLock<Index>);

#[derive(Default)]
struct Index {
    /// The revisions that hold a term, the oldest first.
    holding: HashMap<i64, Vec<u32>>,
    /// Every revision before this one is here.
    reached: u32,
}

impl Words {
    /// The index with every revision as `connection` sees it.
    fn caught_up(&self, connection: &mut Connection, agent_id: i64) -> Result<RwLockReadGuard<'_, Index>> {
        let reached = memory_state(connection, agent_id)?.next_revision as u32;
        loop {
            let index = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if index.reached >= reached {
                return Ok(index);
            }
            drop(index);
            let mut index = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if index.reached < reached {
                index.take_in(connection, agent_id, reached)?;
            }
        }
    }

    /// Forgets everything.
    pub(crate) fn forget(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Index::default();
    }
}

impl Index {
    /// Reads the revisions up to `reached`. One that came without its terms is taken apart again.
    fn take_in(&mut self, connection: &mut Connection, agent_id: i64, reached: u32) -> Result<()> {
        let sql =
            "SELECT r.revision, t.terms, CASE WHEN t.terms IS NULL THEN r.text END FROM memory_revision AS r
                   LEFT JOIN revision_term AS t ON t.agent_id = r.agent_id AND t.revision = r.revision
                   WHERE r.agent_id = ?1 AND r.revision >= ?2 AND r.revision < ?3 ORDER BY r.revision";
        let values = values![agent_id, i64::from(self.reached), i64::from(reached)];
        let rows = connection.query(sql, values, |row| {
            let hashes = match row.maybe_bytes(1)? {
                Some(bytes) => bytes.as_chunks().0.iter().map(|hash| i64::from_le_bytes(*hash)).collect(),
                None => hashes(&terms(row.str(2)?)),
            };
            Ok((row.int(0)? as u32, hashes))
        })?;
        for (revision, hashes) in rows {
            for hash in hashes {
                self.holding.entry(hash).or_default().push(revision);
            }
        }
        self.reached = reached;
        Ok(())
    }
}

fn hashes(terms: &Terms) -> Vec<i64> {
    terms.counts.iter().map(|(term, _)| fnv1a(term)).collect()
}

/// Notes the terms of what a memory says now.
pub(crate) fn insert_terms(
    connection: &mut Connection,
    agent_id: i64,
    (number, revision): (i64, i64),
    terms: &Terms,
) -> Result<()> {
    if connection.postgres().is_none() {
        let bytes: Vec<u8> = hashes(terms).into_iter().flat_map(i64::to_le_bytes).collect();
        let sql = "INSERT INTO revision_term (agent_id, revision, terms) VALUES (?1, ?2, ?3)";
        return connection.later(sql, values![agent_id, revision, bytes.as_slice()]);
    }
    let forget = "DELETE FROM memory_term WHERE agent_id = ?1 AND number = ?2";
    connection.later(forget, values![agent_id, number])?;
    let sql = "INSERT INTO memory_term (agent_id, term, number, times) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (agent_id, term, number) DO UPDATE SET times = memory_term.times + ?4";
    let mut counts = terms.counts.iter();
    counts.try_for_each(|(term, times)| {
        connection.later(sql, values![agent_id, fnv1a(term), number, i64::from(*times)])
    })
}

impl View<'_> {
    /// About how many memories hold each of these terms, and how many there are.
    pub fn memory_terms(&mut self, terms: &[String]) -> Result<(Vec<u32>, u32)> {
        let memories = memory_state(self.connection, self.agent_id)?.next_number as u32;
        if let Some(Files { words, .. }) = self.shared.files() {
            let index = words.caught_up(self.connection, self.agent_id)?;
            let held = |term: &String| index.holding.get(&fnv1a(term)).map_or(0, |held| held.len() as u32);
            return Ok((terms.iter().map(|term| held(term).min(MOST_COUNTED)).collect(), memories));
        }
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM memory_term WHERE agent_id = ?1 AND term = ?2 LIMIT ?3) AS held";
        let row = |term: &String| values![self.agent_id, fnv1a(term), i64::from(MOST_COUNTED)].to_vec();
        let rows: Vec<Vec<Value<'_>>> = terms.iter().map(row).collect();
        let holding = self.connection.first_of_each(sql, &rows, |row| Ok(row.int(0)? as u32))?;
        Ok((holding.into_iter().map(Option::unwrap_or_default).collect(), memories))
    }

    /// The memories that hold some of these terms and are not replaced: those first that hold the rarest and the most of
    /// them, of equals the newest.
    pub fn memories_holding(&mut self, terms: &[&str], limit: u32) -> Result<Vec<u32>> {
        let memories = memory_state(self.connection, self.agent_id)?.next_number as u64;
        let limit = limit as usize;
        let mut worth = Vec::new();
        for revisions in self.newest_holding(terms)? {
            let rarity = idf(memories, revisions.len() as u64);
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
        for some in worth.chunks(limit.max(1)).take(MOST_CHUNKS) {
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
        if let Some(Files { words, .. }) = self.shared.files() {
            let index = words.caught_up(self.connection, self.agent_id)?;
            let newest = |term: &&str| {
                let held = index.holding.get(&fnv1a(term)).map_or(&[][..], Vec::as_slice);
                held.iter().rev().take(MOST_COUNTED as usize).copied().collect()
            };
            return Ok(terms.iter().map(newest).collect());
        }
        let sql = "SELECT m.revision FROM memory_term AS t
                   JOIN memory AS m ON m.agent_id = t.agent_id AND m.number = t.number
                   WHERE t.agent_id = ?1 AND t.term = ?2 AND m.status <> 'superseded' ORDER BY m.revision DESC LIMIT ?3";
        let row = |term: &&str| values![self.agent_id, fnv1a(term), i64::from(MOST_COUNTED)].to_vec();
        let rows: Vec<Vec<Value<'_>>> = terms.iter().map(row).collect();
        self.connection.query_each(sql, &rows, |row| Ok(row.int(0)? as u32))
    }

    /// The memories that say one of these revisions now and are not replaced, in the order of the revisions.
    fn not_replaced(&mut self, revisions: &[u32]) -> Result<Vec<u32>> {
        let sql = "SELECT revision, number FROM memory WHERE agent_id = ?1 AND revision = ANY(?2)
                   AND status <> 'superseded'";
        let wanted = wide(revisions);
        let mut found = self.connection.query(sql, values![self.agent_id, wanted.as_slice()], pair)?;
        in_order(&mut found, revisions, |(revision, _)| *revision);
        Ok(found.into_iter().map(|(_, number)| number).collect())
    }
}
