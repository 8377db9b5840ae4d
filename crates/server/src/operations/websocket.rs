//! An agent's events over a WebSocket: the same as over HTTP, with limits on what the client may send and a heartbeat that
//! notices a client that is gone.

use super::event_stream::EventSubscription;
use crate::{
    background::events::AgentEvent,
    request::access::{Caller, ExistingAgent},
    state::SharedState,
};
use axum::{
    Extension,
    extract::{
        WebSocketUpgrade,
        ws::{CloseFrame, Message, WebSocket, close_code},
    },
    response::Response,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Maximum bytes in a frame from the client.
const MAX_FRAME_BYTES: usize = 4 << 10;
/// Maximum frames from the client within [`HEARTBEAT_EVERY`].
const MAX_FRAMES_PER_HEARTBEAT: u32 = 60;
const HEARTBEAT_EVERY: Duration = Duration::from_secs(20);
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// A client that has sent nothing for this long, not even a pong, is gone.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// The subprotocol, for clients that ask for one.
const SUBPROTOCOL: &str = "cairn.v1";

/// Upgrades the connection and streams the agent's events.
pub(crate) async fn open(
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
    ExistingAgent(agent): ExistingAgent,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade
        .max_message_size(MAX_FRAME_BYTES)
        .max_frame_size(MAX_FRAME_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(1 << 20)
        .protocols([SUBPROTOCOL])
        .on_upgrade(async move |socket| {
            send_events(socket, EventSubscription::new(app, caller, agent)).await;
        })
}

async fn send_events(mut socket: WebSocket, mut subscription: EventSubscription) {
    let mut heartbeat = tokio::time::interval(HEARTBEAT_EVERY);
    let (mut heard, mut frames) = (Instant::now(), 0);
    let (code, reason) = loop {
        tokio::select! {
            event = subscription.next() => {
                let Some(event) = event else {
                    break (close_code::AWAY, "the server is stopping, or the key was revoked");
                };
                if !send(&mut socket, event_message(&event)).await {
                    return;
                }
            }
            received = socket.recv() => {
                match received {
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => {}
                }
                (heard, frames) = (Instant::now(), frames + 1);
                if frames > MAX_FRAMES_PER_HEARTBEAT {
                    break (close_code::POLICY, "too many frames");
                }
            }
            _ = heartbeat.tick() => {
                frames = 0;
                if heard.elapsed() > IDLE_TIMEOUT {
                    return;
                }
                if !send(&mut socket, Message::Ping(Vec::new().into())).await {
                    return;
                }
            }
        }
    };
    send(&mut socket, Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
}

fn event_message(event: &Arc<AgentEvent>) -> Message {
    Message::text(serde_json::to_string(event.as_ref()).expect("an event has only string keys"))
}

/// Whether the client took the message in time.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(tokio::time::timeout(SEND_TIMEOUT, socket.send(message)).await, Ok(Ok(())))
}
