//! An agent's events as server-sent events, and the subscription that the WebSocket shares.

use crate::{
    background::{events::AgentEvent, open_agents::OpenAgent},
    request::access::{Caller, ExistingAgent},
    state::{ServerState, SharedState},
};
use axum::{
    Extension,
    response::{
        Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::Stream;
use std::{convert::Infallible, sync::Arc, time::Duration};
use tokio::sync::broadcast::{self, error::RecvError};

const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(15);

/// A caller's subscription to one agent's events. It keeps the agent open, and ends when the server stops or the caller's
/// key is revoked.
pub(crate) struct EventSubscription {
    receiver: broadcast::Receiver<Arc<AgentEvent>>,
    app: Arc<ServerState>,
    caller: Caller,
    _agent: Arc<OpenAgent>,
}

impl EventSubscription {
    pub(crate) fn new(app: Arc<ServerState>, caller: Caller, agent: Arc<OpenAgent>) -> Self {
        Self { receiver: agent.events.subscribe(), app, caller, _agent: agent }
    }

    /// The next event, or none when the subscription has ended.
    pub(crate) async fn next(&mut self) -> Option<Arc<AgentEvent>> {
        let received = tokio::select! {
            () = self.app.stopping.cancelled() => return None,
            received = self.receiver.recv() => received,
        };
        if !self.caller.is_still_admitted(&self.app).await {
            return None;
        }
        match received {
            Ok(event) => Some(event),
            Err(RecvError::Lagged(events)) => {
                let data = serde_json::json!({ "events": events });
                Some(Arc::new(AgentEvent { id: 0, event: "lost", data }))
            }
            Err(RecvError::Closed) => None,
        }
    }
}

/// Streams what happens to the agent from now on.
pub(crate) async fn stream(
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
    ExistingAgent(agent): ExistingAgent,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let subscription = EventSubscription::new(app, caller, agent);
    let stream = futures_util::stream::unfold(subscription, async |mut subscription| {
        let next = subscription.next().await?;
        let event = Event::default().event(next.event).id(next.id.to_string()).data(next.data.to_string());
        Some((Ok(event), subscription))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE_EVERY))
}
