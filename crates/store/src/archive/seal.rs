//! Seals: the hash of a finished day's file, kept in the database and in `archive/SEALS`, which
//! `sha256sum -c SEALS` can check without Cairn.

use super::{
    day_file::{Archive, PADDING_BYTES, READ_CHUNK_BYTES},
    line::{day_file_name, day_of_file},
};
use crate::{
    database::values,
    error::{Result, StoreError},
    record::last_place,
    transaction::Tx,
};
use cairn_domain::{Time, to_hex};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};

/// A finished file and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArchiveSeal {
    pub(crate) day: i64,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// Every seal of the agent, in order of days.
pub(crate) fn archive_seals(tx: &mut Tx<'_>) -> Result<Vec<ArchiveSeal>> {
    let sql = "SELECT archive_day, bytes, sha256 FROM archive_seal WHERE agent_id = ?1 ORDER BY archive_day";
    tx.query(sql, values![tx.agent_id], |row| {
        Ok(ArchiveSeal { day: row.int(0)?, bytes: row.int(1)? as u64, sha256: row.text(2)? })
    })
}

/// Whether the newest finished day has no seal yet. Days are sealed in order, so it answers for all before it.
pub(crate) fn has_unsealed_day(tx: &mut Tx<'_>, archive: &Archive) -> Result<bool> {
    let Some(day) = finished_days(tx, archive)?.pop() else { return Ok(false) };
    let sql = "SELECT 1 FROM archive_seal WHERE agent_id = ?1 AND archive_day = ?2";
    Ok(tx.first(sql, values![tx.agent_id, day], |_| Ok(()))?.is_none())
}

/// The days before the one of the newest message. An empty file of a later day finishes nothing: a process whose
/// clock is behind may still write to the day before.
fn finished_days(tx: &mut Tx<'_>, archive: &Archive) -> Result<Vec<i64>> {
    let newest = last_place(tx)?.map_or(i64::MIN, |(_, place)| place.day);
    Ok(archive.days()?.into_iter().filter(|day| *day < newest).collect())
}

/// Seals every file of a finished day. One that `archive/SEALS` lists keeps the hash it has there, so that losing
/// the database hides no change to a sealed file. Call it under the write lock.
pub(crate) fn seal_finished_days(tx: &mut Tx<'_>, archive: &Archive, now: Time) -> Result<()> {
    let sealed = archive_seals(tx)?;
    let mut finished = finished_days(tx, archive)?;
    finished.retain(|day| sealed.iter().all(|seal| seal.day != *day));
    if finished.is_empty() {
        return Ok(());
    }
    let mut listed = listed_by_name(archive)?;
    for day in finished {
        let known = listed.remove(&day_file_name(day));
        if known.is_none() {
            cut_padding(archive, day)?;
        }
        let (bytes, mut sha256) = day_file_sha256(archive, day)?;
        match known {
            Some(known) => sha256 = known,
            None => append_to_seal_list(archive, day, &sha256)?,
        }
        insert_seal(tx, day, bytes, &sha256, now)?;
    }
    Ok(())
}

/// Records a seal in the database.
pub(super) fn insert_seal(tx: &mut Tx<'_>, day: i64, bytes: u64, sha256: &str, now: Time) -> Result<()> {
    let sql = "INSERT INTO archive_seal (agent_id, archive_day, bytes, sha256, sealed_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    tx.execute(sql, values![tx.agent_id, day, bytes as i64, sha256, now.millis()])?;
    Ok(())
}

/// Seals a day again after lines of it were erased, in the database and in the list. An unfinished day has no seal.
pub(crate) fn reseal_day(tx: &mut Tx<'_>, archive: &Archive, day: i64, now: Time) -> Result<()> {
    if archive_seals(tx)?.iter().all(|seal| seal.day != day) {
        return Ok(());
    }
    let (bytes, sha256) = day_file_sha256(archive, day)?;
    let sql = "UPDATE archive_seal SET bytes = ?3, sha256 = ?4, sealed_at = ?5 WHERE agent_id = ?1 AND archive_day = ?2";
    tx.execute(sql, values![tx.agent_id, day, bytes as i64, sha256.as_str(), now.millis()])?;
    let mut listed: Vec<(String, String)> = listed_by_name(archive)?.into_iter().collect();
    for (name, known) in &mut listed {
        if *name == day_file_name(day) {
            known.clone_from(&sha256);
        }
    }
    listed.sort_unstable();
    let lines: Vec<String> = listed.iter().map(|(name, sha256)| format!("{sha256}  {name}\n")).collect();
    let path = archive.folder.join("SEALS");
    let written = archive.disk.open(&path).and_then(|mut file| {
        // Each name has one line, all of one length, so that the list grows no shorter.
        file.write_at(0, lines.concat().as_bytes())?;
        file.truncate(lines.concat().len() as u64)?;
        file.sync()
    });
    written.map_err(StoreError::file("write", path))
}

/// Length and hash of a day's file as it is now.
pub(crate) fn day_file_sha256(archive: &Archive, day: i64) -> Result<(u64, String)> {
    let path = archive.path(day);
    let mut hasher = Sha256::new();
    let mut offset = 0;
    loop {
        let chunk =
            archive.disk.read(&path, offset, READ_CHUNK_BYTES).map_err(StoreError::file("read", &path))?;
        if chunk.is_empty() {
            break;
        }
        offset += chunk.len() as u64;
        hasher.update(&chunk);
    }
    Ok((offset, to_hex(&hasher.finalize())))
}

/// Cuts the padding off a finished day's file.
pub(crate) fn cut_padding(archive: &Archive, day: i64) -> Result<()> {
    let len = archive.len(day)?;
    let from = len.saturating_sub(2 * PADDING_BYTES as u64);
    let path = archive.path(day);
    let tail = archive.disk.read(&path, from, 2 * PADDING_BYTES).map_err(StoreError::file("read", &path))?;
    let last = tail.iter().rposition(|byte| !matches!(byte, b' ' | b'\n'));
    // The last character of the last line and the end of that line stay.
    let end = last.map_or(from, |last| from + last as u64 + 2);
    if end < len { archive.truncate(day, end) } else { Ok(()) }
}

fn append_to_seal_list(archive: &Archive, day: i64, sha256: &str) -> Result<()> {
    let path = archive.folder.join("SEALS");
    let line = format!("{sha256}  {}\n", day_file_name(day));
    let written = archive.disk.open(&path).and_then(|mut file| {
        let len = file.length()?.unwrap_or(0);
        file.write_at(len, line.as_bytes())?;
        file.sync()
    });
    written.map_err(StoreError::file("write", path))
}

/// The hashes in `archive/SEALS`, by day.
pub(crate) fn listed_seals(archive: &Archive) -> Result<BTreeMap<i64, String>> {
    Ok(listed_by_name(archive)?
        .into_iter()
        .filter_map(|(name, sha256)| Some((day_of_file(&name)?, sha256)))
        .collect())
}

/// The hashes in `archive/SEALS`, by file name.
fn listed_by_name(archive: &Archive) -> Result<HashMap<String, String>> {
    let path = archive.folder.join("SEALS");
    let len = archive.disk.len(&path).map_err(StoreError::file("look at", &path))?.unwrap_or(0);
    if len == 0 {
        return Ok(HashMap::new());
    }
    let bytes = archive.disk.read(&path, 0, len as usize).map_err(StoreError::file("read", path))?;
    let text = String::from_utf8_lossy(&bytes);
    let seal = |line: &str| {
        let (sha256, name) = line.split_once("  ")?;
        Some((name.to_owned(), sha256.to_owned()))
    };
    // The first line about a file is the seal; nothing that was added later replaces it.
    Ok(text.lines().rev().filter_map(seal).collect())
}
