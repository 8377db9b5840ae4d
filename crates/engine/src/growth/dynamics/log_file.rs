//! The file of the log: where it is, who writes it now, and how far it is.

use crate::{
    limits::{MAX_DYNAMICS_LOG_BYTES, MAX_DYNAMICS_LOG_FILES},
    rotated_file::RotatedFile,
};
use serde::Deserialize;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// The last line of the file stands in these bytes of its end.
const TAIL_BYTES: u64 = 16 << 10;

/// Where the log of an agent is.
pub(crate) struct DynamicsLog {
    pub(super) file: RotatedFile,
    lock: PathBuf,
}

/// The part of a line that says how far the file is.
#[derive(Deserialize)]
pub(super) struct LogEnd {
    pub(super) turn: u32,
    pub(super) generation: i64,
}

impl DynamicsLog {
    /// The log in an agent's folder.
    pub(crate) fn new(folder: &Path) -> Self {
        let logs = folder.join("logs");
        Self {
            file: RotatedFile {
                path: logs.join("cognitive-dynamics.jsonl"),
                max_bytes: MAX_DYNAMICS_LOG_BYTES,
                max_files: MAX_DYNAMICS_LOG_FILES,
            },
            lock: logs.join("cognitive-dynamics.lock"),
        }
    }

    /// The lock of whoever writes now; none if somebody else does.
    pub(super) fn claim(&self) -> io::Result<Option<File>> {
        if let Some(folder) = self.lock.parent() {
            fs::create_dir_all(folder)?;
        }
        let lock = OpenOptions::new().create(true).append(true).open(&self.lock)?;
        Ok(lock.try_lock().is_ok().then_some(lock))
    }

    /// How far the file is. Half a line that somebody was killed over is cut off.
    pub(super) fn end(&self) -> io::Result<Option<LogEnd>> {
        let mut file = match OpenOptions::new().read(true).write(true).open(&self.file.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let length = file.metadata()?.len();
        let from = length.saturating_sub(TAIL_BYTES);
        file.seek(SeekFrom::Start(from))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        let whole = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if whole < tail.len() {
            file.set_len(from + whole as u64)?;
        }
        let line = tail[..whole].trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
        Ok(line.and_then(|line| serde_json::from_slice(line).ok()))
    }
}
