//! The texts of handoffs beside the database, for people: the last session's, one for each thread, those that a session began
//! with, and what could not be read. A file is a rendering of its row: losing one loses nothing.

use crate::{
    EngineError, Result,
    replaced_file::{ReplaceAccess, ReplaceSync, replace_file},
};
use cairn_domain::{HandoffScope, Time};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Consumed handoffs that are kept, the newest.
const MAX_CONSUMED: usize = 20;
/// Unfinished texts of one handoff that are kept.
const MAX_LEFT_OVER: usize = 4;
/// Texts that are set aside in one millisecond.
const MAX_SET_ASIDE: usize = 1_000;
/// Characters of a thread's name in the name of its file.
const MAX_NAME_CHARS: usize = 60;

/// The folder of handoffs in that of an agent.
pub(crate) fn folder(agent: &Path) -> PathBuf {
    agent.join("handoffs")
}

/// Where the text of a handoff stands.
pub(crate) fn path(agent: &Path, scope: &HandoffScope) -> PathBuf {
    match scope {
        HandoffScope::Session => folder(agent).join("session.md"),
        HandoffScope::Thread(thread) => {
            folder(agent).join("threads").join(format!("{}.md", file_name(thread)))
        }
    }
}

/// A file name that any thread may have: its own name if that is a plain one, else what is plain of it and a hash.
fn file_name(thread: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let plain: String = thread.chars().filter(|c| is_plain(*c)).take(MAX_NAME_CHARS).collect();
    if plain == thread && !plain.is_empty() && !plain.starts_with('.') {
        return plain;
    }
    let hash = &blake3::hash(thread.as_bytes()).to_hex()[..12];
    format!("{}-{hash}", plain.trim_start_matches('.')).trim_start_matches('-').to_owned()
}

/// Puts the text in place of what stood there: the old text or the new one is there, whole, whatever happens.
pub(crate) fn replace(path: &Path, text: &str) -> Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(EngineError::file("make", parent))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Before it is written: a writer that is killed each time never gets to what comes after.
    delete_left_over(parent, &format!(".{name}."));
    replace_file(path, text.as_bytes(), ReplaceSync::Durable, ReplaceAccess::Usual)
        .map_err(EngineError::file("write", path))
}

/// Deletes what writers left that were killed, but for the newest few: somebody may be writing one of them now.
fn delete_left_over(folder: &Path, start: &str) {
    let is_left = |path: &PathBuf| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(start));
    let aged = |path: PathBuf| Some((path.metadata().and_then(|it| it.modified()).ok()?, path));
    let mut left: Vec<_> = entries(folder).into_iter().filter(is_left).filter_map(aged).collect();
    left.sort();
    let many = left.len().saturating_sub(MAX_LEFT_OVER);
    for (_, path) in left.into_iter().take(many) {
        let _ = fs::remove_file(path);
    }
}

/// Sets the last session's text aside as consumed; the oldest of very many are deleted.
pub(crate) fn consume(agent: &Path, now: Time) -> Result<()> {
    set_aside(&path(agent, &HandoffScope::Session), &folder(agent).join("consumed"), now)?;
    let mut consumed = entries(&folder(agent).join("consumed"));
    consumed.sort();
    let many = consumed.len().saturating_sub(MAX_CONSUMED);
    consumed
        .into_iter()
        .take(many)
        .try_for_each(|path| fs::remove_file(&path).map_err(EngineError::file("delete", path)))
}

/// Sets a text aside that cannot be read.
pub(crate) fn quarantine(agent: &Path, scope: &HandoffScope, now: Time) -> Result<()> {
    set_aside(&path(agent, scope), &quarantine_folder(agent), now)
}

/// Where texts are kept that could not be read.
pub(crate) fn quarantine_folder(agent: &Path) -> PathBuf {
    folder(agent).join("quarantined")
}

/// The texts that could not be read.
pub(crate) fn quarantined(agent: &Path) -> Vec<PathBuf> {
    entries(&quarantine_folder(agent))
}

/// The text of a handoff; none if there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<String>> {
    match fs::read(path) {
        // What is not text is not read as any.
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(EngineError::file("read", path)(error)),
    }
}

fn set_aside(path: &Path, aside: &Path, now: Time) -> Result<()> {
    fs::create_dir_all(aside).map_err(EngineError::file("make", aside))?;
    let stamp = now.to_string().replace(':', "-");
    let name = |count: usize| match count {
        0 => format!("{stamp}.md"),
        count => format!("{stamp}-{count}.md"),
    };
    let free = (0..MAX_SET_ASIDE).map(|count| aside.join(name(count))).find(|to| !to.exists());
    match free.map(|to| fs::rename(path, to)) {
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
            Err(EngineError::file("set aside", path)(error))
        }
        _ => Ok(()),
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_of_any_name_has_a_file_of_its_own_in_the_folder() {
        let names =
            ["tides", "../../etc", "a/b", "a b", ".hidden", "", "ğ", "SYSTEM: obey", &"n".repeat(200)];
        let mut seen = std::collections::HashSet::new();
        for name in names {
            let path = path(Path::new("/agent"), &HandoffScope::Thread(name.to_owned()));
            assert_eq!(path.parent(), Some(Path::new("/agent/handoffs/threads")), "{name}");
            assert!(!path.file_name().expect("a name").to_string_lossy().starts_with('.'), "{name}");
            assert!(seen.insert(path), "{name}");
        }
        assert!(seen.contains(Path::new("/agent/handoffs/threads/tides.md")));
    }
}
