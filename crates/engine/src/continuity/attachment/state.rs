//! How the file of an attachment stands beside its receipt now.

use super::{
    file::{modified_ns, read_unchanged},
    receipt::hash_of,
};
use cairn_domain::{Attachment, AttachmentState};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Entries of a folder that are looked at for a file that was renamed, and how many of them are read.
const MAX_ENTRIES_SEARCHED: usize = 1_000;
const MAX_CANDIDATES_READ: usize = 4;

/// How closely a file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateCheck {
    /// A file of the same size that was not written to since is the same.
    Quick,
    /// Its content is hashed, and a file that is gone is looked for near by.
    Thorough,
}

/// How a file stands, and where the same content is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) state: AttachmentState,
    pub(crate) moved_to: Option<PathBuf>,
}

/// Looks at the file of an attachment. Waits for no pipe and reads no more than an attachment may have.
pub(crate) fn file_state(attachment: &Attachment, check: StateCheck) -> FileState {
    let found = |state| FileState { state, moved_to: None };
    let Some(source) = &attachment.source else { return found(AttachmentState::Uploaded) };
    let path = Path::new(source);
    let Ok(about) = fs::metadata(path) else {
        let moved_to = match check {
            StateCheck::Quick => None,
            StateCheck::Thorough => found_near_by(path, attachment),
        };
        let state = if moved_to.is_some() { AttachmentState::Moved } else { AttachmentState::Gone };
        return FileState { state, moved_to };
    };
    if !about.is_file() || about.len() != attachment.bytes {
        return found(AttachmentState::Changed);
    }
    if check == StateCheck::Quick && modified_ns(&about) == attachment.modified_ns {
        return found(AttachmentState::There);
    }
    found(if holds_same(path, attachment) { AttachmentState::There } else { AttachmentState::Changed })
}

fn holds_same(path: &Path, attachment: &Attachment) -> bool {
    matches!(read_unchanged(path), Ok(Some((bytes, _))) if hash_of(&bytes).1 == attachment.sha256)
}

/// Where the same content stands in the folder of a file that is gone, or in a folder beside it.
fn found_near_by(path: &Path, attachment: &Attachment) -> Option<PathBuf> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    let renamed = entries(folder);
    let below = entries(folder).into_iter().chain(folder.parent().map(entries).unwrap_or_default());
    let elsewhere = below.filter(|entry| entry.is_dir()).map(|entry| entry.join(name));
    let is_candidate = |path: &PathBuf| {
        fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && about.len() == attachment.bytes)
    };
    let candidates = renamed.into_iter().chain(elsewhere).filter(is_candidate);
    candidates.take(MAX_CANDIDATES_READ).find(|path| holds_same(path, attachment))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.flatten().take(MAX_ENTRIES_SEARCHED).map(|entry| entry.path()).collect()
}
