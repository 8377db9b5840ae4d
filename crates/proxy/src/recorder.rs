//! Recording, behind the answers and in a thread of its own: whatever happens here, streams go on. Exchanges are read in the order
//! in which they ended; each agent has a keeper, so that one whose memory is away holds up no other.

use crate::{
    capture::HeldBudget,
    counts::{Loss, ProxyCounts, count},
    exchange::{ExchangeDrafts, KnownAnswers, PassedExchange, Unread},
    failure::ProxyError,
    keeper::{AgentKeeper, DraftBatch},
};
use cairn_domain::{AgentName, Draft};
use cairn_engine::{
    Home,
    limits::{MAX_PROXY_AGENTS, MAX_PROXY_WAITING_EXCHANGES},
};
use std::{collections::HashMap, sync::Arc, thread, time::Duration};
use tokio::{
    runtime,
    sync::{mpsc, oneshot},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Threads that record; streams have their own.
const WORKER_THREADS: usize = 1;
const RUNTIME_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Takes exchanges that passed. Cheap to clone; recording ends when the last one is dropped.
#[derive(Clone)]
pub(crate) struct ExchangeRecorder {
    queue: mpsc::Sender<PassedExchange>,
    counts: Arc<ProxyCounts>,
}

impl ExchangeRecorder {
    /// Hands an exchange over, or counts it if too many wait. Never waits.
    pub(crate) fn submit(&self, exchange: PassedExchange) {
        count(&self.counts.submitted);
        if self.queue.try_send(exchange).is_err() {
            self.counts.lose(Loss::QueueFull, 1);
        }
    }
}

/// Everything the thread that records needs.
pub(crate) struct RecordingSetup {
    pub(crate) home: Home,
    pub(crate) counts: Arc<ProxyCounts>,
    pub(crate) budget: HeldBudget,
    pub(crate) known: Arc<KnownAnswers>,
    /// Bytes that a body may have when it is unpacked.
    pub(crate) body_bytes: usize,
    /// Canceled when nothing more is waited for.
    pub(crate) stopping: CancellationToken,
}

/// Starts the thread that records. The receiver resolves when everything that was handed over is kept or counted.
pub(crate) fn start_recorder(
    setup: RecordingSetup,
) -> Result<(ExchangeRecorder, oneshot::Receiver<()>), ProxyError> {
    let failed = |error: std::io::Error| ProxyError::Setup(error.to_string());
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(WORKER_THREADS)
        .thread_name("cairn-recorder")
        .enable_all()
        .build()
        .map_err(failed)?;
    let (queue, submitted) = mpsc::channel(MAX_PROXY_WAITING_EXCHANGES);
    let (finished, done) = oneshot::channel();
    let recorder = ExchangeRecorder { queue, counts: Arc::clone(&setup.counts) };
    let record = move || {
        runtime.block_on(read_exchanges(setup, submitted));
        runtime.shutdown_timeout(RUNTIME_SHUTDOWN_TIMEOUT);
        // Nobody waits any more if the time for it is over.
        let _ = finished.send(());
    };
    thread::Builder::new().name("cairn-recording".to_owned()).spawn(record).map_err(failed)?;
    Ok((recorder, done))
}

async fn read_exchanges(setup: RecordingSetup, mut submitted: mpsc::Receiver<PassedExchange>) {
    let mut keepers =
        AgentKeepers { setup: &setup, open: HashMap::new(), tasks: TaskTracker::new(), uses: 0 };
    while let Some(exchange) = submitted.recv().await {
        let (known, limit) = (Arc::clone(&setup.known), setup.body_bytes);
        let read = tokio::task::spawn_blocking(move || exchange.into_drafts(&known, limit)).await;
        match read.unwrap_or(Err(Unread::Unreadable)) {
            Ok(ExchangeDrafts { agent, drafts, missing }) => {
                if let Some(missing) = missing {
                    count(&setup.counts.answers_unread);
                    tracing::warn!(why = loss(missing).as_str(), "an answer is not recorded");
                }
                keepers.hand_over(agent, drafts);
            }
            Err(unread) => setup.counts.lose(loss(unread), 1),
        }
    }
    drop(keepers.open);
    keepers.tasks.close();
    keepers.tasks.wait().await;
}

fn loss(unread: Unread) -> Loss {
    match unread {
        Unread::TooLarge => Loss::TooLarge,
        Unread::Unreadable => Loss::Unreadable,
    }
}

/// The queue of one agent's keeper.
struct KeeperQueue {
    batches: mpsc::Sender<DraftBatch>,
    last_use: u64,
}

struct AgentKeepers<'a> {
    setup: &'a RecordingSetup,
    open: HashMap<AgentName, KeeperQueue>,
    tasks: TaskTracker,
    uses: u64,
}

impl AgentKeepers<'_> {
    fn hand_over(&mut self, agent: AgentName, drafts: Vec<Draft>) {
        let counts = &self.setup.counts;
        let bytes = drafts.iter().map(|draft| draft.text.len()).sum();
        let Some(share) = self.setup.budget.hold(bytes) else { return counts.lose(Loss::QueueFull, 1) };
        self.uses += 1;
        let (uses, setup, tasks) = (self.uses, self.setup, &self.tasks);
        let keeper = self.open.entry(agent).or_insert_with_key(|name| {
            let (batches, queue) = mpsc::channel(MAX_PROXY_WAITING_EXCHANGES);
            let keeper = AgentKeeper {
                home: setup.home.clone(),
                name: name.clone(),
                counts: Arc::clone(&setup.counts),
                stopping: setup.stopping.clone(),
            };
            tasks.spawn(keeper.run(queue));
            KeeperQueue { batches, last_use: uses }
        });
        keeper.last_use = uses;
        if keeper.batches.try_send(DraftBatch { drafts, _share: share }).is_err() {
            counts.lose(Loss::QueueFull, 1);
        }
        if self.open.len() > MAX_PROXY_AGENTS {
            let oldest =
                self.open.iter().min_by_key(|(_, keeper)| keeper.last_use).map(|(name, _)| name.clone());
            if let Some(name) = oldest {
                self.open.remove(&name);
            }
        }
    }
}
