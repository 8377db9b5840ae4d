//! Writes index files down, one process at a time. Everything is searchable without this; it keeps the next start quick.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
};
use cairn_domain::Time;

/// How long a process may keep an index in hand before another takes over.
const MAINTENANCE_LEASE_MS: i64 = 120_000;

impl Agent {
    /// Leaves things in good order before a process ends: writes index tails down that have grown long, so that the next
    /// process starts quickly. Where nothing can be written at the moment they stay as they are.
    pub async fn tidy_up(&self) -> Result<()> {
        self.store.checkpoint().await;
        match self.tend_indexes_in_need().await {
            Err(EngineError::Store(error)) if error.is_unwritable() => Ok(()),
            done => done,
        }
    }

    async fn tend_indexes_in_need(&self) -> Result<()> {
        if self.store.keyword_index_needs_flush() {
            self.tend_index().await?;
        }
        self.tend_vectors().await
    }

    /// Writes the keyword index down, if no other process is at it. Everything is searchable without this;
    /// it keeps the next start quick.
    pub(crate) async fn tend_index(&self) -> Result<()> {
        let tending = async || self.store.flush_keyword_index().await.map_err(EngineError::from);
        self.one_at_a_time("keyword-index", tending).await
    }

    /// Writes the vector index down if its tail has grown long and no other process is at it.
    pub(crate) async fn tend_vectors(&self) -> Result<()> {
        if !self.store.vector_index_needs_flush() {
            return Ok(());
        }
        let tending = async || self.store.flush_vector_index().await.map_err(EngineError::from);
        self.one_at_a_time("vector-index", tending).await
    }

    /// Does the job `name`, which answers how far it came, unless another process is at it.
    pub(crate) async fn one_at_a_time(
        &self,
        name: &'static str,
        work: impl AsyncFnOnce() -> Result<u32>,
    ) -> Result<()> {
        let _one_at_a_time = self.tending.lock().await;
        let (holder, now) = (self.holder(), self.now());
        let until = Time::from_millis(now.millis() + MAINTENANCE_LEASE_MS);
        if !self.store.claim_job(name, holder.clone(), now, until).await? {
            return Ok(());
        }
        let done = work().await;
        let reached = *done.as_ref().unwrap_or(&0);
        self.store.finish_job(name, holder, i64::from(reached), self.now()).await?;
        done.map(drop)
    }

    /// By what name this process holds leases on this agent.
    pub(crate) fn holder(&self) -> String {
        format!("{}-{:p}", std::process::id(), std::sync::Arc::as_ptr(&self.untended))
    }
}
