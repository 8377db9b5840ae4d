//! Ingest: a transcript, entry by entry, in batches that share an fsync. Reading and writing overlap; a
//! batch is whatever has been read when the writer is free, so a live pipe is acknowledged line by line.

use super::door;
use crate::{
    Agent, EngineError, Result,
    transcript::{Format, ReadError, Reader, detect},
};
use cairn_domain::Message;
use std::{
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};
use tokio::sync::mpsc;

/// Messages that may share one fsync.
const BATCH: usize = 512;
/// Entries read ahead of the writer.
const AHEAD: usize = 2_048;
/// What is looked at to guess a format.
const HEAD_BYTES: usize = 64 << 10;

/// What an ingest did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IngestReport {
    /// Messages read.
    pub read: u64,
    /// Messages that are new.
    pub added: u64,
    /// Messages that were there already.
    pub duplicates: u64,
    /// Lines that could not be read.
    pub malformed: u64,
}

/// What an ingest tells while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum IngestEvent<'a> {
    /// A batch is durable: the callers' ids (or ours, where they gave none), and bytes of input read so far.
    Durable {
        /// Ids of the messages, in order.
        ids: &'a [String],
        /// The report so far.
        report: IngestReport,
        /// Bytes of input read so far.
        bytes: u64,
    },
    /// A line could not be read and was left out.
    Malformed {
        /// Its number.
        line: u64,
        /// What is wrong with it.
        problem: &'a str,
    },
}

impl std::ops::AddAssign for IngestReport {
    fn add_assign(&mut self, other: Self) {
        self.read += other.read;
        self.added += other.added;
        self.duplicates += other.duplicates;
        self.malformed += other.malformed;
    }
}

/// One step of reading, settled.
pub(super) enum Step {
    Message(Box<Message>),
    Malformed { line: u64, problem: String },
    Broken(io::Error),
}

impl Agent {
    /// Takes in the transcript at `path`, gzipped or not.
    pub async fn ingest_file(
        &self,
        path: &Path,
        format: Option<Format>,
        on_event: &mut (dyn FnMut(IngestEvent<'_>) + Send),
    ) -> Result<IngestReport> {
        let file = std::fs::File::open(path).map_err(EngineError::file("open", path))?;
        let origin = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.ingest(Box::new(file), &origin, path, format, on_event).await
    }

    /// Takes in a transcript from an open input; `path` names it in errors.
    pub async fn ingest(
        &self,
        input: Box<dyn Read + Send>,
        origin: &str,
        path: &Path,
        format: Option<Format>,
        on_event: &mut (dyn FnMut(IngestEvent<'_>) + Send),
    ) -> Result<IngestReport> {
        let read_bytes = Arc::new(AtomicU64::new(0));
        let counted = Counted { input, bytes: Arc::clone(&read_bytes) };
        let (steps, mut received) = mpsc::channel(AHEAD);
        let (limits, now, origin) = (self.config.capture, self.now(), origin.to_owned());
        let reading = move || {
            let opened = open(counted, format);
            let (input, format) = match opened {
                Ok(opened) => opened,
                Err(error) => return drop(steps.blocking_send(Step::Broken(error))),
            };
            let settle = |draft: cairn_domain::Draft| {
                door::settle_read(draft, now, &limits).map_err(|invalid| invalid.problem)
            };
            for entry in Reader::new(input, format, &origin) {
                for step in steps_of(entry, &settle) {
                    if steps.blocking_send(step).is_err() {
                        return;
                    }
                }
            }
        };
        let spawned = thread::Builder::new().name("cairn-transcript".to_owned()).spawn(reading);
        spawned.map_err(EngineError::file("start a thread to read", path))?;
        let bytes = || read_bytes.load(Ordering::Relaxed);
        let report = self.write_steps(&mut received, path, &bytes, on_event).await?;
        self.finish_ingest(report).await?;
        Ok(report)
    }

    /// Leaves the index in good order after a large ingest.
    pub(super) async fn finish_ingest(&self, report: IngestReport) -> Result<()> {
        if (report.added as usize) < BATCH {
            return Ok(());
        }
        self.tend_index().await?;
        self.store.sweep().await;
        Ok(())
    }

    async fn write_steps(
        &self,
        received: &mut mpsc::Receiver<Step>,
        path: &Path,
        bytes: &(dyn Fn() -> u64 + Sync),
        on_event: &mut (dyn FnMut(IngestEvent<'_>) + Send),
    ) -> Result<IngestReport> {
        let mut report = IngestReport::default();
        let mut steps = Vec::with_capacity(BATCH);
        while received.recv_many(&mut steps, BATCH).await > 0 {
            let broken = self.write_batch(steps.drain(..), bytes(), &mut report, on_event).await?;
            if let Some(error) = broken {
                return Err(EngineError::file("read", path)(error));
            }
        }
        Ok(report)
    }

    /// Writes the messages of one batch, tells that they are durable and which lines were malformed; the error that
    /// broke the input off, if one did.
    pub(super) async fn write_batch(
        &self,
        steps: impl Iterator<Item = Step>,
        bytes: u64,
        report: &mut IngestReport,
        on_event: &mut (dyn FnMut(IngestEvent<'_>) + Send),
    ) -> Result<Option<io::Error>> {
        let mut broken = None;
        let mut messages = Vec::with_capacity(BATCH);
        for step in steps {
            match step {
                Step::Message(message) => messages.push(*message),
                Step::Malformed { line, problem } => {
                    report.malformed += 1;
                    on_event(IngestEvent::Malformed { line, problem: &problem });
                }
                Step::Broken(error) => broken = Some(error),
            }
        }
        let caller_id =
            |message: &Message| message.source_id.clone().unwrap_or_else(|| message.id.to_string());
        let ids: Vec<String> = messages.iter().map(caller_id).collect();
        if !messages.is_empty() {
            let kept = self.append(messages).await?;
            let duplicates = kept.iter().filter(|message| message.duplicate).count() as u64;
            report.read += kept.len() as u64;
            report.duplicates += duplicates;
            report.added += kept.len() as u64 - duplicates;
        }
        on_event(IngestEvent::Durable { ids: &ids, report: *report, bytes });
        Ok(broken)
    }
}

/// What an entry of a transcript comes to.
fn steps_of(
    entry: std::result::Result<crate::transcript::Entry, ReadError>,
    settle: &impl Fn(cairn_domain::Draft) -> std::result::Result<Message, String>,
) -> Vec<Step> {
    match entry {
        Ok(entry) => settled(entry.drafts, entry.line, settle),
        Err(ReadError::Malformed(malformed)) => {
            vec![Step::Malformed { line: malformed.line, problem: malformed.problem }]
        }
        Err(ReadError::Io(error)) => vec![Step::Broken(error)],
    }
}

/// Drafts of one line as messages; what does not fit is malformed.
pub(super) fn settled(
    drafts: Vec<cairn_domain::Draft>,
    line: u64,
    settle: &impl Fn(cairn_domain::Draft) -> std::result::Result<Message, String>,
) -> Vec<Step> {
    let step = |draft| match settle(draft) {
        Ok(message) => Step::Message(Box::new(message)),
        Err(problem) => Step::Malformed { line, problem },
    };
    drafts.into_iter().map(step).collect()
}

/// Unpacks what is gzipped and guesses the format if none is given.
fn open(
    input: impl Read + Send + 'static,
    format: Option<Format>,
) -> io::Result<(Box<dyn BufRead + Send>, Format)> {
    let mut input = BufReader::with_capacity(HEAD_BYTES, input);
    let mut input: Box<dyn BufRead + Send> = if input.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::with_capacity(HEAD_BYTES, flate2::bufread::MultiGzDecoder::new(input)))
    } else {
        Box::new(input)
    };
    let format = match format {
        Some(format) => format,
        None => detect(input.fill_buf()?),
    };
    Ok((input, format))
}

/// Counts what was read of the original input, for progress.
struct Counted<R> {
    input: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The transcripts below `path`, in order: the file itself, or every `.jsonl`, `.json` and their `.gz` in a
/// folder.
pub(super) fn transcripts(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().map_err(EngineError::file("list", &folder))? {
            let path = entry.map_err(EngineError::file("list", &folder))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_transcript =
                [".jsonl", ".json", ".jsonl.gz", ".json.gz"].iter().any(|end| name.ends_with(end));
            if path.is_dir() {
                folders.push(path);
            } else if is_transcript {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

impl Agent {
    /// The files that ingesting `path` would read.
    pub fn transcripts(path: &Path) -> Result<Vec<PathBuf>> {
        transcripts(path)
    }
}
