//! The archive on a database server, where the message table is the archive: the same lines in the same daily files, except
//! that they are not written out. Each day is sealed with the hash that its file would have.

use super::{
    line::{archive_line, day_file_name},
    seal::{archive_seals, insert_seal},
};
use crate::{
    database::values,
    error::{Result, StoreError},
    record::{MessageRecord, last_place, messages_of_day},
    transaction::Tx,
};
use cairn_domain::{Time, to_hex};
use sha2::{Digest, Sha256};
use std::{fs, io::Write, path::Path};

/// Messages read at a time.
const BATCH_MESSAGES: i64 = 1_024;

/// The days that have messages, in order.
pub(crate) fn archived_days(tx: &mut Tx<'_>) -> Result<Vec<i64>> {
    let sql = "SELECT DISTINCT archive_day FROM message WHERE agent_id = ?1 ORDER BY archive_day";
    tx.query(sql, values![tx.agent_id], |row| row.int(0))
}

/// Visits the messages of a day in order, each with its line.
pub(crate) fn for_each_line(
    tx: &mut Tx<'_>,
    day: i64,
    mut visit: impl FnMut(&MessageRecord, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut from = 0;
    loop {
        let batch = messages_of_day(tx, day, from, BATCH_MESSAGES)?;
        let Some(last) = batch.last() else { return Ok(()) };
        from = i64::from(last.seq) + 1;
        for record in &batch {
            visit(record, &archive_line(&record.message)?)?;
        }
    }
}

/// Length and hash of the file that a day would be.
pub(crate) fn day_sha256(tx: &mut Tx<'_>, day: i64) -> Result<(u64, String)> {
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    for_each_line(tx, day, |_, line| {
        bytes += line.len() as u64;
        hasher.update(line);
        Ok(())
    })?;
    Ok((bytes, to_hex(&hasher.finalize())))
}

/// Seals every day before the one of the newest message. Call it under the write lock.
pub(crate) fn seal_finished_table_days(tx: &mut Tx<'_>, now: Time) -> Result<()> {
    let newest = last_place(tx)?.map_or(i64::MIN, |(_, place)| place.day);
    let sql = "SELECT DISTINCT m.archive_day FROM message AS m WHERE m.agent_id = ?1 AND m.archive_day < ?2
               AND m.archive_day > (SELECT COALESCE(MAX(s.archive_day), ?3) FROM archive_seal AS s WHERE s.agent_id = ?1)
               ORDER BY m.archive_day";
    let finished = tx.query(sql, values![tx.agent_id, newest, i64::MIN], |row| row.int(0))?;
    for day in finished {
        let (bytes, sha256) = day_sha256(tx, day)?;
        insert_seal(tx, day, bytes, &sha256, now)?;
    }
    Ok(())
}

/// Seals a day again whose messages were erased; one of which nothing is left is not sealed any more.
pub(crate) fn reseal_day(tx: &mut Tx<'_>, day: i64) -> Result<()> {
    if !archived_days(tx)?.contains(&day) {
        let sql = "DELETE FROM archive_seal WHERE agent_id = ?1 AND archive_day = ?2";
        return tx.execute(sql, values![tx.agent_id, day]).map(drop);
    }
    let (bytes, sha256) = day_sha256(tx, day)?;
    let sql = "UPDATE archive_seal SET bytes = ?3, sha256 = ?4 WHERE agent_id = ?1 AND archive_day = ?2";
    tx.execute(sql, values![tx.agent_id, day, bytes as i64, sha256.as_str()]).map(drop)
}

/// Writes the daily files of an agent into the new or empty folder `to`, with the list of their hashes; how many.
pub(crate) fn export_days(tx: &mut Tx<'_>, to: &Path) -> Result<u64> {
    fs::create_dir_all(to).map_err(StoreError::file("make", to))?;
    let mut entries = to.read_dir().map_err(StoreError::file("list", to))?;
    if entries.next().is_some() {
        return Err(StoreError::Refused {
            problem: format!("{} is not empty", to.display()),
            hint: "name a folder that is new or empty: archive files are never written over".into(),
        });
    }
    let days = archived_days(tx)?;
    let sealed = archive_seals(tx)?;
    let mut seals = String::new();
    for day in &days {
        let name = day_file_name(*day);
        let path = to.join(&name);
        let failed = |error| StoreError::file("write", &path)(error);
        let mut file = fs::File::create_new(&path).map(std::io::BufWriter::new).map_err(failed)?;
        for_each_line(tx, *day, |_, line| file.write_all(line).map_err(failed))?;
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
