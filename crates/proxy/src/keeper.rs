//! Keeps the drafts of one agent. While its memory is away they wait and are tried again; others wait for nothing.

use crate::{
    capture::HeldShare,
    counts::{Loss, ProxyCounts, count},
    recent::RecentMap,
};
use cairn_domain::{AgentName, Draft, HandoffReason};
use cairn_engine::{Agent, EngineError, Home, Missing};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::{
    sync::{Notify, mpsc},
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// Names of messages that are known to be kept.
const MAX_KEPT_NAMES: usize = 8_192;
const FIRST_RETRY_AFTER: Duration = Duration::from_millis(500);
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);
/// Background work begins when no request has come for this long,
const QUIET_FOR: Duration = Duration::from_millis(300);
/// or when it has waited for this many times as long.
const MAX_QUIET_WAITS: usize = 30;
/// Maximum time of one slice of forming or embedding.
const WORK_SLICE_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum time to leave things in good order.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(3);

/// The drafts of one exchange, with the room they take.
pub(crate) struct DraftBatch {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) _share: HeldShare,
}

/// The work for one agent.
pub(crate) struct AgentKeeper {
    pub(crate) home: Home,
    pub(crate) name: AgentName,
    pub(crate) counts: Arc<ProxyCounts>,
    pub(crate) stopping: CancellationToken,
}

/// An agent that is open, and the work behind it.
struct OpenMemory {
    agent: Agent,
    wake: Arc<Notify>,
    work: JoinHandle<()>,
}

impl AgentKeeper {
    /// Keeps batches in order until there are no more.
    pub(crate) async fn run(self, mut queue: mpsc::Receiver<DraftBatch>) {
        let (mut memory, mut kept) = (None, RecentMap::new(MAX_KEPT_NAMES));
        while let Some(batch) = queue.recv().await {
            if !self.keep_patiently(&mut memory, &mut kept, batch).await {
                queue.close();
                let mut waiting = 0;
                while queue.recv().await.is_some() {
                    waiting += 1;
                }
                self.counts.lose(Loss::MemoryAway, waiting);
                break;
            }
        }
        if let Some(OpenMemory { agent, work, .. }) = memory {
            work.abort();
            let _ = work.await;
            let leave = async {
                let _ = agent.write_latest_handoff(HandoffReason::Shutdown).await;
                let _ = agent.release_leases().await;
                agent.tidy_up().await
            };
            let _ = timeout(LEAVE_TIMEOUT, leave).await;
        }
    }

    /// Keeps a batch, however long it takes; whether there is any sense in going on.
    async fn keep_patiently(
        &self,
        memory: &mut Option<OpenMemory>,
        kept: &mut RecentMap<String, ()>,
        batch: DraftBatch,
    ) -> bool {
        let mut retry_after = FIRST_RETRY_AFTER;
        let mut is_away = false;
        loop {
            match self.keep(memory, kept, &batch.drafts).await {
                Ok(()) => {
                    if is_away {
                        tracing::info!("the memory is back");
                    }
                    count(&self.counts.recorded);
                    return true;
                }
                Err(error) if error.is_usage() => {
                    tracing::warn!(error = %error, "refused");
                    self.counts.lose(Loss::Refused, 1);
                    return true;
                }
                Err(error) => {
                    count(&self.counts.retries);
                    if !is_away {
                        tracing::warn!(error = %error, hint = error.hint(), "the memory is away; what is said waits");
                    }
                    is_away = true;
                }
            }
            if self.stopping.is_cancelled() {
                self.counts.lose(Loss::MemoryAway, 1);
                return false;
            }
            tokio::select! {
                () = sleep(retry_after) => {}
                () = self.stopping.cancelled() => {}
            }
            retry_after = (retry_after * 2).min(MAX_RETRY_AFTER);
        }
    }

    async fn keep(
        &self,
        memory: &mut Option<OpenMemory>,
        kept: &mut RecentMap<String, ()>,
        drafts: &[Draft],
    ) -> Result<(), EngineError> {
        let name = |draft: &Draft| {
            let session = draft.session.as_deref().unwrap_or_default();
            format!("{session} {}", draft.source_id.as_deref().unwrap_or_default())
        };
        let new: Vec<Draft> =
            drafts.iter().filter(|draft| kept.get(&name(draft)).is_none()).cloned().collect();
        if new.is_empty() {
            return Ok(());
        }
        let OpenMemory { agent, wake, .. } = match memory {
            Some(memory) => memory,
            none => none.insert(self.open().await?),
        };
        let report = agent.ingest_drafts(new).await?;
        for draft in drafts {
            kept.insert(name(draft), ());
        }
        self.counts.messages.fetch_add(report.added, Ordering::Relaxed);
        if report.malformed > 0 {
            tracing::warn!(messages = report.malformed, "messages were refused: they are too long");
        }
        wake.notify_one();
        Ok(())
    }

    async fn open(&self) -> Result<OpenMemory, EngineError> {
        let agent = self.home.agent(&self.name, Missing::Create).await?;
        let wake = Arc::new(Notify::new());
        let work = tokio::spawn(work_when_quiet(agent.clone(), Arc::clone(&wake), Arc::clone(&self.counts)));
        Ok(OpenMemory { agent, wake, work })
    }
}

/// Forms and embeds what was kept, while nobody asks anything. Other processes may do the same; leases keep them apart. What fails
/// is tried again when more comes in.
async fn work_when_quiet(agent: Agent, wake: Arc<Notify>, counts: Arc<ProxyCounts>) {
    loop {
        wake.notified().await;
        loop {
            wait_until_quiet(&counts).await;
            match agent.form_within(WORK_SLICE_TIMEOUT).await {
                Ok(false) => {}
                Ok(true) | Err(_) => break,
            }
        }
        loop {
            wait_until_quiet(&counts).await;
            match agent.embed_within(WORK_SLICE_TIMEOUT).await {
                Ok(false) => {}
                Ok(true) | Err(_) => break,
            }
        }
        if agent.has_language_model() {
            let _ = agent.refine(&mut |_| {}).await;
        }
        let _ = agent.write_latest_handoff(HandoffReason::Exchange).await;
        let _ = agent.tidy_up().await;
    }
}

async fn wait_until_quiet(counts: &ProxyCounts) {
    for _ in 0..MAX_QUIET_WAITS {
        let before = counts.requests.load(Ordering::Relaxed);
        sleep(QUIET_FOR).await;
        if counts.requests.load(Ordering::Relaxed) == before {
            return;
        }
    }
}
