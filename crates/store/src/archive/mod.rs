//! The archive: every message as one JSON line in the file of the day it was recorded. Append-only, on
//! disk before anything is acknowledged, and the ground truth from which the rest can be rebuilt.
//!
//! The file of the current day ends in one line of spaces: room that later lines are written into. A line that
//! fits in it reaches the disk in one operation; a line that made the file longer would need two. Sealing a
//! finished day cuts the room off.
//!
//! On a server the message table is the archive (`table`).
//!
//! `reconcile` brings database and archive together again after a crash; `seal` records the hash of a
//! finished day.

mod reconcile;
mod seal;
pub(crate) mod table;

pub(crate) use reconcile::{reconcile, restore_from_database, take_all_in};
pub(crate) use seal::{
    cut_room_off, listed_days, reseal, seal_finished_days, seals, sha256_of, wants_sealing,
};

use crate::{Disk, DiskFile, Result, StoreError, record::ArchivePlace};
use cairn_domain::{Day, Message};
use std::{io, path::PathBuf, sync::Arc};

/// Read at a time when a file is walked; a longer line grows the buffer.
const CHUNK_BYTES: usize = 4 << 20;
/// Room made at a time.
const ROOM_BYTES: usize = 256 << 10;

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
        self.folder.join(file_name(day))
    }

    /// The days that have a file, in order.
    pub(crate) fn days(&self) -> Result<Vec<i64>> {
        let names = self.disk.names(&self.folder).map_err(StoreError::file("list", &self.folder))?;
        let mut days: Vec<i64> = names.iter().filter_map(|name| day_of(name)).collect();
        days.sort_unstable();
        Ok(days)
    }

    /// The length of a day's file; 0 if it is missing.
    pub(crate) fn len(&self, day: i64) -> Result<u64> {
        let path = self.path(day);
        Ok(self.disk.len(&path).map_err(StoreError::file("look at", path))?.unwrap_or(0))
    }

    /// Opens a day's file for writing, if its lines end at `end`: what follows is room, or nothing. `None` if there
    /// is more in it, or less.
    pub(crate) fn open_at(&self, day: i64, end: u64) -> Result<Option<OpenDay<'_>>> {
        self.open_again(None, day, end)
    }

    /// The same with a file that was left open, if it is that of the day and was not removed since.
    pub(crate) fn open_again(
        &self,
        left_open: Option<DayFile>,
        day: i64,
        end: u64,
    ) -> Result<Option<OpenDay<'_>>> {
        let opened = self.file_of(day, left_open).and_then(|(mut file, len)| {
            let fits = len == end || (len > end && matches!(file.byte_at(end)?, Some(b' ' | b'\n')));
            Ok(fits.then_some(OpenDay { archive: self, day, file, end, len }))
        });
        opened.map_err(|error| StoreError::file("open", self.path(day))(error))
    }

    /// A day's file and its length.
    fn file_of(&self, day: i64, left_open: Option<DayFile>) -> io::Result<(Box<dyn DiskFile>, u64)> {
        if let Some(DayFile { mut file, .. }) = left_open.filter(|left| left.day == day)
            && let Some(len) = file.length()?
        {
            return Ok((file, len));
        }
        let mut file = self.disk.open(&self.path(day))?;
        let len = file.length()?.unwrap_or(0);
        Ok((file, len))
    }

    /// Cuts a day's file to `len` bytes.
    fn truncate(&self, day: i64, len: u64) -> Result<()> {
        let path = self.path(day);
        let cut = self.disk.open(&path).and_then(|mut file| file.truncate(len).and_then(|()| file.sync()));
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

    /// Puts spaces in the place of a line.
    pub(crate) fn blank(&self, place: &ArchivePlace) -> Result<()> {
        let path = self.path(place.day);
        let spaces = vec![b' '; place.bytes.saturating_sub(1) as usize];
        let written = self.disk.open(&path).and_then(|mut file| {
            file.write_at(place.offset, &spaces)?;
            file.sync()
        });
        written.map_err(StoreError::file("blank a line of", path))
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
            let chunk =
                self.disk.read(&path, read_to, CHUNK_BYTES).map_err(StoreError::file("read", &path))?;
            if chunk.is_empty() {
                break;
            }
            read_to += chunk.len() as u64;
            buffer.extend_from_slice(&chunk);
            let at_end = chunk.len() < CHUNK_BYTES;
            let mut used = 0;
            while let Some(length) = buffer[used..].iter().position(|byte| *byte == b'\n') {
                let line = &buffer[used..used + length];
                used += length + 1;
                place.bytes = length as u64 + 1;
                match parse(line) {
                    _ if is_room(line) => {}
                    // Half a line that was being written into the room.
                    Line::Unreadable(_) if at_end && used == buffer.len() => visit(Line::Torn, place)?,
                    line => visit(line, place)?,
                }
                place = ArchivePlace { offset: place.end(), line: place.line + 1, ..place };
            }
            buffer.drain(..used);
        }
        if !is_room(&buffer) {
            place.bytes = buffer.len() as u64;
            visit(Line::Torn, place)?;
        }
        Ok(())
    }
}

/// A day's file, open for writing at the end of its lines.
pub(crate) struct OpenDay<'a> {
    archive: &'a Archive,
    day: i64,
    file: Box<dyn DiskFile>,
    end: u64,
    len: u64,
}

impl OpenDay<'_> {
    /// Writes `lines`: into the room if they fit and leave it a line of its own, else with new room behind them. They
    /// are on their way to the disk when this returns, and on it after [`OpenDay::sync`].
    pub(crate) fn write(&mut self, mut lines: Vec<u8>) -> Result<()> {
        let fits = self.end + (lines.len() as u64) < self.len;
        if !fits {
            lines.resize(lines.len() + ROOM_BYTES, b' ');
            lines.push(b'\n');
        }
        if let Err(error) = self.file.write_at(self.end, &lines) {
            self.take_back();
            return Err(self.failure(error));
        }
        self.file.begin_sync(self.end, lines.len() as u64);
        Ok(())
    }

    /// Returns when what was written is on the disk. The file stays open for whoever writes next.
    pub(crate) fn sync(mut self) -> Result<DayFile> {
        let mut synced = self.file.sync();
        if self.len == 0 {
            synced = synced.and_then(|()| self.archive.disk.sync_folder(&self.archive.folder));
        }
        synced.map_err(|error| self.failure(error))?;
        Ok(DayFile { day: self.day, file: self.file })
    }

    /// Takes back what was written before its rows are committed. Should this fail too, the next writer finds whole lines or
    /// a torn one and settles both.
    pub(crate) fn take_back(&mut self) {
        let _ = self.file.truncate(self.end);
    }

    fn failure(&self, error: io::Error) -> StoreError {
        StoreError::file("write", self.archive.path(self.day))(error)
    }
}

/// A day's file as whoever wrote to it last has left it open.
pub(crate) struct DayFile {
    day: i64,
    file: Box<dyn DiskFile>,
}

/// The date of a day; its number if that is no date.
pub(crate) fn name_of(day: i64) -> String {
    Day::from_number(day).map_or_else(|| day.to_string(), |day| day.to_string())
}

/// What a day's file is called.
fn file_name(day: i64) -> String {
    format!("{}.jsonl", name_of(day))
}

/// The day whose file is called so.
fn day_of(name: &str) -> Option<i64> {
    name.strip_suffix(".jsonl")?.parse::<Day>().ok().map(Day::number)
}

/// A message as its archive line, end included. The same message always gives the same bytes.
pub(crate) fn line_of(message: &Message) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

fn is_room(line: &[u8]) -> bool {
    line.iter().all(|byte| *byte == b' ')
}

fn parse(line: &[u8]) -> Line {
    match serde_json::from_slice::<Message>(line) {
        Ok(message) => Line::Message(Box::new(message)),
        Err(error) => Line::Unreadable(error.to_string()),
    }
}
