//! Lines of the archive files that were erased become lines of spaces, which the archive knows as room: everything else stays
//! in its place. A day that was sealed is sealed again.

use super::mark::Marks;
use crate::{
    Result, StoreError,
    archive::{Archive, KeepBeside, keep_beside, reseal_day},
    context::{AgentFiles, StoreContext},
    database::values,
    record::ArchivePlace,
    transaction::Tx,
};
use cairn_domain::{Message, Time};
use std::{collections::BTreeSet, fs};

/// A line as it is listed: day, offset, bytes.
pub(super) fn name(place: &ArchivePlace) -> String {
    format!("{} {} {}", place.day, place.offset, place.bytes)
}

fn place(name: &str) -> Option<ArchivePlace> {
    let mut parts = name.split(' ');
    let day = parts.next()?.parse().ok()?;
    let (offset, bytes) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(ArchivePlace { day, offset, bytes, line: 0 })
}

/// Blanks the lines that are still listed, and takes them off the list. Call it under the write lock.
pub(crate) fn finish(tx: &mut Tx<'_>, shared: &StoreContext, now: Time) -> Result<()> {
    let Some(files) = shared.files() else { return Ok(()) };
    finish_in(tx, &files.archive, now)?;
    remove_indexes(files)
}

/// The same for an agent that is just being opened.
pub(crate) fn finish_in(tx: &mut Tx<'_>, archive: &Archive, now: Time) -> Result<()> {
    // First what keeps the words away, then the words.
    keep_beside(tx, archive, KeepBeside::All)?;
    let sql = "SELECT item FROM erasing WHERE agent_id = ?1 AND kind = 'line'";
    let listed = tx.query(sql, values![tx.agent_id], |row| row.text(0))?;
    let marks = Marks::read(tx)?;
    let mut days = BTreeSet::new();
    for place in listed.iter().filter_map(|name| place(name)) {
        let line = archive.line_at(&place)?;
        let said = line.and_then(|line| serde_json::from_slice::<Message>(&line).ok());
        days.insert(place.day);
        // Something else may stand there by now, if this was interrupted and somebody went on writing.
        let Some((said, marks)) = said.zip(marks.as_ref()) else { continue };
        if marks.has_buried(tx, said.id)? {
            archive.blank_line(&place)?;
        }
    }
    for day in days {
        reseal_day(tx, archive, day, now)?;
    }
    let done = "DELETE FROM erasing WHERE agent_id = ?1 AND kind = 'line' AND item = ?2";
    listed
        .iter()
        .filter(|name| place(name).is_some())
        .try_for_each(|name| tx.execute(done, values![tx.agent_id, name.as_str()]).map(drop))
}

/// Index files hold terms; they are made anew.
fn remove_indexes(files: &AgentFiles) -> Result<()> {
    let folder = files.folder.join("index");
    for entry in folder.read_dir().map_err(StoreError::file("list", &folder))? {
        let path = entry.map_err(StoreError::file("list", &folder))?.path();
        if path.is_file() {
            fs::remove_file(&path).map_err(StoreError::file("remove", path))?;
        }
    }
    Ok(())
}
