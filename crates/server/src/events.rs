//! What happens to an agent, told to whoever listens. Events carry refs and counts and never words.

use crate::{
    access::{Caller, Reading},
    app::{App, Here},
};
use axum::{
    Extension,
    response::{
        Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::Stream;
use serde::Serialize;
use serde_json::Value;
use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::sync::broadcast::{self, error::RecvError};

/// Events that wait for a listener who is slow; one who is slower is told how many it missed.
const WAITING: usize = 256;
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Something that happened.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Happened {
    /// Its number; each is one more than the last.
    pub(crate) id: u64,
    /// What: captured, imported, recalled, formed, refined, rhythm, changed, grown, lost.
    pub(crate) event: &'static str,
    /// More about it.
    pub(crate) data: Value,
}

/// Who is told.
#[derive(Clone)]
pub(crate) struct Events {
    sender: broadcast::Sender<Arc<Happened>>,
    next: Arc<AtomicU64>,
}

impl Default for Events {
    fn default() -> Self {
        Self { sender: broadcast::Sender::new(WAITING), next: Arc::default() }
    }
}

impl Events {
    /// Tells everybody who listens; nothing is made if nobody does.
    pub(crate) fn tell(&self, event: &'static str, data: impl FnOnce() -> Value) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        if self.sender.receiver_count() > 0 {
            let _ = self.sender.send(Arc::new(Happened { id, event, data: data() }));
        }
    }

    pub(crate) fn listen(&self, app: Arc<App>, caller: Caller) -> Listener {
        Listener { happens: self.sender.subscribe(), app, caller }
    }
}

/// Somebody who listens.
pub(crate) struct Listener {
    happens: broadcast::Receiver<Arc<Happened>>,
    app: Arc<App>,
    caller: Caller,
}

impl Listener {
    /// What happens next; none when the server goes down, or when the listener's key was revoked.
    pub(crate) async fn next(&mut self) -> Option<Arc<Happened>> {
        let received = tokio::select! {
            () = self.app.stopping.cancelled() => return None,
            received = self.happens.recv() => received,
        };
        if !self.caller.is_still_let_in(&self.app).await {
            return None;
        }
        match received {
            Ok(happened) => Some(happened),
            Err(RecvError::Lagged(events)) => {
                let data = serde_json::json!({ "events": events });
                Some(Arc::new(Happened { id: 0, event: "lost", data }))
            }
            Err(RecvError::Closed) => None,
        }
    }
}

/// What happens to the agent from now on, as server-sent events.
pub(crate) async fn stream(
    Extension(app): Here,
    Extension(caller): Extension<Caller>,
    Reading(kept): Reading,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let listener = kept.events.listen(app, caller);
    let stream = futures_util::stream::unfold((listener, kept), async |(mut listener, kept)| {
        let happened = listener.next().await?;
        let event = Event::default().event(happened.event).id(happened.id.to_string());
        let event = event.data(happened.data.to_string());
        Some((Ok(event), (listener, kept)))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}
