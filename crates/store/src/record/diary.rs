//! The diary: sealed entries and the sealed memories that came of them. What they say is known to nobody here.

use super::columns::{ColumnReader, StoredRecord, columns, insert_statement};
use crate::{
    Result, Store,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{EntryId, Time};
use std::sync::LazyLock;

/// An entry of the diary, sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRecord {
    /// Its place in the order of writing.
    pub number: u32,
    /// Its name.
    pub id: EntryId,
    /// When it was written.
    pub written_at: Time,
    /// Which key seals it.
    pub key_id: String,
    /// The entry, encrypted.
    pub sealed: Vec<u8>,
    /// When intake read it, if it has.
    pub taken_at: Option<Time>,
    /// How many memories came of it.
    pub memories: u32,
}

impl Store {
    /// Writes an entry and returns its number; ignores the fields that the store assigns.
    pub async fn write_entry(&self, entry: EntryRecord) -> Result<u32> {
        self.writer.run(move |tx: &mut Tx<'_>| insert(tx, &entry)).await
    }

    /// Writes the memories that came of an entry, and that it was taken in. False, and nothing is written, if it was
    /// already.
    pub async fn take_in_entry(&self, number: u32, memories: Vec<Vec<u8>>, now: Time) -> Result<bool> {
        let work = move |tx: &mut Tx<'_>| take_in(tx, i64::from(number), &memories, now);
        self.writer.run(work).await
    }
}

fn insert(tx: &mut Tx<'_>, entry: &EntryRecord) -> Result<u32> {
    let next = "SELECT COALESCE(MAX(number), 0) + 1 FROM diary_entry WHERE agent_id = ?1";
    let number = tx.first(next, values![tx.agent_id], |row| row.int(0))?.unwrap_or(1);
    let mut values = values![tx.agent_id, number].to_vec();
    values.extend(entry.column_values());
    tx.execute(&INSERT_ENTRY, &values)?;
    Ok(number as u32)
}

static INSERT_ENTRY: LazyLock<String> =
    LazyLock::new(|| insert_statement("diary_entry", &["number"], EntryRecord::COLUMNS));

columns! {
    entry_columns: EntryRecord, "diary_entry" as "e" {
        id: id "entry_id",
        written_at: time "written_at",
        key_id: text "key_id",
        sealed: bytes "sealed",
    } besides { number: 0, taken_at: None, memories: 0, }
}

fn take_in(tx: &mut Tx<'_>, number: i64, memories: &[Vec<u8>], now: Time) -> Result<bool> {
    let sql = "UPDATE diary_entry SET taken_at = ?3 WHERE agent_id = ?1 AND number = ?2 AND taken_at IS NULL";
    if tx.execute(sql, values![tx.agent_id, number, now.millis()])? == 0 {
        return Ok(false);
    }
    let sql = "INSERT INTO diary_memory (agent_id, entry, place, sealed) VALUES (?1, ?2, ?3, ?4)";
    for (place, sealed) in (0_i64..).zip(memories) {
        tx.execute(sql, values![tx.agent_id, number, place, sealed.as_slice()])?;
    }
    Ok(true)
}

macro_rules! select_entry {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            entry_columns!(),
            ", e.number, e.taken_at, (SELECT COUNT(*) FROM diary_memory AS m
             WHERE m.agent_id = ?1 AND m.entry = e.number) FROM diary_entry AS e WHERE e.agent_id = ?1 ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// The entries of the diary, the newest first.
    pub fn diary(&mut self, limit: u32) -> Result<Vec<EntryRecord>> {
        let sql = select_entry!("ORDER BY e.number DESC LIMIT ?2");
        self.query(sql, values![self.agent_id, i64::from(limit)], read_entry)
    }

    /// An entry by its name.
    pub fn diary_entry(&mut self, id: EntryId) -> Result<Option<EntryRecord>> {
        let sql = select_entry!("AND e.entry_id = ?2");
        self.first(sql, values![self.agent_id, id.bytes().as_slice()], read_entry)
    }

    /// Entries that intake has not read, the oldest first.
    pub fn diary_to_take_in(&mut self, limit: u32) -> Result<Vec<EntryRecord>> {
        let sql = select_entry!("AND e.taken_at IS NULL ORDER BY e.number LIMIT ?2");
        self.query(sql, values![self.agent_id, i64::from(limit)], read_entry)
    }

    /// The sealed memories that came of an entry.
    pub fn diary_memories(&mut self, number: u32) -> Result<Vec<Vec<u8>>> {
        let sql = "SELECT sealed FROM diary_memory WHERE agent_id = ?1 AND entry = ?2 ORDER BY place";
        let values = values![self.agent_id, i64::from(number)];
        self.query(sql, values, |row| Ok(row.bytes(0)?.to_vec()))
    }
}

fn read_entry(row: &Row<'_>) -> Result<EntryRecord> {
    let columns = &mut ColumnReader::new(row);
    let entry = EntryRecord::read_columns(columns)?;
    let (number, taken_at, memories) = (columns.number()?, columns.maybe_time()?, columns.number()?);
    Ok(EntryRecord { number, taken_at, memories, ..entry })
}
