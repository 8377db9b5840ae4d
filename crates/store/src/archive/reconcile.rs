//! Bringing database and archive together again.
//!
//! After a crash or a power cut the archive may hold lines that the database does not (they are taken in),
//! end in half a line that nobody was promised (it is cut off), or, if somebody tampered with it, lack
//! lines that the database still holds (they are written again). Always under the write lock.

use super::{Archive, Line, line_of};
use crate::{
    Result, StoreError,
    append::take_in,
    database::{Connection, values},
    memo::Memo,
    record::{ArchivePlace, last_place, message_at},
    store::Notes,
};
use cairn_domain::Message;
use std::path::PathBuf;

/// Makes the archive and the database agree, and notes what was odd and what was taken in. `Ok` means that both now end at the
/// same message.
pub(crate) fn reconcile(
    connection: &mut Connection,
    agent_id: i64,
    archive: &Archive,
    notes: &Notes,
) -> Result<()> {
    for (path, taken) in take_all_in(connection, agent_id, archive, notes)? {
        notes.add(format!("{taken} message(s) were taken in from the archive file {}", path.display()));
    }
    Ok(())
}

/// The same for whoever expects lines to be taken in; from which files how many were.
pub(crate) fn take_all_in(
    connection: &mut Connection,
    agent_id: i64,
    archive: &Archive,
    notes: &Notes,
) -> Result<Vec<(PathBuf, u64)>> {
    let mut all = Vec::new();
    let last = last_place(connection, agent_id)?.map(|(_, place)| place);
    if let Some(place) = last
        && archive.len(place.day)? < place.end()
    {
        let restored = restore_from_database(connection, agent_id, archive, place.day)?;
        notes.add(format!(
            "the archive file {} had lost its end; {restored} line(s) were written again from the database",
            archive.path(place.day).display()
        ));
    }
    for day in archive.days()? {
        let from = match last {
            Some(place) if day < place.day => continue,
            Some(place) if day == place.day => {
                ArchivePlace { offset: place.end(), bytes: 0, line: place.line + 1, ..place }
            }
            _ => ArchivePlace { day, offset: 0, bytes: 0, line: 1 },
        };
        if archive.len(day)? > from.offset {
            let taken = take_in_from(connection, agent_id, archive, from, notes)?;
            all.extend((taken > 0).then(|| (archive.path(day), taken)));
        }
    }
    Ok(all)
}

/// Takes in the lines of one file from a place on; how many.
fn take_in_from(
    connection: &mut Connection,
    agent_id: i64,
    archive: &Archive,
    from: ArchivePlace,
    notes: &Notes,
) -> Result<u64> {
    let path = archive.path(from.day);
    let newest = archive.days()?.last() == Some(&from.day);
    let (mut taken, mut torn, mut memo) = (0_u64, None, Memo::default());
    archive.walk(from.day, from, |line, place| {
        match line {
            Line::Message(message) => {
                taken += u64::from(take_in(connection, agent_id, &mut memo, &message, place)?);
            }
            Line::Unreadable(why) => {
                notes.add(format!(
                    "{} line {} is not a message and was left out: {why}",
                    path.display(),
                    place.line
                ));
            }
            Line::Torn => torn = Some(place),
        }
        Ok(())
    })?;
    // Only the newest file can have been cut off by a crash. Damage to an older one is kept as it is found.
    if let Some(place) = torn.filter(|_| newest) {
        archive.truncate(from.day, place.offset)?;
        notes.add(format!(
            "{} ended in {} bytes of a line that was never acknowledged; they were cut off",
            path.display(),
            place.bytes
        ));
    } else if let Some(place) = torn {
        notes.add(format!("{} line {} is not whole and was left out", path.display(), place.line));
    }
    Ok(taken)
}

/// Writes a day's missing lines again from the database; how many. What the file still holds stays, up to
/// its last whole line.
pub(crate) fn restore_from_database(
    connection: &mut Connection,
    agent_id: i64,
    archive: &Archive,
    day: i64,
) -> Result<u64> {
    let len = archive.len(day)?;
    let sql = "SELECT seq FROM message WHERE agent_id = ?1 AND archive_day = ?2
               AND archive_offset + archive_bytes > ?3 ORDER BY seq";
    let missing = connection.query(sql, values![agent_id, day, len as i64], |row| row.int(0))?;
    let mut end = None;
    for seq in &missing {
        let Some(record) = message_at(connection, agent_id, *seq)? else { continue };
        let begin = *end.get_or_insert(record.place.offset);
        if begin == record.place.offset && len > begin {
            archive.truncate(day, begin)?;
        }
        if begin != record.place.offset || line_of(&record.message).len() as u64 != record.place.bytes {
            return Err(unfit(archive, &record.message, day));
        }
        let Some(mut file) = archive.open_at(day, begin)? else {
            return Err(unfit(archive, &record.message, day));
        };
        file.write(line_of(&record.message))?;
        file.sync()?;
        end = Some(record.place.end());
    }
    Ok(missing.len() as u64)
}

fn unfit(archive: &Archive, message: &Message, day: i64) -> StoreError {
    StoreError::Damaged {
        problem: format!("{} cannot be restored around {}", archive.path(day).display(), message.id),
        hint: "restore the file from a backup; the words are still in the database: `cairn export` writes them out".into(),
    }
}
