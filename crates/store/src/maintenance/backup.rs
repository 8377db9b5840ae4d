//! Backups: copies of an agent's folder that can be opened in its place.

use crate::{
    context::StoreContext,
    database::Connection,
    error::{Result, StoreError},
    handle::Store,
};
use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// Names that are not copied: the database is copied by itself, indexes are derived, backups are backups.
const EXCLUDED_NAMES: [&str; 5] = ["memory.db", "memory.db-wal", "memory.db-shm", "index", "backups"];

impl Store {
    /// Copies the agent, as it is now, into the new folder `to`.
    pub async fn backup(&self, to: PathBuf) -> Result<()> {
        self.readers
            .run_outside_transaction(move |connection, context| copy_agent(connection, context, &to))
            .await
    }
}

/// Copies an agent into `to`: the database first and the files after it, so that the archive holds at least what the database
/// does. Opening the copy takes in the rest.
fn copy_agent(connection: &mut Connection, context: &StoreContext, to: &Path) -> Result<()> {
    let folder = context.files().map(|files| &files.folder);
    if folder.is_some() {
        fs::create_dir_all(to).map_err(StoreError::file("make", to))?;
    }
    connection.copy_to(&to.join("memory.db"))?;
    folder.map_or(Ok(()), |folder| copy_folder(folder, to, &EXCLUDED_NAMES))
}

/// Copies an agent before its database is migrated, atomically. Two processes that do so at once make a copy each.
pub(crate) fn copy_before_migration(connection: &mut Connection, folder: &Path, to: &Path) -> Result<()> {
    let name = to.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let unfinished = to.with_file_name(format!("{name}.{}.part", std::process::id()));
    let _ = fs::remove_dir_all(&unfinished);
    fs::create_dir_all(&unfinished).map_err(StoreError::file("make", &unfinished))?;
    connection.copy_to(&unfinished.join("memory.db"))?;
    copy_folder(folder, &unfinished, &EXCLUDED_NAMES)?;
    match fs::rename(&unfinished, to) {
        Ok(()) => Ok(()),
        // Another process was quicker, at the same moment.
        Err(_) if to.join("memory.db").exists() => {
            fs::remove_dir_all(&unfinished).map_err(StoreError::file("remove", unfinished))
        }
        Err(error) => Err(StoreError::file("rename", unfinished)(error)),
    }
}

/// Copies a file into a new one that only its owner may read, whoever may read the file itself.
fn copy_privately(from: &Path, to: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    io::copy(&mut File::open(from)?, &mut options.open(to)?).map(drop)
}

fn copy_folder(from: &Path, to: &Path, excluded: &[&str]) -> Result<()> {
    fs::create_dir_all(to).map_err(StoreError::file("make", to))?;
    for entry in from.read_dir().map_err(StoreError::file("list", from))? {
        let path = entry.map_err(StoreError::file("list", from))?.path();
        let name = path.file_name().unwrap_or_default();
        if excluded.iter().any(|excluded| name == *excluded) {
            continue;
        }
        let target = to.join(name);
        if path.is_dir() {
            copy_folder(&path, &target, &[])?;
        } else {
            copy_privately(&path, &target).map_err(StoreError::file("copy", path))?;
        }
    }
    Ok(())
}
