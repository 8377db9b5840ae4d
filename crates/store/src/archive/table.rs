//! The archive where the message table is it: the same lines in the same daily files, only that nobody has written them
//! down yet. They are sealed by day with the hash that the file would have.

use super::{file_name, line_of, seal};
use crate::{
    MessageRecord, Result, StoreError,
    database::{Connection, values},
    record::{last_place, messages_of_day},
};
use cairn_domain::Time;
use sha2::{Digest, Sha256};
use std::{fs, io::Write, path::Path};

/// Messages read at a time.
const BATCH: i64 = 1_024;

/// The days that have messages, in order.
pub(crate) fn days(connection: &mut Connection, agent_id: i64) -> Result<Vec<i64>> {
    let sql = "SELECT DISTINCT archive_day FROM message WHERE agent_id = ?1 ORDER BY archive_day";
    connection.query(sql, values![agent_id], |row| row.int(0))
}

/// Visits the messages of a day in order, each with its line.
pub(crate) fn for_each_line(
    connection: &mut Connection,
    agent_id: i64,
    day: i64,
    mut visit: impl FnMut(&MessageRecord, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut from = 0;
    loop {
        let batch = messages_of_day(connection, agent_id, day, from, BATCH)?;
        let Some(last) = batch.last() else { return Ok(()) };
        from = i64::from(last.seq) + 1;
        for record in &batch {
            visit(record, &line_of(&record.message))?;
        }
    }
}

/// Length and hash of the file that a day would be.
pub(crate) fn sha256_of(connection: &mut Connection, agent_id: i64, day: i64) -> Result<(u64, String)> {
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    for_each_line(connection, agent_id, day, |_, line| {
        bytes += line.len() as u64;
        hasher.update(line);
        Ok(())
    })?;
    Ok((bytes, seal::hex(&hasher.finalize())))
}

/// Seals every day before the one of the newest message. Call it under the write lock.
pub(crate) fn seal_finished_days(connection: &mut Connection, agent_id: i64, now: Time) -> Result<()> {
    let newest = last_place(connection, agent_id)?.map_or(i64::MIN, |(_, place)| place.day);
    let sql = "SELECT DISTINCT m.archive_day FROM message AS m WHERE m.agent_id = ?1 AND m.archive_day < ?2
               AND m.archive_day > (SELECT COALESCE(MAX(s.archive_day), ?3) FROM archive_seal AS s WHERE s.agent_id = ?1)
               ORDER BY m.archive_day";
    let finished = connection.query(sql, values![agent_id, newest, i64::MIN], |row| row.int(0))?;
    for day in finished {
        let (bytes, sha256) = sha256_of(connection, agent_id, day)?;
        seal::insert(connection, agent_id, day, bytes, &sha256, now)?;
    }
    Ok(())
}

/// Seals a day again whose messages were erased; one of which nothing is left is not sealed any more.
pub(crate) fn reseal(connection: &mut Connection, agent_id: i64, day: i64) -> Result<()> {
    if !days(connection, agent_id)?.contains(&day) {
        let sql = "DELETE FROM archive_seal WHERE agent_id = ?1 AND archive_day = ?2";
        return connection.execute(sql, values![agent_id, day]).map(drop);
    }
    let (bytes, sha256) = sha256_of(connection, agent_id, day)?;
    let sql = "UPDATE archive_seal SET bytes = ?3, sha256 = ?4 WHERE agent_id = ?1 AND archive_day = ?2";
    connection.execute(sql, values![agent_id, day, bytes as i64, sha256.as_str()]).map(drop)
}

/// Writes the daily files of an agent into the new or empty folder `to`, with the list of their hashes; how many.
pub(crate) fn export(connection: &mut Connection, agent_id: i64, to: &Path) -> Result<u64> {
    fs::create_dir_all(to).map_err(StoreError::file("make", to))?;
    let mut entries = to.read_dir().map_err(StoreError::file("list", to))?;
    if entries.next().is_some() {
        return Err(StoreError::Refused {
            problem: format!("{} is not empty", to.display()),
            hint: "name a folder that is new or empty: archive files are never written over".into(),
        });
    }
    let days = days(connection, agent_id)?;
    let sealed = seal::seals(connection, agent_id)?;
    let mut seals = String::new();
    for day in &days {
        let name = file_name(*day);
        let path = to.join(&name);
        let failed = |error| StoreError::file("write", &path)(error);
        let mut file = fs::File::create_new(&path).map(std::io::BufWriter::new).map_err(failed)?;
        for_each_line(connection, agent_id, *day, |_, line| file.write_all(line).map_err(failed))?;
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        // As it was sealed, so that the list tells whether anybody changed a day since.
        if let Some(seal) = sealed.iter().find(|seal| seal.day == *day) {
            seals.extend([format!("{}  {name}\n", seal.sha256)]);
        }
    }
    if !seals.is_empty() {
        let path = to.join("SEALS");
        fs::write(&path, seals).map_err(StoreError::file("write", path))?;
    }
    Ok(days.len() as u64)
}
