//! Ingest: a transcript, entry by entry, in batches that share an fsync. Reading and writing overlap: a batch is whatever
//! has been read when the writer is free, so a live pipe is acknowledged line by line.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    transcript::{Format, ReadError, TranscriptEntry, TranscriptReader, detect},
    write::intake::validation::validate_transcript_draft,
};
use cairn_domain::{Draft, Invalid, Message};
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

/// Maximum messages under one fsync.
const MAX_BATCH_MESSAGES: usize = 512;
/// Maximum messages read ahead of the writer.
const READ_AHEAD_MESSAGES: usize = 2_048;
/// Bytes from which a format is guessed.
const FORMAT_HEAD_BYTES: usize = 64 << 10;

/// Counts of an ingest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IngestReport {
    /// Messages read.
    pub read: u64,
    /// Messages that are new.
    pub added: u64,
    /// Messages that were there already.
    pub duplicates: u64,
    /// Messages that were left out, because an operator has erased them.
    pub erased: u64,
    /// Lines that could not be read.
    pub malformed: u64,
}

/// Progress of an ingest.
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
        /// The problem with it.
        problem: &'a str,
    },
}

impl std::ops::AddAssign for IngestReport {
    fn add_assign(&mut self, other: Self) {
        self.read += other.read;
        self.added += other.added;
        self.duplicates += other.duplicates;
        self.erased += other.erased;
        self.malformed += other.malformed;
    }
}

/// One message read from a transcript, or why there is none.
pub(crate) enum IngestStep {
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
        let counted = ByteCounter { input, bytes: Arc::clone(&read_bytes) };
        let (steps, mut received) = mpsc::channel(READ_AHEAD_MESSAGES);
        let (limits, now, origin) = (self.config.capture, self.now(), origin.to_owned());
        let reading = move || {
            let opened = open_transcript(counted, format);
            let (input, format) = match opened {
                Ok(opened) => opened,
                Err(error) => return drop(steps.blocking_send(IngestStep::Broken(error))),
            };
            let validate = |draft| validate_transcript_draft(draft, now, &limits);
            for entry in TranscriptReader::new(input, format, &origin) {
                for step in steps_of(entry, &validate) {
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

    /// Takes in messages that somebody else has read, under one fsync. A draft that is refused costs itself.
    pub async fn ingest_drafts(&self, drafts: Vec<Draft>) -> Result<IngestReport> {
        let (limits, now) = (self.config.capture, self.now());
        let validate = |draft| validate_transcript_draft(draft, now, &limits);
        let mut report = IngestReport::default();
        let steps = validated_steps(drafts, 0, &validate);
        self.write_batch(steps.into_iter(), 0, &mut report, &mut |_| {}).await?;
        Ok(report)
    }

    /// Leaves the index in good order after a large ingest.
    pub async fn finish_ingest(&self, report: IngestReport) -> Result<()> {
        if (report.added as usize) < MAX_BATCH_MESSAGES {
            return Ok(());
        }
        self.tend_index().await?;
        self.store.checkpoint().await;
        Ok(())
    }

    async fn write_steps(
        &self,
        received: &mut mpsc::Receiver<IngestStep>,
        path: &Path,
        bytes: &(dyn Fn() -> u64 + Sync),
        on_event: &mut (dyn FnMut(IngestEvent<'_>) + Send),
    ) -> Result<IngestReport> {
        let mut report = IngestReport::default();
        let mut steps = Vec::with_capacity(MAX_BATCH_MESSAGES);
        while received.recv_many(&mut steps, MAX_BATCH_MESSAGES).await > 0 {
            let broken = self.write_batch(steps.drain(..), bytes(), &mut report, on_event).await?;
            if let Some(error) = broken {
                return Err(EngineError::file("read", path)(error));
            }
        }
        Ok(report)
    }

    /// Appends the messages of one batch and reports them; returns the error that ended the input, if one did.
    pub(crate) async fn write_batch(
        &self,
        steps: impl Iterator<Item = IngestStep>,
        bytes: u64,
        report: &mut IngestReport,
        on_event: &mut (dyn FnMut(IngestEvent<'_>) + Send),
    ) -> Result<Option<io::Error>> {
        let mut broken = None;
        let mut messages = Vec::with_capacity(MAX_BATCH_MESSAGES);
        for step in steps {
            match step {
                IngestStep::Message(message) => messages.push(*message),
                IngestStep::Malformed { line, problem } => {
                    report.malformed += 1;
                    on_event(IngestEvent::Malformed { line, problem: &problem });
                }
                IngestStep::Broken(error) => broken = Some(error),
            }
        }
        let caller_id =
            |message: &Message| message.source_id.clone().unwrap_or_else(|| message.id.to_string());
        let ids: Vec<String> = messages.iter().map(caller_id).collect();
        let announced = self.announced(&messages).await?;
        messages.retain(|message| !announced.contains(&message.id));
        report.read += announced.len() as u64;
        report.duplicates += announced.len() as u64;
        if !messages.is_empty() {
            let kept = self.append(messages).await?;
            let erased = kept.iter().filter(|message| message.erased).count() as u64;
            let duplicates = kept.iter().filter(|message| message.duplicate).count() as u64 - erased;
            report.read += kept.len() as u64;
            report.duplicates += duplicates;
            report.erased += erased;
            report.added += kept.len() as u64 - duplicates - erased;
        }
        on_event(IngestEvent::Durable { ids: &ids, report: *report, bytes });
        Ok(broken)
    }
}

/// The messages of one entry of a transcript.
fn steps_of(
    entry: std::result::Result<TranscriptEntry, ReadError>,
    validate: &impl Fn(Draft) -> std::result::Result<Message, Invalid>,
) -> Vec<IngestStep> {
    match entry {
        Ok(entry) => validated_steps(entry.drafts, entry.line, validate),
        Err(ReadError::Malformed(malformed)) => {
            vec![IngestStep::Malformed { line: malformed.line, problem: malformed.problem }]
        }
        Err(ReadError::Io(error)) => vec![IngestStep::Broken(error)],
    }
}

/// The drafts of one line as messages; a draft that is refused makes the line malformed.
pub(crate) fn validated_steps(
    drafts: Vec<Draft>,
    line: u64,
    validate: &impl Fn(Draft) -> std::result::Result<Message, Invalid>,
) -> Vec<IngestStep> {
    let step = |draft| match validate(draft) {
        Ok(message) => IngestStep::Message(Box::new(message)),
        Err(invalid) => IngestStep::Malformed { line, problem: invalid.problem },
    };
    drafts.into_iter().map(step).collect()
}

/// The input, unpacked if it is gzipped, and its format, guessed if none is given.
fn open_transcript(
    input: impl Read + Send + 'static,
    format: Option<Format>,
) -> io::Result<(Box<dyn BufRead + Send>, Format)> {
    let mut input = BufReader::with_capacity(FORMAT_HEAD_BYTES, input);
    let mut input: Box<dyn BufRead + Send> = if input.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::with_capacity(FORMAT_HEAD_BYTES, flate2::bufread::MultiGzDecoder::new(input)))
    } else {
        Box::new(input)
    };
    let format = match format {
        Some(format) => format,
        None => detect(input.fill_buf()?).ok_or_else(foreign)?,
    };
    Ok((input, format))
}

/// The refusal of something that another product wrote, where lines or conversations should stand.
fn foreign() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "another product wrote it; lines (jsonl, feed), Claude Code and ChatGPT are read as they arrive, `cairn move-in` reads files of others",
    )
}

/// Counts what was read of the original input, for progress.
struct ByteCounter<R> {
    input: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for ByteCounter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The transcripts below `path`, in order: the file itself, or every `.jsonl`, `.json` and their `.gz` in a folder.
pub(crate) fn transcript_files(path: &Path) -> Result<Vec<PathBuf>> {
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
        transcript_files(path)
    }
}
