//! State that one hook of a session leaves for the next: how far the transcript was read, and what the model was shown. It can be
//! lost at any time; then a transcript is read again, which adds nothing, and something may be shown twice.

use cairn_engine::{
    Agent, EngineError,
    limits::{MAX_HOOK_SESSIONS, MAX_HOOK_SHOWN_REFS},
};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Other sessions that are looked at for a transcript that has grown …
const MAX_OTHERS_SEARCHED: usize = 16;
/// … and those that one hook catches up with.
const MAX_OTHERS: usize = 4;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct State {
    /// The transcript.
    pub(crate) transcript: Option<PathBuf>,
    /// Where the last hook began to read it …
    pub(crate) read_from: u64,
    /// … and where it ended.
    pub(crate) read_to: u64,
    /// The refs of what the model was shown, the oldest first.
    pub(crate) shown: Vec<String>,
}

impl State {
    /// The state the last hook left; empty if it cannot be read.
    pub(crate) fn read(agent: &Agent, session: &str) -> Self {
        let bytes = fs::read(file(agent, session)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Leaves it for the next hook, all of it or nothing.
    pub(crate) fn write(&mut self, agent: &Agent, session: &str) -> Result<(), EngineError> {
        let many = self.shown.len().saturating_sub(MAX_HOOK_SHOWN_REFS);
        self.shown.drain(..many);
        let path = file(agent, session);
        let failed = |source: io::Error| EngineError::File { doing: "write", path: path.clone(), source };
        let folder = folder(agent.folder());
        fs::create_dir_all(&folder).map_err(failed)?;
        if !path.exists() {
            forget_oldest(&folder);
        }
        self.replace(&path).map_err(failed)
    }

    /// Puts it in place of the one in this file.
    pub(crate) fn replace(&self, path: &Path) -> io::Result<()> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let new = path.with_file_name(format!(".{name}.{}", std::process::id()));
        fs::write(&new, serde_json::to_vec(self)?)?;
        fs::rename(&new, path)
    }

    /// The states of other sessions whose transcripts have grown since, with their files; the newest few.
    pub(crate) fn of_others(agent: &Agent, session: &str) -> Vec<(PathBuf, Self)> {
        let own = file(agent, session);
        let mut files = by_age(&folder(agent.folder()));
        files.reverse();
        let state = |path: PathBuf| {
            let state: Self = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
            let grown = state.transcript.as_ref()?.metadata().ok()?.len() > state.read_to;
            grown.then_some((path, state))
        };
        let others = files.into_iter().filter(|path| *path != own).take(MAX_OTHERS_SEARCHED);
        others.filter_map(state).take(MAX_OTHERS).collect()
    }
}

/// Where hooks keep what they need, in the folder of an agent.
pub(crate) fn folder(agent: &Path) -> PathBuf {
    agent.join("hooks")
}

fn file(agent: &Agent, session: &str) -> PathBuf {
    folder(agent.folder()).join(format!("{}.json", name(session)))
}

/// A file name that any session may have.
fn name(session: &str) -> String {
    blake3::hash(session.as_bytes()).to_hex()[..24].to_owned()
}

/// Makes room: sessions that nobody has come back to for the longest time are forgotten.
fn forget_oldest(folder: &Path) {
    let files = by_age(folder);
    let many = files.len().saturating_sub(MAX_HOOK_SESSIONS - 1);
    for path in files.into_iter().take(many) {
        let _ = fs::remove_file(path);
    }
}

/// The files of sessions, those that were written longest ago first.
fn by_age(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let aged = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let mut files: Vec<_> = entries
        .filter_map(aged)
        .filter(|(_, path)| path.extension().is_some_and(|it| it == "json"))
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}
