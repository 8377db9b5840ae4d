//! Messages in bulk: a transcript as the body of a request, read while it arrives. What is durable stays so, whatever
//! becomes of the rest; sent again it adds nothing twice.

use crate::{access::Writing, app::Here, body::Parameters, failure::Failed};
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

/// Malformed lines that are told one by one; the rest are counted.
const TOLD: usize = 20;
/// How long the next bytes may take.
const NEXT_WITHIN: Duration = Duration::from_secs(30);
/// Chunks read ahead of whoever writes.
const AHEAD: usize = 8;

/// How it is read.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct How {
    /// `jsonl`, `claude-code`, `chatgpt` or `feed`; guessed if not said.
    format: Option<String>,
    /// Answer once every message was looked at for what is worth remembering.
    wait: bool,
}

pub(crate) async fn import(
    agent: Writing,
    Extension(app): Here,
    Parameters(how): Parameters<How>,
    request: Request,
) -> Result<Json<wire::Imported>, Failed> {
    let format: Option<Format> = how.format.as_deref().map(str::parse).transpose()?;
    let (kept, begun) = (agent.open().await?, Instant::now());
    let (sender, receiver) = mpsc::channel(AHEAD);
    let mut problems = Vec::new();
    let mut report = cairn_engine::IngestReport::default();
    let (pumped, ingested) = {
        let mut hear = |event: IngestEvent<'_>| match event {
            IngestEvent::Durable { report: so_far, .. } => report = so_far,
            IngestEvent::Malformed { line, problem } if problems.len() < TOLD => {
                problems.push(wire::MalformedLine { line, problem: problem.to_owned() });
            }
            IngestEvent::Malformed { .. } => {}
        };
        let input = Box::new(Pipe { receiver, current: Bytes::new() });
        let ingest = kept.agent.ingest(input, "rest", Path::new("the body"), format, &mut hear);
        tokio::join!(pump(request.into_body(), sender, app.limits.import_bytes), ingest)
    };
    kept.tender.wake();
    kept.events.tell("imported", || json!({"added": report.added, "duplicates": report.duplicates}));
    let so_far = |failed: Failed| {
        let detail = format!("{}; {} message(s) before that are kept", failed.detail, report.read);
        Failed { detail, ..failed }
    };
    pumped.map_err(so_far)?;
    let report = ingested.map_err(|error| match error {
        EngineError::File { source, .. } => so_far(Failed::bad_request(
            format!("the body cannot be read: {source}"),
            "send it again from the beginning: nothing is added twice",
        )),
        other => other.into(),
    })?;
    if how.wait {
        kept.agent.form(&mut |_| {}).await?;
    }
    let ingest = wire::Ingest::new(&report, begun.elapsed().as_secs_f64());
    Ok(Json(wire::Imported { ingest, problems }))
}

/// Moves what arrives to whoever reads it, within bounds.
async fn pump(body: Body, sender: mpsc::Sender<io::Result<Bytes>>, most: u64) -> Result<(), Failed> {
    let pumped = pump_within(body.into_data_stream(), &sender, most).await;
    if let Err(failed) = &pumped {
        // Whoever reads it must not take what came for the whole.
        let _ = sender.send(Err(io::Error::other(failed.detail.clone()))).await;
    }
    pumped
}

async fn pump_within(
    mut chunks: BodyDataStream,
    sender: &mpsc::Sender<io::Result<Bytes>>,
    most: u64,
) -> Result<(), Failed> {
    let again = "send it again from the beginning: nothing is added twice";
    let mut arrived = 0;
    loop {
        let next = tokio::time::timeout(NEXT_WITHIN, chunks.next()).await.map_err(|_| {
            let detail = format!("nothing arrived for {} s", NEXT_WITHIN.as_secs());
            Failed::new(StatusCode::REQUEST_TIMEOUT, detail, again)
        })?;
        let Some(chunk) = next else { return Ok(()) };
        let chunk =
            chunk.map_err(|error| Failed::bad_request(format!("the body broke off: {error}"), again))?;
        arrived += chunk.len() as u64;
        if arrived > most {
            let hint = "send it in parts, or raise import_bytes under [serve] in config.toml";
            return Err(Failed::new(StatusCode::PAYLOAD_TOO_LARGE, format!("more than {most} bytes"), hint));
        }
        // A reader that is gone says itself why.
        if sender.send(Ok(chunk)).await.is_err() {
            return Ok(());
        }
    }
}

/// What arrives, for a reader on a thread of its own.
struct Pipe {
    receiver: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
}

impl Read for Pipe {
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
