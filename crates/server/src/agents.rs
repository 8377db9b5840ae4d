//! The agents that are open. Each is opened when it is first asked and kept; of very many, those asked last.

use crate::{events::Events, tender::Tender};
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

/// Agents that are open at the same time.
const MOST: usize = 64;

/// An agent that is open, what is told of it and who works behind it.
pub(crate) struct Kept {
    pub(crate) agent: Agent,
    pub(crate) events: Events,
    pub(crate) tender: Tender,
    asked: AtomicU64,
}

type Cell = Arc<OnceCell<Arc<Kept>>>;

pub(crate) struct Agents {
    home: Home,
    open: Mutex<HashMap<AgentName, Cell>>,
    asks: AtomicU64,
    stopping: CancellationToken,
}

impl Agents {
    pub(crate) fn new(home: Home, stopping: CancellationToken) -> Self {
        Self { home, open: Mutex::default(), asks: AtomicU64::new(0), stopping }
    }

    /// The agent, opened if it is not yet.
    pub(crate) async fn open(&self, name: &AgentName, missing: Missing) -> Result<Arc<Kept>> {
        let cell = Arc::clone(self.lock().entry(name.clone()).or_default());
        let opened = cell
            .get_or_try_init(async || {
                let agent = self.home.agent(name, missing).await?;
                let events = Events::default();
                let tender = Tender::start(
                    self.home.clone(),
                    agent.clone(),
                    events.clone(),
                    self.stopping.child_token(),
                );
                Ok(Arc::new(Kept { agent, events, tender, asked: AtomicU64::new(0) }))
            })
            .await
            .cloned();
        let mut open = self.lock();
        match &opened {
            Ok(kept) => {
                kept.asked.store(self.asks.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
                let_go(&mut open);
            }
            // A name that is nobody's leaves nothing behind.
            Err(_) => {
                if open.get(name).is_some_and(|cell| !cell.initialized()) {
                    open.remove(name);
                }
            }
        }
        opened
    }

    /// Those that are open now, by name.
    pub(crate) fn all(&self) -> Vec<(AgentName, Arc<Kept>)> {
        let open = self.lock();
        let kept = |(name, cell): (&AgentName, &Cell)| Some((name.clone(), Arc::clone(cell.get()?)));
        let mut all: Vec<_> = open.iter().filter_map(kept).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AgentName, Cell>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes those that were asked longest ago, beyond the most that are kept.
fn let_go(open: &mut HashMap<AgentName, Cell>) {
    while open.len() > MOST {
        let asked = |cell: &Cell| cell.get().map(|kept| kept.asked.load(Ordering::Relaxed));
        let oldest = open.iter().filter_map(|(name, cell)| Some((asked(cell)?, name.clone()))).min();
        match oldest {
            Some((_, name)) => drop(open.remove(&name)),
            None => return,
        }
    }
}
