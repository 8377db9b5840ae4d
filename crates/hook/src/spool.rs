//! Words that a hook had no time to keep: they are spooled to a file, which takes no time, and the next hook of any session
//! keeps them. Each bears the moment it was told at, so that words which were kept after all are known.

use crate::{Event, Host, Input, state, words};
use cairn_domain::Time;
use cairn_engine::{
    Agent, EngineError, ReplaceAccess, ReplaceSync,
    limits::{MAX_SPOOLED_KEPT_BY_HOOK, MAX_SPOOLED_WORDS},
    replace_file,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

#[derive(Serialize, Deserialize)]
struct SpooledWords {
    host: String,
    event: String,
    at: Time,
    input: Box<RawValue>,
}

fn folder(agent: &Path) -> PathBuf {
    state::folder(agent).join("spool")
}

/// Leaves what a host told for the next hook, durably.
pub fn spool(agent: &Path, (host, event): (Host, Event), at: Time, told: &str) -> io::Result<()> {
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
    let folder = folder(agent);
    fs::create_dir_all(&folder)?;
    if folder.read_dir()?.count() >= MAX_SPOOLED_WORDS {
        let full = format!("{MAX_SPOOLED_WORDS} hooks wait in {} already", folder.display());
        return Err(io::Error::new(io::ErrorKind::QuotaExceeded, full));
    }
    let (host, event) = (host.to_string(), event.to_string());
    let words = serde_json::to_vec(&SpooledWords { host, event, at, input })?;
    let name = format!("{:015}-{}.json", at.millis(), &blake3::hash(&words).to_hex()[..12]);
    replace_file(&folder.join(name), &words, ReplaceSync::Durable, ReplaceAccess::Usual)
}

/// Whether anything waits to be kept.
pub fn has_spooled_words(agent: &Path) -> bool {
    waiting_files(agent).next().is_some()
}

fn waiting_files(agent: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = folder(agent).read_dir().into_iter().flatten().flatten();
    entries.map(|it| it.path()).filter(|path| path.extension().is_some_and(|it| it == "json"))
}

/// Keeps some of what earlier hooks had no time for, the oldest first.
pub(crate) async fn keep_some(agent: &Agent) -> Result<(), EngineError> {
    keep_first(agent, MAX_SPOOLED_KEPT_BY_HOOK).await
}

/// Keeps all that earlier hooks had no time for.
pub async fn drain_spool(agent: &Agent) -> Result<(), EngineError> {
    keep_first(agent, MAX_SPOOLED_WORDS).await
}

async fn keep_first(agent: &Agent, count: usize) -> Result<(), EngineError> {
    let mut files: Vec<PathBuf> = waiting_files(agent.folder()).collect();
    files.sort();
    for file in files.into_iter().take(count) {
        let is_kept = match fs::read(&file).ok().and_then(|bytes| read(&bytes)) {
            Some((occasion, at, input)) => match words::keep(agent, occasion, &input, at).await {
                Ok(()) => true,
                Err(EngineError::Invalid(_)) => false,
                Err(error) => return Err(error),
            },
            None => false,
        };
        // What no hook can keep is not tried again; a person can still read it.
        let _ =
            if is_kept { fs::remove_file(&file) } else { fs::rename(&file, file.with_extension("refused")) };
    }
    Ok(())
}

fn read(bytes: &[u8]) -> Option<((Host, Event), Time, Input)> {
    let SpooledWords { host, event, at, input } = serde_json::from_slice(bytes).ok()?;
    let input = Input::parse(input.get().as_bytes()).ok()?;
    Some(((host.parse().ok()?, event.parse().ok()?), at, input))
}
