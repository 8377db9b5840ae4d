//! Seals: the hash of a finished day's file, kept in the database and in `archive/SEALS`, which
//! `sha256sum -c SEALS` can check without Cairn.

use super::Archive;
use crate::{
    Result, StoreError,
    database::{Connection, values},
};
use cairn_domain::Time;
use sha2::{Digest, Sha256};

/// A finished file and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seal {
    pub(crate) day: i64,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// Every seal of the agent, in order of days.
pub(crate) fn seals(connection: &mut Connection, agent_id: i64) -> Result<Vec<Seal>> {
    let sql = "SELECT archive_day, bytes, sha256 FROM archive_seal WHERE agent_id = ?1 ORDER BY archive_day";
    connection.query(sql, values![agent_id], |row| {
        Ok(Seal { day: row.int(0)?, bytes: row.int(1)? as u64, sha256: row.text(2)? })
    })
}

/// Seals every file that a newer file has followed. Call it under the write lock.
pub(crate) fn seal_finished_days(
    connection: &mut Connection,
    agent_id: i64,
    archive: &Archive,
    now: Time,
) -> Result<()> {
    let days = archive.days()?;
    let Some((_, finished)) = days.split_last() else { return Ok(()) };
    let sealed = seals(connection, agent_id)?;
    for day in finished.iter().filter(|day| sealed.iter().all(|seal| seal.day != **day)) {
        cut_room_off(archive, *day)?;
        let (bytes, sha256) = sha256_of(archive, *day)?;
        append_to_list(archive, *day, &sha256)?;
        let sql = "INSERT INTO archive_seal (agent_id, archive_day, bytes, sha256, sealed_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        connection.execute(sql, values![agent_id, *day, bytes as i64, sha256.as_str(), now.millis()])?;
    }
    Ok(())
}

/// Length and hash of a day's file as it is now.
pub(crate) fn sha256_of(archive: &Archive, day: i64) -> Result<(u64, String)> {
    let path = archive.path(day);
    let mut hasher = Sha256::new();
    let mut offset = 0;
    loop {
        let chunk =
            archive.disk.read(&path, offset, super::CHUNK_BYTES).map_err(StoreError::file("read", &path))?;
        if chunk.is_empty() {
            break;
        }
        offset += chunk.len() as u64;
        hasher.update(&chunk);
    }
    Ok((offset, hex(&hasher.finalize())))
}

/// A finished day needs no room for more.
fn cut_room_off(archive: &Archive, day: i64) -> Result<()> {
    let len = archive.len(day)?;
    let from = len.saturating_sub(2 * super::ROOM_BYTES as u64);
    let path = archive.path(day);
    let tail =
        archive.disk.read(&path, from, 2 * super::ROOM_BYTES).map_err(StoreError::file("read", &path))?;
    let last = tail.iter().rposition(|byte| !matches!(byte, b' ' | b'\n'));
    // The last character of the last line and the end of that line stay.
    let end = last.map_or(from, |last| from + last as u64 + 2);
    if end < len { archive.truncate(day, end) } else { Ok(()) }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn append_to_list(archive: &Archive, day: i64, sha256: &str) -> Result<()> {
    let path = archive.folder.join("SEALS");
    let name = archive.path(day);
    let name = name.file_name().unwrap_or_default().to_string_lossy();
    let line = format!("{sha256}  {name}\n");
    let written = archive.disk.open(&path).and_then(|mut file| {
        let len = file.length()?;
        file.write_at(len, line.as_bytes())?;
        file.sync()
    });
    written.map_err(StoreError::file("write", path))
}
