//! The agents that are open. Each is opened by its first request and stays open; beyond a maximum, the one used longest ago
//! is closed.

use super::{events::EventChannel, worker::BackgroundWorker};
use cairn_domain::AgentName;
use cairn_engine::{Agent, Home, Missing, Result};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

const MAX_OPEN_AGENTS: usize = 64;

/// An open agent with its events and its background worker.
pub(crate) struct OpenAgent {
    pub(crate) agent: Agent,
    pub(crate) events: EventChannel,
    pub(crate) worker: BackgroundWorker,
    last_use: AtomicU64,
}

/// Initialized once, however many requests wait for the same agent.
type AgentCell = Arc<OnceCell<Arc<OpenAgent>>>;

/// The agents that are open.
pub(crate) struct OpenAgents {
    home: Home,
    open: Mutex<HashMap<AgentName, AgentCell>>,
    uses: AtomicU64,
    stopping: CancellationToken,
}

impl OpenAgents {
    pub(crate) fn new(home: Home, stopping: CancellationToken) -> Self {
        Self { home, open: Mutex::default(), uses: AtomicU64::new(0), stopping }
    }

    /// The agent, opened if it is not open yet.
    pub(crate) async fn open(&self, name: &AgentName, missing: Missing) -> Result<Arc<OpenAgent>> {
        let cell = Arc::clone(self.lock().entry(name.clone()).or_default());
        let opened = cell
            .get_or_try_init(async || {
                let agent = self.home.agent(name, missing).await?;
                let events = EventChannel::default();
                let stop = self.stopping.child_token();
                let worker = BackgroundWorker::start(self.home.clone(), agent.clone(), events.clone(), stop);
                Ok(Arc::new(OpenAgent { agent, events, worker, last_use: AtomicU64::new(0) }))
            })
            .await
            .cloned();
        let mut open = self.lock();
        match &opened {
            Ok(agent) => {
                agent.last_use.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
                close_least_recently_used(&mut open);
            }
            // A name that belongs to no agent leaves no cell behind.
            Err(_) => {
                if open.get(name).is_some_and(|cell| !cell.initialized()) {
                    open.remove(name);
                }
            }
        }
        opened
    }

    /// The agents that are open now, sorted by name.
    pub(crate) fn list_open(&self) -> Vec<(AgentName, Arc<OpenAgent>)> {
        let open = self.lock();
        let opened = |(name, cell): (&AgentName, &AgentCell)| Some((name.clone(), Arc::clone(cell.get()?)));
        let mut agents: Vec<_> = open.iter().filter_map(opened).collect();
        agents.sort_by(|a, b| a.0.cmp(&b.0));
        agents
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AgentName, AgentCell>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn close_least_recently_used(open: &mut HashMap<AgentName, AgentCell>) {
    while open.len() > MAX_OPEN_AGENTS {
        let last_use = |cell: &AgentCell| cell.get().map(|agent| agent.last_use.load(Ordering::Relaxed));
        let oldest = open.iter().filter_map(|(name, cell)| Some((last_use(cell)?, name.clone()))).min();
        match oldest {
            Some((_, name)) => drop(open.remove(&name)),
            None => return,
        }
    }
}
