//! Whether others on the machine may read a home: folders are 700 and files 600. The command makes them so; an older home, or one
//! that was copied, may be open.

use crate::{
    error::{EngineError, Result},
    home::Home,
    tend::check::Check,
};
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// The bits of everybody but the owner.
const OTHERS: u32 = 0o077;
const PRIVATE_FOLDER: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

impl Home {
    /// Whether others may read something in the home; none if nobody may.
    pub(super) fn check_privacy(&self) -> Option<Check> {
        let open = open_to_others(self.path());
        let first = open.first()?.display().to_string();
        Some(Check::warning(
            "privacy",
            format!("other users of this machine may open {} file(s) or folder(s): {first} …", open.len()),
            "run `cairn doctor --fix`: it leaves them to you alone",
        ))
    }

    /// Lets nobody but the owner read the home; how many files and folders were open.
    pub(crate) fn make_private(&self) -> Result<usize> {
        let open = open_to_others(self.path());
        for path in &open {
            let mode = if path.is_dir() { PRIVATE_FOLDER } else { PRIVATE_FILE };
            fs::set_permissions(path, Permissions::from_mode(mode))
                .map_err(EngineError::file("close", path))?;
        }
        Ok(open.len())
    }
}

/// The paths that others may open, the folder itself first. Links are not followed.
fn open_to_others(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    found.extend(Some(folder.to_owned()).filter(|folder| is_open(folder)));
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.extend(Some(path).filter(|path| is_open(path)));
        }
    }
    found
}

fn is_open(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.permissions().mode() & OTHERS != 0)
}
