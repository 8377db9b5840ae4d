//! Counts and sizes.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    write::stored_name,
};
use cairn_domain::SessionKey;
use cairn_store::{After, Counts, MessageRecord, Rebuilt, SessionRecord, ThreadRecord, VerificationReport};
use std::path::Path;

/// How much an agent holds and what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// How many of each kind of record it holds.
    pub counts: Counts,
    /// Messages that wait for their vectors; none do where no embedder is wanted.
    pub pending_embeddings: u64,
    /// Messages that could be put to a language model; none where there is none.
    pub pending_refinements: u64,
    /// Bytes of its folder, backups left out; on a server of its rows.
    pub disk_bytes: u64,
    /// Bytes of the archive within.
    pub archive_bytes: u64,
    /// Bytes of derived indexes within.
    pub index_bytes: u64,
}

impl Agent {
    /// How much there is.
    pub async fn stats(&self) -> Result<Stats> {
        let (counts, rows) = self.store.read(|view| Ok((view.counts()?, view.row_bytes()?))).await?;
        let bytes = |name: &str| folder_bytes(&self.folder.join(name));
        let wanted = self.embedders.configured().spec().is_some();
        let in_folder = folder_bytes(&self.folder) - bytes("backups");
        Ok(Stats {
            counts,
            pending_embeddings: if wanted { counts.messages - counts.embedded } else { 0 },
            pending_refinements: if self.language.is_empty() { 0 } else { counts.unrefined },
            disk_bytes: rows.map_or(in_folder, |rows| rows.archive + rows.index),
            archive_bytes: rows.map_or_else(|| bytes("archive"), |rows| rows.archive),
            index_bytes: rows.map_or_else(|| bytes("index"), |rows| rows.index),
        })
    }

    /// At most `limit` sessions, the one spoken in last first.
    pub async fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>> {
        self.sessions_after(None, limit as u32).await
    }

    /// The same after the last of an earlier part.
    pub async fn sessions_after(&self, after: Option<After>, limit: u32) -> Result<Vec<SessionRecord>> {
        Ok(self.store.read(|view| view.sessions(after.as_ref(), limit as usize)).await?)
    }

    /// At most `limit` messages of a session, the last recorded first, before the one with this number in that order.
    pub async fn session(&self, name: &str, before: Option<u32>, limit: u32) -> Result<Vec<MessageRecord>> {
        Ok(self.store.read(|view| view.of_session(&stored_name(name), before, limit)).await?)
    }

    /// The key of a session, by which it is known wherever it is.
    pub async fn session_key(&self, name: &str) -> Result<SessionKey> {
        let session = stored_name(name);
        let first = self.store.read(|view| view.first_of_session(&session)).await?;
        let first = first.ok_or_else(|| EngineError::NotFound(format!("session {name}")))?;
        Ok(SessionKey { agent: self.name.clone(), session, first: first.message.id })
    }

    /// At most `limit` threads, the one spoken in last first.
    pub async fn threads(&self, limit: usize) -> Result<Vec<ThreadRecord>> {
        self.threads_after(None, limit as u32).await
    }

    /// The same after the last of an earlier part.
    pub async fn threads_after(&self, after: Option<After>, limit: u32) -> Result<Vec<ThreadRecord>> {
        Ok(self.store.read(|view| view.threads(after.as_ref(), limit as usize)).await?)
    }

    /// Rebuilds everything that is derived from the archive.
    pub async fn rebuild(&self) -> Result<Rebuilt> {
        let rebuilt = self.store.rebuild().await?;
        self.tend_index().await?;
        Ok(rebuilt)
    }

    /// Checks archive, seals, database and index against each other.
    pub async fn verify(&self) -> Result<VerificationReport> {
        Ok(self.store.verify().await?)
    }
}

/// Bytes of a folder and what is below it; files that vanish meanwhile count nothing.
pub(super) fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = folder.read_dir() else { return 0 };
    let bytes = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => folder_bytes(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.filter_map(std::result::Result::ok).map(bytes).sum()
}
