//! The diary: sealed entries and the sealed memories that came of them. What they say is known to nobody here.

use crate::{
    Result, Store, StoreError, View,
    database::{Connection, Row, values},
    store::Shared,
};
use cairn_domain::{EntryId, Time};

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
    /// What was sealed.
    pub sealed: Vec<u8>,
    /// When intake read it, if it has.
    pub taken_at: Option<Time>,
    /// How many memories came of it.
    pub memories: u32,
}

impl Store {
    /// Writes an entry; its number. What of `entry` is given by writing is left out of account.
    pub async fn write_entry(&self, entry: EntryRecord) -> Result<u32> {
        self.writer.run(move |c: &mut Connection, s: &Shared| insert(c, s.agent_id, &entry)).await
    }

    /// Writes the memories that came of an entry, and that it was taken in. False, and nothing is written, if it was
    /// already.
    pub async fn take_in_entry(&self, number: u32, memories: Vec<Vec<u8>>, now: Time) -> Result<bool> {
        let work =
            move |c: &mut Connection, s: &Shared| take_in(c, s.agent_id, i64::from(number), &memories, now);
        self.writer.run(work).await
    }
}

fn insert(connection: &mut Connection, agent_id: i64, entry: &EntryRecord) -> Result<u32> {
    let next = "SELECT COALESCE(MAX(number), 0) + 1 FROM diary_entry WHERE agent_id = ?1";
    let number = connection.first(next, values![agent_id], |row| row.int(0))?.unwrap_or(1);
    let sql = "INSERT INTO diary_entry (agent_id, number, entry_id, written_at, key_id, sealed)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let (id, at) = (entry.id.bytes().as_slice(), entry.written_at.millis());
    let values = values![agent_id, number, id, at, entry.key_id.as_str(), entry.sealed.as_slice()];
    connection.execute(sql, values)?;
    Ok(number as u32)
}

fn take_in(
    connection: &mut Connection,
    agent_id: i64,
    number: i64,
    memories: &[Vec<u8>],
    now: Time,
) -> Result<bool> {
    let sql = "UPDATE diary_entry SET taken_at = ?3 WHERE agent_id = ?1 AND number = ?2 AND taken_at IS NULL";
    if connection.execute(sql, values![agent_id, number, now.millis()])? == 0 {
        return Ok(false);
    }
    let sql = "INSERT INTO diary_memory (agent_id, entry, place, sealed) VALUES (?1, ?2, ?3, ?4)";
    for (place, sealed) in (0_i64..).zip(memories) {
        connection.execute(sql, values![agent_id, number, place, sealed.as_slice()])?;
    }
    Ok(true)
}

macro_rules! select_entry {
    ($rest:literal) => {
        concat!(
            "SELECT e.number, e.entry_id, e.written_at, e.key_id, e.sealed, e.taken_at, (SELECT COUNT(*) FROM diary_memory AS m
             WHERE m.agent_id = ?1 AND m.entry = e.number) FROM diary_entry AS e WHERE e.agent_id = ?1 ",
            $rest
        )
    };
}

impl View<'_> {
    /// The entries of the diary, the newest first.
    pub fn diary(&mut self, limit: u32) -> Result<Vec<EntryRecord>> {
        let sql = select_entry!("ORDER BY e.number DESC LIMIT ?2");
        self.connection.query(sql, values![self.agent_id, i64::from(limit)], read_entry)
    }

    /// An entry by its name.
    pub fn diary_entry(&mut self, id: EntryId) -> Result<Option<EntryRecord>> {
        let sql = select_entry!("AND e.entry_id = ?2");
        self.connection.first(sql, values![self.agent_id, id.bytes().as_slice()], read_entry)
    }

    /// Entries that intake has not read, the oldest first.
    pub fn diary_to_take_in(&mut self, limit: u32) -> Result<Vec<EntryRecord>> {
        let sql = select_entry!("AND e.taken_at IS NULL ORDER BY e.number LIMIT ?2");
        self.connection.query(sql, values![self.agent_id, i64::from(limit)], read_entry)
    }

    /// The sealed memories that came of an entry.
    pub fn diary_memories(&mut self, number: u32) -> Result<Vec<Vec<u8>>> {
        let sql = "SELECT sealed FROM diary_memory WHERE agent_id = ?1 AND entry = ?2 ORDER BY place";
        let values = values![self.agent_id, i64::from(number)];
        self.connection.query(sql, values, |row| Ok(row.bytes(0)?.to_vec()))
    }
}

fn read_entry(row: &Row<'_>) -> Result<EntryRecord> {
    Ok(EntryRecord {
        number: row.int(0)? as u32,
        id: EntryId::from_bytes(row.bytes(1)?.try_into().map_err(|_| StoreError::Closed)?),
        written_at: Time::from_millis(row.int(2)?),
        key_id: row.text(3)?,
        sealed: row.bytes(4)?.to_vec(),
        taken_at: row.maybe_int(5)?.map(Time::from_millis),
        memories: row.int(6)? as u32,
    })
}
