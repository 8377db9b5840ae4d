//! State that one hook of a session leaves for the next: how far the transcript was read, and what the model was shown. It can be
//! lost at any time; then a transcript is read again, which adds nothing, and something may be shown twice.

use cairn_engine::{
    Agent, EngineError, ReplaceAccess, ReplaceSync,
    limits::{MAX_HOOK_SESSIONS, MAX_HOOK_SHOWN_REFS},
    replace_file,
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
/// Questions of a session that are remembered as asked.
const MAX_ASKED: usize = 200;
/// Actions of a session whose outcome is waited for.
const MAX_PENDING: usize = 50;

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
    /// Actions that were asked about and not done since.
    pub(crate) asked: Vec<String>,
    /// Actions that were decided about, whose outcome is not known yet.
    pub(crate) pending: Vec<PendingAction>,
    /// The last action that was proposed …
    pub(crate) last_action: String,
    /// … and how often in a row.
    pub(crate) in_a_row: u32,
}

/// An action that was decided about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingAction {
    pub(crate) key: String,
    /// The receipt of the decision.
    pub(crate) receipt: u64,
}

impl State {
    /// The state the last hook left; empty if it cannot be read.
    pub(crate) fn read(agent_folder: &Path, session: &str) -> Self {
        let bytes = fs::read(file(agent_folder, session)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Leaves it for the next hook, all of it or nothing.
    pub(crate) fn write(&mut self, agent_folder: &Path, session: &str) -> Result<(), EngineError> {
        keep_newest(&mut self.shown, MAX_HOOK_SHOWN_REFS);
        keep_newest(&mut self.asked, MAX_ASKED);
        keep_newest(&mut self.pending, MAX_PENDING);
        let path = file(agent_folder, session);
        let failed = |source: io::Error| EngineError::File { doing: "write", path: path.clone(), source };
        let folder = folder(agent_folder);
        fs::create_dir_all(&folder).map_err(failed)?;
        if !path.exists() {
            forget_oldest(&folder);
        }
        self.replace(&path).map_err(failed)
    }

    /// Remembers an action whose outcome is not known yet.
    pub(crate) fn remember_pending(&mut self, pending: PendingAction) {
        self.pending.retain(|known| known.key != pending.key);
        self.pending.push(pending);
    }

    /// The receipt of the decision about an action that was done now.
    pub(crate) fn take_pending(&mut self, key: &str) -> Option<u64> {
        let at = self.pending.iter().position(|known| known.key == key)?;
        Some(self.pending.remove(at).receipt)
    }

    /// Puts it in place of the one in this file.
    pub(crate) fn replace(&self, path: &Path) -> io::Result<()> {
        replace_file(path, &serde_json::to_vec(self)?, ReplaceSync::Cached, ReplaceAccess::Usual)
    }

    /// The states of other sessions whose transcripts have grown since, with their files; the newest few.
    pub(crate) fn of_others(agent: &Agent, session: &str) -> Vec<(PathBuf, Self)> {
        let own = file(agent.folder(), session);
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

fn keep_newest<T>(all: &mut Vec<T>, most: usize) {
    let many = all.len().saturating_sub(most);
    all.drain(..many);
}

fn file(agent_folder: &Path, session: &str) -> PathBuf {
    folder(agent_folder).join(format!("{}.json", name(session)))
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
