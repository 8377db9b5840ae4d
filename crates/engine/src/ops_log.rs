//! The ops log: what was decided, by which model and how quickly, one line of JSON each, for whoever wants to know later.
//!
//! Nobody waits for it and nothing fails because of it: lines go to a thread through a queue of bounded length, and what
//! does not fit, or cannot be written, is dropped. That thread takes secrets and personal data out before it writes a line.

use crate::{
    limits::{MAX_OPS_LOG_BYTES, MAX_OPS_LOG_FILES},
    rotated_file::RotatedFile,
};
use cairn_cognition::{personal::redact_personal_data, secret::mask};
use cairn_domain::Time;
use cairn_models::OpsRecord;
use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

/// Lines that may wait.
const MAX_QUEUED_LINES: usize = 1_024;
/// Characters of an input or an output that are logged.
const TOLD_CHARS: usize = 400;

/// The log of one agent. The file and its thread are made with the first line.
pub(crate) struct OpsLog {
    path: PathBuf,
    writer: Mutex<Option<OpsLogWriter>>,
}

struct OpsLogWriter {
    lines: SyncSender<OpsRecord>,
    thread: JoinHandle<()>,
}

impl OpsLog {
    /// The log in an agent's folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { path: folder.join("logs").join("ops-log.jsonl"), writer: Mutex::default() }
    }

    /// Queues a line.
    pub(crate) fn tell(&self, record: OpsRecord) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if writer.is_none() {
            *writer = OpsLogWriter::start(self.path.clone());
        }
        if let Some(writer) = &*writer {
            let _ = writer.lines.try_send(record);
        }
    }
}

impl Drop for OpsLog {
    /// Writes everything queued before the process exits.
    fn drop(&mut self) {
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(OpsLogWriter { lines, thread }) = writer {
            drop(lines);
            let _ = thread.join();
        }
    }
}

impl OpsLogWriter {
    fn start(path: PathBuf) -> Option<Self> {
        let (lines, received) = sync_channel(MAX_QUEUED_LINES);
        let write = move || write_all(&path, &received);
        let thread = thread::Builder::new().name("cairn-ops-log".to_owned()).spawn(write).ok()?;
        Some(Self { lines, thread })
    }
}

fn write_all(path: &Path, lines: &Receiver<OpsRecord>) {
    let file = log_file(path);
    for mut record in lines {
        record.input = harmless(&record.input);
        record.output = harmless(&record.output);
        record.error = record.error.as_deref().map(harmless);
        if let Ok(line) = serde_json::to_string(&record) {
            let _ = file.append(record.ts, &format!("{line}\n"));
        }
    }
}

/// The file of the log.
fn log_file(path: &Path) -> RotatedFile {
    RotatedFile { path: path.to_owned(), max_bytes: MAX_OPS_LOG_BYTES, max_files: MAX_OPS_LOG_FILES }
}

/// A decision that was made by rules.
pub(crate) fn decided(op: &str, ts: Time, took: std::time::Duration) -> OpsRecord {
    OpsRecord {
        ts,
        op: op.to_owned(),
        input: String::new(),
        output: String::new(),
        model: None,
        latency_ms: took.as_millis() as u64,
        success: true,
        fallback: true,
        error: None,
        intent: None,
        avg_relevance: None,
        result_count: None,
    }
}

/// A text without secrets and personal data, of bounded length.
fn harmless(text: &str) -> String {
    let told: String = text.chars().take(TOLD_CHARS).collect();
    redact_personal_data(&mask(&told).text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn record(output: &str) -> OpsRecord {
        let ts = "2026-11-15T10:00:00Z".parse().expect("a time");
        OpsRecord {
            input: "msg_1".into(),
            output: output.into(),
            ..decided("form", ts, std::time::Duration::ZERO)
        }
    }

    fn lines(path: &Path) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(path).expect("a log");
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// covers: C-144, C-145, C-147, C-148, C-249
    #[test]
    fn a_line_tells_what_was_decided_without_what_is_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = OpsLog::new(folder.path());
        log.tell(record("write to ana@example.org"));
        log.tell(record(&format!("the key is ghp_{}{}", "k7Qz2LmN9xVb4TyR1wEo", "8UaScD3fGh5JpX6i")));
        drop(log);
        let lines = lines(&folder.path().join("logs/ops-log.jsonl"));
        assert_eq!(lines[0]["ts"], "2026-11-15T10:00:00Z");
        for field in ["op", "input", "output", "latencyMs", "success", "fallback"] {
            assert!(lines[0].get(field).is_some(), "{field}");
        }
        assert!(!lines[0]["output"].to_string().contains("ana@"), "{}", lines[0]);
        assert!(!lines[1]["output"].to_string().contains("k7Qz2"), "{}", lines[1]);
    }

    /// covers: C-146, C-154
    #[test]
    fn a_full_file_is_set_aside_and_the_oldest_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ops-log.jsonl");
        let now: Time = "2026-11-15T10:00:00Z".parse().expect("a time");
        let full = vec![b'x'; MAX_OPS_LOG_BYTES as usize];
        for _ in 0..MAX_OPS_LOG_FILES + 3 {
            fs::write(&path, &full).expect("written");
            log_file(&path).append(now, "{}\n").expect("appended");
            assert_eq!(fs::read_to_string(&path).expect("read"), "{}\n");
        }
        let files = fs::read_dir(folder.path()).expect("listed").count();
        assert_eq!(files, MAX_OPS_LOG_FILES + 1, "growth is bounded");
        assert!(folder.path().join("ops-log-2026-11-15.22.jsonl").exists(), "the newest stay");
        fs::write(&path, &full[1..]).expect("written");
        log_file(&path).append(now, "{}\n").expect("appended");
        assert!(
            fs::metadata(&path).expect("there").len() > MAX_OPS_LOG_BYTES,
            "a file is set aside when it is full, not before"
        );
    }

    /// covers: C-148
    #[test]
    fn a_log_that_cannot_be_written_fails_nobody() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("logs"), "in the way").expect("written");
        let log = OpsLog::new(folder.path());
        log.tell(record("anything"));
        drop(log);
        assert_eq!(fs::read_to_string(folder.path().join("logs")).expect("read"), "in the way");
    }
}
