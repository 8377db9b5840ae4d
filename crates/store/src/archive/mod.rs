//! The archive: every message as one JSON line in the file of the day it was recorded. Append-only, on
//! disk before anything is acknowledged, and the ground truth from which the rest can be rebuilt.
//!
//! `reconcile` brings database and archive together again after a crash; `seal` records the hash of a
//! finished day.

mod reconcile;
mod seal;

pub(crate) use reconcile::{reconcile, restore_from_database};
pub(crate) use seal::{seal_finished_days, seals, sha256_of};

use crate::{Disk, Result, StoreError, record::ArchivePlace};
use cairn_domain::{Day, Message};
use std::{path::PathBuf, sync::Arc};

/// Read at a time when a file is walked; a longer line grows the buffer.
const CHUNK_BYTES: usize = 4 << 20;

/// The archive folder of one agent.
#[derive(Clone)]
pub(crate) struct Archive {
    folder: PathBuf,
    disk: Arc<dyn Disk>,
}

/// What a line of an archive file turned out to be.
pub(crate) enum Line {
    /// A message.
    Message(Box<Message>),
    /// A finished line that is no message.
    Unreadable(String),
    /// The end of the file, cut off in the middle of a line.
    Torn,
}

impl Archive {
    pub(crate) fn new(folder: PathBuf, disk: Arc<dyn Disk>) -> Self {
        Self { folder, disk }
    }

    pub(crate) fn path(&self, day: i64) -> PathBuf {
        let name = Day::from_number(day).map_or_else(|| day.to_string(), |day| day.to_string());
        self.folder.join(format!("{name}.jsonl"))
    }

    /// The days that have a file, in order.
    pub(crate) fn days(&self) -> Result<Vec<i64>> {
        let names = self.disk.names(&self.folder).map_err(StoreError::file("list", &self.folder))?;
        let day = |name: &String| name.strip_suffix(".jsonl")?.parse::<Day>().ok().map(Day::number);
        let mut days: Vec<i64> = names.iter().filter_map(day).collect();
        days.sort_unstable();
        Ok(days)
    }

    /// The length of a day's file; 0 if it is missing.
    pub(crate) fn len(&self, day: i64) -> Result<u64> {
        let path = self.path(day);
        Ok(self.disk.len(&path).map_err(StoreError::file("look at", path))?.unwrap_or(0))
    }

    /// Appends `lines` to a day's file that now has `len` bytes, and returns when they are on the disk. If
    /// that fails the file is cut back, so that what was not acknowledged is not there either.
    pub(crate) fn append(&self, day: i64, len: u64, lines: &[u8]) -> Result<()> {
        let path = self.path(day);
        let mut file = self.disk.open_append(&path).map_err(StoreError::file("open", &path))?;
        let written = file.append(lines).and_then(|()| file.sync());
        let written = if len == 0 { written.and_then(|()| self.disk.sync_folder(&self.folder)) } else { written };
        written.map_err(|error| {
            // Should this fail too, the next writer finds complete lines or a torn one and settles both.
            let _ = file.truncate(len);
            StoreError::file("write", path)(error)
        })
    }

    /// Cuts a day's file to `len` bytes.
    fn truncate(&self, day: i64, len: u64) -> Result<()> {
        let path = self.path(day);
        let cut = self.disk.open_append(&path).and_then(|mut file| file.truncate(len).and_then(|()| file.sync()));
        cut.map_err(StoreError::file("cut", path))
    }

    /// The bytes of one line, without its end; `None` if the file does not reach that far.
    pub(crate) fn line_at(&self, place: &ArchivePlace) -> Result<Option<Vec<u8>>> {
        let path = self.path(place.day);
        if self.len(place.day)? < place.end() {
            return Ok(None);
        }
        let bytes = self.disk.read(&path, place.offset, place.bytes as usize);
        let mut bytes = bytes.map_err(StoreError::file("read", path))?;
        let ended = bytes.pop() == Some(b'\n');
        Ok(ended.then_some(bytes))
    }

    /// Walks the lines of a day's file from `from` on and tells where each stands.
    pub(crate) fn walk(
        &self,
        day: i64,
        from: ArchivePlace,
        mut visit: impl FnMut(Line, ArchivePlace) -> Result<()>,
    ) -> Result<()> {
        let path = self.path(day);
        let mut place = from;
        let mut buffer: Vec<u8> = Vec::new();
        let mut read_to = place.offset;
        loop {
            let chunk = self.disk.read(&path, read_to, CHUNK_BYTES).map_err(StoreError::file("read", &path))?;
            if chunk.is_empty() {
                break;
            }
            read_to += chunk.len() as u64;
            buffer.extend_from_slice(&chunk);
            let mut used = 0;
            while let Some(length) = buffer[used..].iter().position(|byte| *byte == b'\n') {
                let line = &buffer[used..used + length];
                place.bytes = length as u64 + 1;
                visit(parse(line), place)?;
                used += length + 1;
                place = ArchivePlace { offset: place.end(), line: place.line + 1, ..place };
            }
            buffer.drain(..used);
        }
        if !buffer.is_empty() {
            place.bytes = buffer.len() as u64;
            visit(Line::Torn, place)?;
        }
        Ok(())
    }
}

/// A message as its archive line, end included. The same message always gives the same bytes.
pub(crate) fn line_of(message: &Message) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

fn parse(line: &[u8]) -> Line {
    match serde_json::from_slice::<Message>(line) {
        Ok(message) => Line::Message(Box::new(message)),
        Err(error) => Line::Unreadable(error.to_string()),
    }
}
