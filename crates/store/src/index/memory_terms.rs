//! Which memories hold a term. On a server that is a table. In a folder each revision brings the hashes of its terms along
//! in one row, and a process that asks holds them by term: written by term they would touch as many pages as a text has
//! words.

use crate::{
    database::values,
    error::Result,
    record::{memory_state, term_hashes},
    transaction::Tx,
};
use cairn_cognition::keywords::terms;
use std::{
    collections::HashMap,
    sync::{PoisonError, RwLock, RwLockReadGuard},
};

/// The revisions of an agent's memories by their terms, shared by the threads of one process.
#[derive(Default)]
pub(crate) struct LiveTermIndex(RwLock<TermIndex>);

#[derive(Default)]
pub(crate) struct TermIndex {
    /// The revisions that hold a term, the oldest first.
    pub(crate) holding: HashMap<i64, Vec<u32>>,
    /// Every revision before this one is here.
    reached: u32,
}

impl LiveTermIndex {
    /// The index with every revision as `connection` sees it.
    pub(crate) fn caught_up(&self, tx: &mut Tx<'_>) -> Result<RwLockReadGuard<'_, TermIndex>> {
        let reached = memory_state(tx)?.next_revision as u32;
        loop {
            let index = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if index.reached >= reached {
                return Ok(index);
            }
            drop(index);
            let mut index = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if index.reached < reached {
                index.take_in(tx, reached)?;
            }
        }
    }

    /// Drops everything.
    pub(crate) fn clear(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = TermIndex::default();
    }
}

impl TermIndex {
    /// Reads the revisions up to `reached`. One that came without its terms is taken apart again.
    fn take_in(&mut self, tx: &mut Tx<'_>, reached: u32) -> Result<()> {
        let sql =
            "SELECT r.revision, t.terms, CASE WHEN t.terms IS NULL THEN r.text END FROM memory_revision AS r
                   LEFT JOIN revision_term AS t ON t.agent_id = r.agent_id AND t.revision = r.revision
                   WHERE r.agent_id = ?1 AND r.revision >= ?2 AND r.revision < ?3 ORDER BY r.revision";
        let values = values![tx.agent_id, i64::from(self.reached), i64::from(reached)];
        let rows = tx.query(sql, values, |row| {
            let hashes = match row.maybe_bytes(1)? {
                Some(bytes) => bytes.as_chunks().0.iter().map(|hash| i64::from_le_bytes(*hash)).collect(),
                None => term_hashes(&terms(row.str(2)?)),
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
