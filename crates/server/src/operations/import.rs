//! Bulk import: a transcript in the body of a request, read while it arrives. What was stored before a failure stays stored;
//! sending the same body again adds nothing twice.

use crate::{
    failure::RequestFailure,
    request::{
        access::{AgentOnDemand, Caller},
        body::Parameters,
    },
    state::SharedState,
};
use axum::{
    Extension, Json,
    body::{Body, BodyDataStream, Bytes},
    extract::Request,
    http::StatusCode,
};
use cairn_engine::{EngineError, IngestEvent, transcript::Format};
use cairn_wire as wire;
use futures_util::StreamExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::{
    io::{self, Read},
    path::Path,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

/// Malformed lines listed in the answer; the rest are only counted.
const MAX_LISTED_PROBLEMS: usize = 20;
/// How long the next chunk may take to arrive.
const CHUNK_TIMEOUT: Duration = Duration::from_secs(30);
/// Chunks buffered between the connection and the importer.
const BUFFERED_CHUNKS: usize = 8;

/// How the body is read.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ImportParameters {
    /// `jsonl`, `claude-code`, `chatgpt` or `feed`; detected if not given.
    format: Option<String>,
    /// Answer only after memories were formed from every message.
    wait: bool,
}

pub(crate) async fn import(
    agent: AgentOnDemand,
    Extension(app): SharedState,
    Extension(caller): Extension<Caller>,
    Parameters(how): Parameters<ImportParameters>,
    request: Request,
) -> Result<Json<wire::Imported>, RequestFailure> {
    let format: Option<Format> = how.format.as_deref().map(str::parse).transpose()?;
    // Whoever hands in a conversation says what the user said; in a feed nobody is the user.
    if format != Some(Format::Feed) {
        caller.require_speaks_for_user("hand in a conversation, only `?format=feed`")?;
    }
    let (open_agent, begun) = (agent.open().await?, Instant::now());
    let (sender, receiver) = mpsc::channel(BUFFERED_CHUNKS);
    let mut problems = Vec::new();
    let mut report = cairn_engine::IngestReport::default();
    let (forwarded, ingested) = {
        let mut on_event = |event: IngestEvent<'_>| match event {
            IngestEvent::Durable { report: so_far, .. } => report = so_far,
            IngestEvent::Malformed { line, problem } if problems.len() < MAX_LISTED_PROBLEMS => {
                problems.push(wire::MalformedLine { line, problem: problem.to_owned() });
            }
            IngestEvent::Malformed { .. } => {}
        };
        let input = Box::new(BodyReader { receiver, current: Bytes::new() });
        let ingest = open_agent.agent.ingest(input, "rest", Path::new("the body"), format, &mut on_event);
        tokio::join!(forward_body(request.into_body(), sender, app.limits.import_bytes), ingest)
    };
    open_agent.worker.wake();
    open_agent.events.publish("imported", || json!({"added": report.added, "duplicates": report.duplicates}));
    let so_far = |failed: RequestFailure| {
        let detail = format!("{}; {} message(s) before that were stored", failed.detail, report.read);
        RequestFailure { detail, ..failed }
    };
    forwarded.map_err(so_far)?;
    let report = ingested.map_err(|error| match error {
        EngineError::File { source, .. } => so_far(RequestFailure::bad_request(
            format!("the body cannot be read: {source}"),
            "send it again from the beginning: nothing is added twice",
        )),
        other => other.into(),
    })?;
    if how.wait {
        open_agent.agent.form(&mut |_| {}).await?;
    }
    let ingest = wire::Ingest::new(&report, begun.elapsed().as_secs_f64());
    Ok(Json(wire::Imported { ingest, problems }))
}

/// Moves the body to its reader, up to `max_bytes`.
async fn forward_body(
    body: Body,
    sender: mpsc::Sender<io::Result<Bytes>>,
    max_bytes: u64,
) -> Result<(), RequestFailure> {
    let forwarded = forward_chunks(body.into_data_stream(), &sender, max_bytes).await;
    if let Err(failed) = &forwarded {
        // The reader must not mistake what arrived for the whole body.
        let _ = sender.send(Err(io::Error::other(failed.detail.clone()))).await;
    }
    forwarded
}

async fn forward_chunks(
    mut chunks: BodyDataStream,
    sender: &mpsc::Sender<io::Result<Bytes>>,
    max_bytes: u64,
) -> Result<(), RequestFailure> {
    let again = "send it again from the beginning: nothing is added twice";
    let mut arrived = 0;
    loop {
        let next = tokio::time::timeout(CHUNK_TIMEOUT, chunks.next()).await.map_err(|_| {
            let detail = format!("nothing arrived for {} s", CHUNK_TIMEOUT.as_secs());
            RequestFailure::new(StatusCode::REQUEST_TIMEOUT, detail, again)
        })?;
        let Some(chunk) = next else { return Ok(()) };
        let chunk = chunk
            .map_err(|error| RequestFailure::bad_request(format!("the body broke off: {error}"), again))?;
        arrived += chunk.len() as u64;
        if arrived > max_bytes {
            let hint = "send it in parts, or raise import_bytes under [serve] in config.toml";
            return Err(RequestFailure::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("the body has more than {max_bytes} bytes"),
                hint,
            ));
        }
        // The reader has ended, and reports itself why.
        if sender.send(Ok(chunk)).await.is_err() {
            return Ok(());
        }
    }
}

/// The body as a blocking reader, for the importer's own thread.
struct BodyReader {
    receiver: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
}

impl Read for BodyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            match self.receiver.blocking_recv() {
                Some(chunk) => self.current = chunk?,
                None => return Ok(0),
            }
        }
        let count = self.current.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.current.split_to(count));
        Ok(count)
    }
}
