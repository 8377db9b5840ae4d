//! Bringing database and archive together again.
//!
//! After a crash or a power cut the archive may hold lines that the database does not (they are taken in), end in half a line
//! that was never acknowledged (it is cut off), or, if somebody tampered with it, lack lines that the database still holds
//! (they are written again). Always under the write lock.

use super::{memo::Memo, take_in::take_in};
use crate::{
    archive::{Archive, ArchiveLine, restore_missing_lines},
    context::RepairNotes,
    error::Result,
    record::{ArchivePlace, last_place},
    transaction::Tx,
};
use std::path::PathBuf;

/// Makes the archive and the database end at the same message, and notes every repair.
pub(crate) fn reconcile(tx: &mut Tx<'_>, archive: &Archive, notes: &RepairNotes) -> Result<()> {
    for (path, taken) in take_in_all_days(tx, archive, notes)? {
        notes.add(format!("{taken} message(s) were taken in from the archive file {}", path.display()));
    }
    Ok(())
}

/// Like [`reconcile`], for callers that expect lines to be taken in; how many were, by file.
pub(crate) fn take_in_all_days(
    tx: &mut Tx<'_>,
    archive: &Archive,
    notes: &RepairNotes,
) -> Result<Vec<(PathBuf, u64)>> {
    let mut all = Vec::new();
    let last = last_place(tx)?.map(|(_, place)| place);
    if let Some(place) = last
        && archive.len(place.day)? < place.end()
    {
        let restored = restore_missing_lines(tx, archive, place.day)?;
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
            let taken = take_in_day(tx, archive, from, notes)?;
            all.extend((taken > 0).then(|| (archive.path(day), taken)));
        }
    }
    Ok(all)
}

/// Takes in the lines of one file from a place on; how many.
fn take_in_day(tx: &mut Tx<'_>, archive: &Archive, from: ArchivePlace, notes: &RepairNotes) -> Result<u64> {
    let path = archive.path(from.day);
    let newest = archive.days()?.last() == Some(&from.day);
    let (mut taken, mut torn, mut memo) = (0_u64, None, Memo::default());
    archive.for_each_line(from.day, from, |line, place| {
        match line {
            ArchiveLine::Message(message) => {
                taken += u64::from(take_in(tx, &mut memo, &message, place)?);
            }
            ArchiveLine::Unreadable(why) => {
                notes.add(format!(
                    "{} line {} is not a message and was left out: {why}",
                    path.display(),
                    place.line
                ));
            }
            ArchiveLine::Torn => torn = Some(place),
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
