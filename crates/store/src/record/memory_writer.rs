//! Writing memories: the free numbers and the moment of writing stay with the transaction, so that nobody passes them on.

use super::{
    belief::reconsider,
    columns::{StoredRecord, insert_statement},
    message::fnv1a,
};
use crate::{Result, database::values, transaction::Tx};
use cairn_cognition::keywords::{Terms, terms};
use cairn_domain::{Memory, Time, Verdict};
use std::{
    ops::{Deref, DerefMut},
    sync::LazyLock,
};

/// The numbers that are free, and a count of all changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryState {
    pub(crate) version: i64,
    pub(crate) next_number: i64,
    pub(crate) next_revision: i64,
    pub(crate) next_entity: i64,
}

pub(crate) fn memory_state(tx: &mut Tx<'_>) -> Result<MemoryState> {
    let sql = "SELECT version, next_number, next_revision, next_entity FROM memory_state WHERE agent_id = ?1";
    let state = tx.first(sql, values![tx.agent_id], |row| {
        Ok(MemoryState {
            version: row.int(0)?,
            next_number: row.int(1)?,
            next_revision: row.int(2)?,
            next_entity: row.int(3)?,
        })
    })?;
    Ok(state.unwrap_or(MemoryState { version: 0, next_number: 0, next_revision: 0, next_entity: 0 }))
}

/// Writes the state back, one version on: whoever decided on the version before decides again.
pub(crate) fn bump_memory_version(tx: &mut Tx<'_>, state: &MemoryState) -> Result<()> {
    let sql = "INSERT INTO memory_state (agent_id, version, next_number, next_revision, next_entity)
               VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (agent_id) DO UPDATE SET version = ?2, next_number = ?3,
               next_revision = ?4, next_entity = ?5";
    let MemoryState { version, next_number, next_revision, next_entity } = *state;
    tx.later(sql, values![tx.agent_id, version + 1, next_number, next_revision, next_entity])
}

static INSERT_MEMORY: LazyLock<String> = LazyLock::new(|| {
    insert_statement("memory", &["number", "revision", "length", "reasons"], Memory::COLUMNS)
});

/// A transaction that changes memories.
pub(crate) struct MemoryWriter<'t, 'c> {
    tx: &'t mut Tx<'c>,
    pub(crate) state: MemoryState,
    /// The moment that everything is written at.
    pub(crate) now: Time,
}

impl<'c> Deref for MemoryWriter<'_, 'c> {
    type Target = Tx<'c>;

    fn deref(&self) -> &Tx<'c> {
        self.tx
    }
}

impl<'c> DerefMut for MemoryWriter<'_, 'c> {
    fn deref_mut(&mut self) -> &mut Tx<'c> {
        self.tx
    }
}

/// The memory that rows are written for. A new one has none yet, so that nothing has to be looked up first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetMemory {
    New(u32),
    Known(u32),
}

impl TargetMemory {
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::New(number) | Self::Known(number) => number,
        }
    }

    pub(crate) fn is_new(self) -> bool {
        matches!(self, Self::New(_))
    }
}

/// A memory to be inserted, and why.
pub(crate) struct MemoryInsert<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) verdict: Verdict,
    /// Why, in one line.
    pub(crate) reason: &'a str,
    /// Every step that led to it, as JSON.
    pub(crate) reasons: &'a str,
}

/// A revision to be inserted.
struct RevisionInsert<'a> {
    number: i64,
    text: &'a str,
    verdict: Verdict,
    reason: &'a str,
    written_at: Time,
}

impl<'t, 'c> MemoryWriter<'t, 'c> {
    pub(crate) fn begin(tx: &'t mut Tx<'c>, now: Time) -> Result<Self> {
        let state = memory_state(tx)?;
        Ok(Self { tx, state, now })
    }

    /// Says that memories have changed. Without it nobody who decided before notices.
    pub(crate) fn finish(self) -> Result<()> {
        bump_memory_version(self.tx, &self.state)
    }

    /// Writes a new memory and its first revision; its number.
    pub(crate) fn insert_memory(&mut self, insert: &MemoryInsert<'_>) -> Result<u32> {
        let MemoryInsert { memory: m, verdict, reason, reasons } = *insert;
        let (number, revision, terms) = (self.state.next_number, self.state.next_revision, terms(&m.text));
        let length = i64::from(terms.length);
        let mut values = values![self.tx.agent_id, number, revision, length, reasons].to_vec();
        values.extend(m.column_values());
        self.tx.later(&INSERT_MEMORY, &values)?;
        self.state.next_number += 1;
        insert_revision_terms(self.tx, number, revision, &terms)?;
        let written_at = m.recorded_at;
        self.insert_revision(&RevisionInsert { number, text: &m.text, verdict, reason, written_at })?;
        Ok(number as u32)
    }

    /// Replaces the text of a memory. What it said stays among its revisions.
    pub(crate) fn replace_text(&mut self, number: u32, text: &str, reason: &str) -> Result<()> {
        reconsider(self.tx, number)?;
        let (number, revision, terms) = (i64::from(number), self.state.next_revision, terms(text));
        let sql = "UPDATE memory SET revision = ?3, length = ?4 WHERE agent_id = ?1 AND number = ?2";
        self.tx.later(sql, values![self.tx.agent_id, number, revision, i64::from(terms.length)])?;
        insert_revision_terms(self.tx, number, revision, &terms)?;
        let (verdict, written_at) = (Verdict::Update, self.now);
        self.insert_revision(&RevisionInsert { number, text, verdict, reason, written_at })
    }

    fn insert_revision(&mut self, insert: &RevisionInsert<'_>) -> Result<()> {
        let RevisionInsert { number, text, verdict, reason, written_at } = *insert;
        let sql =
            "INSERT INTO memory_revision (agent_id, revision, number, text, verdict, reason, written_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let revision = self.state.next_revision;
        let (verdict, at) = (verdict.as_str(), written_at.millis());
        self.tx.later(sql, values![self.tx.agent_id, revision, number, text, verdict, reason, at])?;
        self.state.next_revision += 1;
        Ok(())
    }
}

/// The terms of a text as they are stored: their hashes.
pub(crate) fn term_hashes(terms: &Terms) -> Vec<i64> {
    terms.counts.iter().map(|(term, _)| fnv1a(term)).collect()
}

/// Writes the terms of a revision, which is from now on what its memory says.
pub(crate) fn insert_revision_terms(
    tx: &mut Tx<'_>,
    number: i64,
    revision: i64,
    terms: &Terms,
) -> Result<()> {
    if !tx.is_on_server() {
        let bytes: Vec<u8> = term_hashes(terms).into_iter().flat_map(i64::to_le_bytes).collect();
        let sql = "INSERT INTO revision_term (agent_id, revision, terms) VALUES (?1, ?2, ?3)";
        return tx.later(sql, values![tx.agent_id, revision, bytes.as_slice()]);
    }
    let forget = "DELETE FROM memory_term WHERE agent_id = ?1 AND number = ?2";
    tx.later(forget, values![tx.agent_id, number])?;
    let sql = "INSERT INTO memory_term (agent_id, term, number, times) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (agent_id, term, number) DO UPDATE SET times = memory_term.times + ?4";
    let mut counts = terms.counts.iter();
    counts.try_for_each(|(term, times)| {
        tx.later(sql, values![tx.agent_id, fnv1a(term), number, i64::from(*times)])
    })
}
