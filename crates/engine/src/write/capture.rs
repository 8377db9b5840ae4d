//! Capture: one message, acknowledged when it is durable.

use super::{door::settle, intake::JOB as FORMING};
use crate::{Agent, EngineError, Result, meter::Stages};
use cairn_domain::{Draft, ExchangeId, Invalid, Message, MessageId};
use cairn_store::Appended;
use std::{sync::atomic::Ordering, time::Duration};

/// Messages written by one process before it looks after the keyword index.
const TEND_AFTER: usize = 4_096;
/// How long a process may keep an index in hand before another takes over.
const TEND_LEASE_MS: i64 = 120_000;

/// A message that is now kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The message.
    pub message: MessageId,
    /// The exchange it belongs to.
    pub exchange: ExchangeId,
    /// Whether it was there already.
    pub duplicate: bool,
}

impl From<Appended> for Remembered {
    fn from(appended: Appended) -> Self {
        Self { message: appended.id, exchange: appended.exchange, duplicate: appended.duplicate }
    }
}

impl Agent {
    /// Keeps one message. When this returns, it is durable and every process finds it.
    pub async fn remember(&self, draft: Draft) -> Result<Remembered> {
        let message = settle(draft, self.now(), &self.config.capture)?;
        let (id, stages) = (message.id, Stages::of_write());
        let kept = self.append(vec![message]).await?.pop();
        stages.all("acknowledge");
        if let Some(kept) = kept.as_ref().filter(|kept| kept.duplicate)
            && self.store.read(|view| view.message(kept.message)).await?.is_none()
        {
            let hint = "say it in other words if it is meant anew; an operator has erased these";
            return Err(Invalid::new("these words were erased, and stay so", hint).into());
        }
        Ok(kept.unwrap_or(Remembered { message: id, exchange: id.into(), duplicate: true }))
    }

    /// Keeps several messages, in order, under one fsync.
    pub async fn remember_all(&self, drafts: Vec<Draft>) -> Result<Vec<Remembered>> {
        let now = self.now();
        let settle = |draft: Draft| settle(draft, now, &self.config.capture);
        let messages = drafts.into_iter().map(settle).collect::<std::result::Result<_, _>>()?;
        self.append(messages).await
    }

    /// Keeps a batch of settled messages under one fsync.
    pub(crate) async fn append(&self, messages: Vec<Message>) -> Result<Vec<Remembered>> {
        let appended = self.store.append(messages, self.now()).await?;
        let added = appended.iter().filter(|message| !message.duplicate).count();
        let untended = self.untended.fetch_add(added, Ordering::Relaxed) + added;
        if untended >= TEND_AFTER {
            self.untended.store(0, Ordering::Relaxed);
            let agent = self.clone();
            tokio::spawn(async move { agent.tend_index().await });
        }
        Ok(appended.into_iter().map(Remembered::from).collect())
    }

    /// Forms what was not formed yet, for so long at most; whether all was done. What is left is left to whoever comes next,
    /// at once.
    pub async fn form_within(&self, limit: Duration) -> Result<bool> {
        if let Ok(formed) = tokio::time::timeout(limit, self.form(&mut |_| {})).await {
            return formed.map(|_| true);
        }
        let reached = self.formed_up_to().await?;
        self.store.finish(FORMING, self.holder(), i64::from(reached), self.now()).await?;
        Ok(false)
    }

    /// Leaves things in good order before a process ends: writes index tails down that have grown long, so that the next
    /// process starts quickly.
    pub async fn tidy_up(&self) -> Result<()> {
        self.store.sweep().await;
        if self.store.keywords_want_tending() {
            self.tend_index().await?;
        }
        self.tend_vectors().await
    }

    /// Writes the keyword index down, if no other process is at it. Everything is searchable without this;
    /// it keeps the next start quick.
    pub(crate) async fn tend_index(&self) -> Result<()> {
        let tending = async || self.store.tend_keywords().await.map_err(EngineError::from);
        self.one_at_a_time("keyword-index", tending).await
    }

    /// Does the job `name`, which answers how far it came, unless another process is at it.
    pub(crate) async fn one_at_a_time(
        &self,
        name: &'static str,
        work: impl AsyncFnOnce() -> Result<u32>,
    ) -> Result<()> {
        let _one_at_a_time = self.tending.lock().await;
        let (holder, now) = (self.holder(), self.now());
        let until = cairn_domain::Time::from_millis(now.millis() + TEND_LEASE_MS);
        if !self.store.claim(name, holder.clone(), now, until).await? {
            return Ok(());
        }
        let done = work().await;
        let reached = *done.as_ref().unwrap_or(&0);
        self.store.finish(name, holder, i64::from(reached), self.now()).await?;
        done.map(drop)
    }

    /// By what name this process holds leases on this agent.
    pub(crate) fn holder(&self) -> String {
        format!("{}-{:p}", std::process::id(), std::sync::Arc::as_ptr(&self.untended))
    }
}
