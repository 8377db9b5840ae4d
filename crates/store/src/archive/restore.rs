//! Writing lines that an archive file lost again, from the database.

use super::{day_file::Archive, line::archive_line};
use crate::{
    database::values,
    error::{Result, StoreError},
    record::message_at,
    transaction::Tx,
};
use cairn_domain::Message;

/// Writes a day's missing lines again from the database; how many. What the file still holds stays, up to
/// its last whole line.
pub(crate) fn restore_missing_lines(tx: &mut Tx<'_>, archive: &Archive, day: i64) -> Result<u64> {
    let len = archive.len(day)?;
    let sql = "SELECT seq FROM message WHERE agent_id = ?1 AND archive_day = ?2
               AND archive_offset + archive_bytes > ?3 ORDER BY seq";
    let missing = tx.query(sql, values![tx.agent_id, day, len as i64], |row| row.int(0))?;
    let mut end = None;
    for seq in &missing {
        let Some(record) = message_at(tx, *seq)? else { continue };
        let begin = *end.get_or_insert(record.place.offset);
        if begin == record.place.offset && len > begin {
            archive.truncate(day, begin)?;
        }
        let line = archive_line(&record.message)?;
        if begin != record.place.offset || line.len() as u64 != record.place.bytes {
            return Err(cannot_restore(archive, &record.message, day));
        }
        let Some(mut file) = archive.open_at(day, begin)? else {
            return Err(cannot_restore(archive, &record.message, day));
        };
        file.write(line)?;
        file.sync()?;
        end = Some(record.place.end());
    }
    Ok(missing.len() as u64)
}

fn cannot_restore(archive: &Archive, message: &Message, day: i64) -> StoreError {
    StoreError::Damaged {
        problem: format!("{} cannot be restored around {}", archive.path(day).display(), message.id),
        hint: "restore the file from a backup; the words are still in the database: `cairn export` writes them out".into(),
    }
}
