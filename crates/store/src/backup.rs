//! Backup: a folder that can be opened as the agent it was copied from.

use crate::{Result, StoreError, database::Connection, store::Shared};
use std::{fs, path::Path};

/// What is not worth copying: the database is copied by itself, indexes are derived, backups are backups.
const LEFT_OUT: [&str; 5] = ["memory.db", "memory.db-wal", "memory.db-shm", "index", "backups"];

/// Copies the database first and the files after it, so that the archive holds at least what the database
/// does; opening the copy takes in the rest.
pub(crate) fn backup(connection: &mut Connection, shared: &Shared, to: &Path) -> Result<()> {
    let folder = shared.files().map(|files| &files.folder);
    if folder.is_some() {
        fs::create_dir_all(to).map_err(StoreError::file("make", to))?;
    }
    connection.copy_to(&to.join("memory.db"))?;
    folder.map_or(Ok(()), |folder| copy_folder(folder, to, &LEFT_OUT))
}

/// Copies an agent as it is before its database is brought to a newer schema: whole or not there. Of two processes that
/// do so at once each makes its own.
pub(crate) fn before_migrating(connection: &mut Connection, folder: &Path, to: &Path) -> Result<()> {
    let name = to.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let unfinished = to.with_file_name(format!("{name}.{}.part", std::process::id()));
    let _ = fs::remove_dir_all(&unfinished);
    fs::create_dir_all(&unfinished).map_err(StoreError::file("make", &unfinished))?;
    connection.copy_to(&unfinished.join("memory.db"))?;
    copy_folder(folder, &unfinished, &LEFT_OUT)?;
    match fs::rename(&unfinished, to) {
        Ok(()) => Ok(()),
        // Another process was quicker, at the same moment.
        Err(_) if to.join("memory.db").exists() => {
            fs::remove_dir_all(&unfinished).map_err(StoreError::file("remove", unfinished))
        }
        Err(error) => Err(StoreError::file("rename", unfinished)(error)),
    }
}

fn copy_folder(from: &Path, to: &Path, left_out: &[&str]) -> Result<()> {
    fs::create_dir_all(to).map_err(StoreError::file("make", to))?;
    for entry in from.read_dir().map_err(StoreError::file("list", from))? {
        let path = entry.map_err(StoreError::file("list", from))?.path();
        let name = path.file_name().unwrap_or_default();
        if left_out.iter().any(|left_out| name == *left_out) {
            continue;
        }
        let target = to.join(name);
        if path.is_dir() {
            copy_folder(&path, &target, &[])?;
        } else {
            fs::copy(&path, &target).map_err(StoreError::file("copy", path))?;
        }
    }
    Ok(())
}
