//! Events over a WebSocket: the same as over HTTP, with bounds on what the other side may send and a heartbeat, so that
//! one who is gone is noticed.

use crate::{
    access::{Caller, Reading},
    app::Here,
    events::{Happened, Listener},
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

/// Bytes of a frame that the other side may send.
const MOST_BYTES: usize = 4 << 10;
/// Frames that it may send within [`HEARTBEAT`].
const MOST_FRAMES: u32 = 60;
/// How often it is asked whether it is there …
const HEARTBEAT: Duration = Duration::from_secs(20);
/// … and how long it may take to take what it is sent.
const TAKES_WITHIN: Duration = Duration::from_secs(20);
/// After so much silence it is gone.
const GONE_AFTER: Duration = Duration::from_mins(1);
/// The protocol that is spoken, for those who name one.
const PROTOCOL: &str = "cairn.v1";

/// Events of one agent.
pub(crate) async fn open(
    Extension(app): Here,
    Extension(caller): Extension<Caller>,
    Reading(kept): Reading,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade
        .max_message_size(MOST_BYTES)
        .max_frame_size(MOST_BYTES)
        .write_buffer_size(0)
        .max_write_buffer_size(1 << 20)
        .protocols([PROTOCOL])
        .on_upgrade(async move |socket| {
            let listener = kept.events.listen(app, caller);
            tell(socket, listener).await;
            drop(kept);
        })
}

async fn tell(mut socket: WebSocket, mut listener: Listener) {
    let mut heartbeat = tokio::time::interval(HEARTBEAT);
    let (mut heard, mut frames) = (Instant::now(), 0);
    let (code, reason) = loop {
        tokio::select! {
            happened = listener.next() => {
                let Some(happened) = happened else { break (close_code::AWAY, "the server goes down, or the key was revoked") };
                if !send(&mut socket, text(&happened)).await {
                    return;
                }
            }
            received = socket.recv() => {
                match received {
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                    Some(Ok(_)) => {}
                }
                (heard, frames) = (Instant::now(), frames + 1);
                if frames > MOST_FRAMES {
                    break (close_code::POLICY, "too many frames");
                }
            }
            _ = heartbeat.tick() => {
                frames = 0;
                if heard.elapsed() > GONE_AFTER {
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

fn text(happened: &Arc<Happened>) -> Message {
    Message::text(serde_json::to_string(happened.as_ref()).unwrap_or_default())
}

/// Whether it was taken in time.
async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(tokio::time::timeout(TAKES_WITHIN, socket.send(message)).await, Ok(Ok(())))
}
