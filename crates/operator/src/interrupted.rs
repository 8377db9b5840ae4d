//! Decisions about proposals that are interrupted between their file and their receipt. Each is noted before the file is written;
//! whoever comes next records the one whose file was written, and forgets the other. No file is written here.

use crate::error::{OperatorError, Result};
use cairn_domain::AgentName;
use cairn_engine::{Agent, Home, Missing, content_hash};
use cairn_store::{
    ProposalRecord, Store, UnfinishedDecision,
    protected::{self, ProposalMove, SettingChange},
};
use std::fs::{self, File, TryLockError};

/// Held while an identity file is written; given back by a process that is killed.
pub(crate) struct FileLock(#[expect(dead_code, reason = "closing it gives the lock back")] File);

impl FileLock {
    /// Takes the lock of an agent's identity; `None` if somebody holds it.
    pub(crate) fn take(agent: &Agent) -> Result<Option<Self>> {
        let folder = agent.folder().join("identity").join("before");
        fs::create_dir_all(&folder).map_err(OperatorError::file("make", &folder))?;
        let path = folder.join("LOCK");
        let file = File::create(&path).map_err(OperatorError::file("open", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(OperatorError::file("lock", &path)(error)),
        }
    }

    /// Takes the lock, or says that somebody holds it.
    pub(crate) fn require(agent: &Agent) -> Result<Self> {
        Self::take(agent)?.ok_or_else(|| OperatorError::Refused {
            problem: "another decision is being written".to_owned(),
            hint: "try again in a moment; nothing was changed".to_owned(),
        })
    }
}

/// Notes a decision before its file is written.
pub(crate) async fn begin(store: &Store, change: &SettingChange, actor: &str) -> Result<()> {
    let Some(ProposalMove { was, becomes }) = &change.proposal else { return Ok(()) };
    let begun = UnfinishedDecision {
        was: *was,
        becomes: becomes.status,
        name: change.name.clone(),
        known: change.was.clone(),
        value: change.value.clone(),
        told: change.told.clone(),
        actor: actor.to_owned(),
    };
    Ok(protected::begin_decision(store, becomes.id, begun).await?)
}

/// Forgets a decision whose file is as it was before.
pub(crate) async fn forget(store: &Store, change: &SettingChange) -> Result<()> {
    let Some(ProposalMove { was, becomes }) = &change.proposal else { return Ok(()) };
    Ok(protected::forget_decision(store, becomes.id, *was).await?)
}

/// Finishes or forgets decisions about proposals that were interrupted; what was done about each. The operator who began it had
/// signed in, so that nobody has to again.
pub async fn finish_interrupted(home: &Home, agent: &AgentName) -> Result<Vec<String>> {
    let opened = home.agent(agent, Missing::Refuse).await?;
    if !opened.has_unfinished_decision().await? {
        return Ok(Vec::new());
    }
    // Whoever holds the lock is still at it.
    let Some(_lock) = FileLock::take(&opened)? else { return Ok(Vec::new()) };
    let store = home.protected_store(agent).await?;
    let mut notes = Vec::new();
    for (id, begun) in store.read(|view| view.unfinished_decisions()).await? {
        let Some(record) = store.read(|view| view.proposal(id)).await? else { continue };
        notes.push(finish(home, &store, &opened, &Interrupted { record, begun }).await?);
    }
    Ok(notes)
}

/// A proposal, and the decision about it that was interrupted.
struct Interrupted {
    record: ProposalRecord,
    begun: UnfinishedDecision,
}

async fn finish(
    home: &Home,
    store: &Store,
    agent: &Agent,
    Interrupted { record, begun }: &Interrupted,
) -> Result<String> {
    let id = record.id;
    // A file that is gone has no words.
    let text = fs::read(agent.folder().join(&begun.name)).unwrap_or_default();
    if content_hash(&text) != begun.value {
        protected::forget_decision(store, id, begun.was).await?;
        return Ok(format!("a decision about {id} was interrupted before {} was written", begun.name));
    }
    let UnfinishedDecision { was, becomes, name, known, value, told, actor } = begun.clone();
    let becomes = ProposalRecord { status: becomes, ..record.clone() };
    let proposal = Some(ProposalMove { was, becomes });
    let told_of = format!("a decision about {id} was interrupted after {name} was written");
    let change = SettingChange { name, was: known, value, told, proposal };
    let number = protected::configure(store, change, actor, home.now()).await?;
    Ok(format!("{told_of}; receipt {number} records it"))
}
