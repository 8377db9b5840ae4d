//! The events of one agent. They carry refs and counts and never words.

use serde::Serialize;
use serde_json::Value;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio::sync::broadcast;

/// Events buffered for a slow subscriber; one that is slower still learns how many it missed.
const BUFFERED_EVENTS: usize = 256;

/// Something that happened to an agent.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AgentEvent {
    /// Counts up by one with every event.
    pub(crate) id: u64,
    /// One of captured, imported, recalled, formed, refined, rhythm, changed, grown, lost.
    pub(crate) event: &'static str,
    /// Details, by kind of event.
    pub(crate) data: Value,
}

/// The channel on which an agent's events are published.
#[derive(Clone)]
pub(crate) struct EventChannel {
    sender: broadcast::Sender<Arc<AgentEvent>>,
    next_id: Arc<AtomicU64>,
}

impl Default for EventChannel {
    fn default() -> Self {
        Self { sender: broadcast::Sender::new(BUFFERED_EVENTS), next_id: Arc::default() }
    }
}

impl EventChannel {
    /// Sends an event to every subscriber; `data` is not built if there is none.
    pub(crate) fn publish(&self, event: &'static str, data: impl FnOnce() -> Value) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        if self.sender.receiver_count() > 0 {
            let _ = self.sender.send(Arc::new(AgentEvent { id, event, data: data() }));
        }
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Arc<AgentEvent>> {
        self.sender.subscribe()
    }
}
