//! The daily files: reading, appending and blanking lines.

use super::line::{ArchiveLine, day_file_name, day_of_file, is_padding, parse_line};
use crate::{
    error::{Result, StoreError},
    files::{Disk, DiskFile},
    record::ArchivePlace,
};
use std::{io, path::PathBuf, sync::Arc};

/// Bytes read at a time; a longer line grows the buffer.
pub(super) const READ_CHUNK_BYTES: usize = 4 << 20;
/// Bytes of padding written at a time.
pub(super) const PADDING_BYTES: usize = 256 << 10;

/// The archive folder of one agent: one file per day.
#[derive(Clone)]
pub(crate) struct Archive {
    pub(super) folder: PathBuf,
    pub(super) disk: Arc<dyn Disk>,
}

impl Archive {
    pub(crate) fn new(folder: PathBuf, disk: Arc<dyn Disk>) -> Self {
        Self { folder, disk }
    }

    pub(crate) fn path(&self, day: i64) -> PathBuf {
        self.folder.join(day_file_name(day))
    }

    /// The days that have a file, in order.
    pub(crate) fn days(&self) -> Result<Vec<i64>> {
        let names = self.disk.names(&self.folder).map_err(StoreError::file("list", &self.folder))?;
        let mut days: Vec<i64> = names.iter().filter_map(|name| day_of_file(name)).collect();
        days.sort_unstable();
        Ok(days)
    }

    /// The length of a day's file; 0 if it is missing.
    pub(crate) fn len(&self, day: i64) -> Result<u64> {
        let path = self.path(day);
        Ok(self.disk.len(&path).map_err(StoreError::file("look at", path))?.unwrap_or(0))
    }

    /// Whether the lines of a day's file end at `end` and only padding follows. Opens nothing for writing.
    pub(crate) fn ends_at(&self, day: i64, end: u64) -> Result<bool> {
        let len = self.len(day)?;
        if len <= end {
            return Ok(len == end);
        }
        let path = self.path(day);
        let next = self.disk.read(&path, end, 1).map_err(StoreError::file("read", path))?;
        Ok(matches!(next.first(), Some(b' ' | b'\n')))
    }

    /// Opens a day's file for writing, if its lines end at `end` and only padding follows. `None` if it holds more, or less.
    pub(crate) fn open_at(&self, day: i64, end: u64) -> Result<Option<OpenDay<'_>>> {
        self.reopen_at(None, day, end)
    }

    /// Like [`Self::open_at`], with a file that was left open, if it is that of the day and was not removed since.
    pub(crate) fn reopen_at(
        &self,
        left_open: Option<LeftOpenFile>,
        day: i64,
        end: u64,
    ) -> Result<Option<OpenDay<'_>>> {
        let opened = self.reuse_or_open(day, left_open).and_then(|(mut file, len)| {
            let fits = len == end || (len > end && matches!(file.byte_at(end)?, Some(b' ' | b'\n')));
            Ok(fits.then_some(OpenDay { archive: self, day, file, end, len }))
        });
        opened.map_err(|error| StoreError::file("open", self.path(day))(error))
    }

    /// A day's file and its length.
    fn reuse_or_open(
        &self,
        day: i64,
        left_open: Option<LeftOpenFile>,
    ) -> io::Result<(Box<dyn DiskFile>, u64)> {
        if let Some(LeftOpenFile { mut file, .. }) = left_open.filter(|left| left.day == day)
            && let Some(len) = file.length()?
        {
            return Ok((file, len));
        }
        let mut file = self.disk.open(&self.path(day))?;
        let len = file.length()?.unwrap_or(0);
        Ok((file, len))
    }

    /// Cuts a day's file to `len` bytes.
    pub(crate) fn truncate(&self, day: i64, len: u64) -> Result<()> {
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

    /// Overwrites a line with spaces.
    pub(crate) fn blank_line(&self, place: &ArchivePlace) -> Result<()> {
        let path = self.path(place.day);
        let spaces = vec![b' '; place.bytes.saturating_sub(1) as usize];
        let written = self.disk.open(&path).and_then(|mut file| {
            file.write_at(place.offset, &spaces)?;
            file.sync()
        });
        written.map_err(StoreError::file("blank a line of", path))
    }

    /// Visits the lines of a day's file from `from` on, each with its place.
    pub(crate) fn for_each_line(
        &self,
        day: i64,
        from: ArchivePlace,
        mut visit: impl FnMut(ArchiveLine, ArchivePlace) -> Result<()>,
    ) -> Result<()> {
        let path = self.path(day);
        let mut place = from;
        let mut buffer: Vec<u8> = Vec::new();
        let mut read_to = place.offset;
        loop {
            let chunk =
                self.disk.read(&path, read_to, READ_CHUNK_BYTES).map_err(StoreError::file("read", &path))?;
            if chunk.is_empty() {
                break;
            }
            read_to += chunk.len() as u64;
            buffer.extend_from_slice(&chunk);
            let at_end = chunk.len() < READ_CHUNK_BYTES;
            let mut used = 0;
            while let Some(length) = buffer[used..].iter().position(|byte| *byte == b'\n') {
                let line = &buffer[used..used + length];
                used += length + 1;
                place.bytes = length as u64 + 1;
                match parse_line(line) {
                    _ if is_padding(line) => {}
                    // Half a line that was being written over the padding.
                    ArchiveLine::Unreadable(_) if at_end && used == buffer.len() => {
                        visit(ArchiveLine::Torn, place)?;
                    }
                    line => visit(line, place)?,
                }
                place = ArchivePlace { offset: place.end(), line: place.line + 1, ..place };
            }
            buffer.drain(..used);
        }
        if !is_padding(&buffer) {
            place.bytes = buffer.len() as u64;
            visit(ArchiveLine::Torn, place)?;
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
    /// Writes `lines`: over the padding if they fit and leave some of it, else with new padding behind them. Write-back to the
    /// disk has started when this returns, and is complete after [`OpenDay::sync`].
    pub(crate) fn write(&mut self, mut lines: Vec<u8>) -> Result<()> {
        let fits = self.end + (lines.len() as u64) < self.len;
        if !fits {
            lines.resize(lines.len() + PADDING_BYTES, b' ');
            lines.push(b'\n');
        }
        if let Err(error) = self.file.write_at(self.end, &lines) {
            self.undo_write();
            return Err(self.write_error(error));
        }
        self.file.begin_sync(self.end, lines.len() as u64);
        Ok(())
    }

    /// Returns when everything written is on the disk. The file stays open for the next writer.
    pub(crate) fn sync(mut self) -> Result<LeftOpenFile> {
        let mut synced = self.file.sync();
        if self.len == 0 {
            synced = synced.and_then(|()| self.archive.disk.sync_folder(&self.archive.folder));
        }
        synced.map_err(|error| self.write_error(error))?;
        Ok(LeftOpenFile { day: self.day, file: self.file })
    }

    /// Removes what was written before its rows are committed. Should this fail too, the next writer finds whole lines or a torn
    /// one and repairs both.
    pub(crate) fn undo_write(&mut self) {
        let _ = self.file.truncate(self.end);
    }

    fn write_error(&self, error: io::Error) -> StoreError {
        StoreError::file("write", self.archive.path(self.day))(error)
    }
}

/// A day's file that its last writer left open.
pub(crate) struct LeftOpenFile {
    day: i64,
    file: Box<dyn DiskFile>,
}
