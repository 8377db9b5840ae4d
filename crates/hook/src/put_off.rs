//! Words that a hook had no time to keep: they are put in a file, which takes no time, and the next hook of any session keeps them.
//! Each bears the moment it was told at, so that words which were kept after all are known.

use crate::{Event, Host, Input, state, words};
use cairn_domain::Time;
use cairn_engine::{Agent, EngineError, ReplaceAccess, ReplaceSync, replace_file};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Files that one hook takes up.
const MAX_TAKEN_UP: usize = 16;

#[derive(Serialize, Deserialize)]
struct PutOffWords {
    host: String,
    event: String,
    at: Time,
    input: Box<RawValue>,
}

fn folder(agent: &Path) -> PathBuf {
    state::folder(agent).join("put-off")
}

/// Leaves what a host told for the next hook, durably.
pub fn put_off(agent: &Path, (host, event): (Host, Event), at: Time, told: &str) -> std::io::Result<()> {
    let carries_words = match event {
        Event::UserPromptSubmit => true,
        Event::PostToolUse | Event::PostToolUseFailure | Event::SubagentStop | Event::Stop => {
            !host.has_transcript()
        }
        Event::SessionStart | Event::PreToolUse | Event::PreCompact | Event::SessionEnd => false,
    };
    let Some(input) = carries_words.then(|| RawValue::from_string(told.to_owned()).ok()).flatten() else {
        return Ok(());
    };
    let (host, event) = (host.to_string(), event.to_string());
    let words = serde_json::to_vec(&PutOffWords { host, event, at, input })?;
    let name = format!("{:015}-{}.json", at.millis(), &blake3::hash(&words).to_hex()[..12]);
    let folder = folder(agent);
    fs::create_dir_all(&folder)?;
    replace_file(&folder.join(name), &words, ReplaceSync::Durable, ReplaceAccess::Usual)
}

/// Keeps what earlier hooks had no time for, the oldest first.
pub(crate) async fn take_up(agent: &Agent) -> Result<(), EngineError> {
    let entries = folder(agent.folder()).read_dir().into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|it| it.path()).filter(|path| path.extension().is_some_and(|it| it == "json")).collect();
    files.sort();
    for file in files.into_iter().take(MAX_TAKEN_UP) {
        // Whatever nobody can read is removed, too.
        if let Some((occasion, at, input)) = fs::read(&file).ok().and_then(|bytes| read(&bytes)) {
            match words::keep(agent, occasion, &input, at).await {
                Ok(()) | Err(EngineError::Invalid(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let _ = fs::remove_file(&file);
    }
    Ok(())
}

fn read(bytes: &[u8]) -> Option<((Host, Event), Time, Input)> {
    let PutOffWords { host, event, at, input } = serde_json::from_slice(bytes).ok()?;
    let input = Input::parse(input.get().as_bytes()).ok()?;
    Some(((host.parse().ok()?, event.parse().ok()?), at, input))
}
