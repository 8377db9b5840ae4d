//! Copies of an agent in its home, which an erasure takes away: backups, a database that was set aside, bundles and exports, and
//! what unfinished work left behind. A copy elsewhere is its owner's to look after.

use crate::{Result, StoreError};
use cairn_domain::{Message, MessageId};
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

/// Folders of a home and of an agent that hold no copy, or are looked at by themselves.
const NOT_SEARCHED: [&str; 10] =
    ["agents", "models", "keys", "archive", "index", "identity", "handoffs", "backups", "logs", "hooks"];
/// How the names of a database that was set aside begin.
const SET_ASIDE: &str = "memory.db.";
/// How the names of folders begin in which something is tried out.
const SCRATCH: [&str; 2] = [".dry-run-", ".eval-"];

/// The copies of the agent in `folder` that a person would miss: backups, databases that were set aside, and files in the home
/// with a line of a message of which `is_gone` is true.
pub(super) fn copies(folder: &Path, is_gone: &dyn Fn(MessageId) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = entries(&folder.join("backups"))?;
    found.extend(entries(folder)?.into_iter().filter(|path| name(path).starts_with(SET_ASIDE)));
    let home = folder.parent().and_then(Path::parent);
    for place in [Some(folder), home].into_iter().flatten() {
        search(place, is_gone, &mut found)?;
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Files that may hold words and that nobody misses: logs, notes of hooks, handoffs, and what was left of something tried out.
pub(super) fn traces(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = entries(&folder.join("logs"))?;
    found.extend(entries(&folder.join("hooks"))?);
    found.extend(entries(&folder.join("handoffs"))?);
    if let Some(home) = folder.parent().and_then(Path::parent) {
        let is_scratch = |path: &PathBuf| SCRATCH.iter().any(|begins| name(path).starts_with(begins));
        found.extend(entries(home)?.into_iter().filter(is_scratch));
    }
    Ok(found)
}

/// Removes a file or a folder; one that is gone already is fine.
pub(super) fn remove(path: &Path) -> Result<()> {
    let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::file("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Adds the files of a folder and of those below it that hold a line of a message that goes. Links are not followed.
fn search(folder: &Path, is_gone: &dyn Fn(MessageId) -> bool, found: &mut Vec<PathBuf>) -> Result<()> {
    for path in entries(folder)? {
        let kind = path.symlink_metadata().map_err(StoreError::file("look at", &path))?.file_type();
        if kind.is_dir() && !NOT_SEARCHED.contains(&name(&path).as_str()) {
            search(&path, is_gone, found)?;
        } else if kind.is_file() && holds_line(&path, is_gone).map_err(StoreError::file("read", &path))? {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether a file is lines of JSON, and one of them a message that goes.
fn holds_line(path: &Path, is_gone: &dyn Fn(MessageId) -> bool) -> io::Result<bool> {
    let mut file = BufReader::new(File::open(path)?);
    if file.fill_buf()?.first() != Some(&b'{') {
        return Ok(false);
    }
    let mut line = Vec::new();
    while file.read_until(b'\n', &mut line)? > 0 {
        if serde_json::from_slice::<Message>(&line).is_ok_and(|message| is_gone(message.id)) {
            return Ok(true);
        }
        line.clear();
    }
    Ok(false)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The contents of a folder; empty if it is missing.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(found) => {
            let mut found: Vec<PathBuf> = found.filter_map(|entry| Some(entry.ok()?.path())).collect();
            found.sort();
            Ok(found)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(StoreError::file("list", folder)(error)),
    }
}
