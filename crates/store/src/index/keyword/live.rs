//! Keeps the keyword index of a process current: catches it up from the database, writes and merges its files, removes old
//! ones.

use super::{index::KeywordIndex, segment::KeywordSegment};
use crate::{
    context::RepairNotes,
    error::{Result, StoreError},
    index::segment_files::{numbered_segment_files, remove_unfinished_files},
    record::{epoch, indexable_from, next_seq},
    transaction::Tx,
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// New messages that are worth a segment.
const FLUSH_AFTER_MESSAGES: usize = 512;
/// Messages read from the database at a time.
const CATCH_UP_MESSAGES: u32 = 512;
/// A segment is merged into the one before it until that one is this many times as large.
const MERGE_FACTOR: u32 = 4;

/// The keyword index of one agent, shared by the threads of one process.
pub(crate) struct LiveKeywordIndex {
    folder: PathBuf,
    notes: RepairNotes,
    index: RwLock<KeywordIndex>,
}

impl LiveKeywordIndex {
    pub(crate) fn new(folder: PathBuf, notes: RepairNotes) -> Self {
        Self { folder, notes, index: RwLock::default() }
    }

    /// The index with everything that is committed as `connection` sees it.
    pub(crate) fn caught_up(&self, tx: &mut Tx<'_>) -> Result<RwLockReadGuard<'_, KeywordIndex>> {
        let (epoch, next) = (epoch(tx)?, next_seq(tx)?);
        loop {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            // Another thread's newer view may have brought the index further already.
            if index.epoch == Some(epoch) && index.len() >= next {
                return Ok(index);
            }
            drop(index);
            self.catch_up(tx, epoch, next)?;
        }
    }

    fn catch_up(&self, tx: &mut Tx<'_>, epoch: i64, next: u32) -> Result<()> {
        let mut index = self.write_lock();
        if index.epoch != Some(epoch) {
            *index = KeywordIndex::of_epoch(epoch);
            for segment in self.read_segments(epoch, 0, next)? {
                index.add_segment(segment);
            }
        }
        while index.len() < next {
            let batch = indexable_from(tx, index.len(), CATCH_UP_MESSAGES)?;
            if batch.first().is_none_or(|message| message.document.seq != index.len()) {
                let problem = format!("message {} is missing from the database", index.len());
                return Err(StoreError::Damaged { problem, hint: "run `cairn rebuild`".into() });
            }
            for message in batch {
                index.add_message(message);
            }
        }
        Ok(())
    }

    /// Whether the tail is long enough for a segment.
    pub(crate) fn needs_flush(&self) -> bool {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        index.documents.len() - index.in_segments() as usize >= FLUSH_AFTER_MESSAGES
    }

    /// Writes the tail as a segment and merges small segments; the message that files now reach. One process does this at a
    /// time (it holds the job's lease); the others keep reading what they have.
    pub(crate) fn flush(&self, tx: &mut Tx<'_>) -> Result<u32> {
        fs::create_dir_all(&self.folder).map_err(StoreError::file("make", &self.folder))?;
        remove_unfinished_files(&self.folder, "keywords-");
        let (mut segments, epoch, written) = {
            let index = self.caught_up(tx)?;
            let epoch = index.epoch.unwrap_or_default();
            let mut segments = index.segments.clone();
            let tail = tail_segment(&index, epoch);
            let written = tail.end > tail.first;
            if written {
                self.write_segment(&tail)?;
                segments.push(Arc::new(tail));
            }
            (segments, epoch, written)
        };
        if !written {
            return Ok(segments.last().map_or(0, |segment| segment.end));
        }
        while let [.., left, right] = &segments[..] {
            if left.end - left.first >= MERGE_FACTOR * (right.end - right.first) {
                break;
            }
            let merged = KeywordSegment::merge(epoch, left, right);
            self.write_segment(&merged)?;
            segments.truncate(segments.len() - 2);
            segments.push(Arc::new(merged));
        }
        let end = segments.last().map_or(0, |segment| segment.end);
        self.adopt_segments(segments, epoch, end);
        self.remove_covered();
        Ok(end)
    }

    /// Adopts freshly written segments and drops what they cover from the tail.
    fn adopt_segments(&self, segments: Vec<Arc<KeywordSegment>>, epoch: i64, end: u32) {
        let mut index = self.write_lock();
        if index.epoch == Some(epoch) && index.len() >= end {
            index.segments = segments;
            index.tail.retain(|_, postings| {
                postings.retain(|(seq, _)| *seq >= end);
                !postings.is_empty()
            });
        }
    }

    /// The longest chain of intact files from `from` on that does not reach beyond `next`. Damaged files are removed: they are
    /// derived and will be written again.
    fn read_segments(&self, epoch: i64, from: u32, next: u32) -> Result<Vec<KeywordSegment>> {
        let mut chain = Vec::new();
        let mut reached = from;
        let mut files = self.segment_files()?;
        // The largest of those that begin at the same place first.
        files.sort_by_key(|(first, end, _)| (*first, std::cmp::Reverse(*end)));
        for (first, end, path) in files {
            if first != reached || end > next {
                continue;
            }
            match KeywordSegment::open(&path, epoch) {
                Ok(Some(segment)) if segment.first == first && segment.end == end => {
                    reached = end;
                    chain.push(segment);
                }
                // Merged away by another process since the folder was listed.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Ok(_) | Err(_) => {
                    let _ = fs::remove_file(&path);
                    self.notes.add(format!(
                        "the index file {} was damaged or old and is being rebuilt",
                        path.display()
                    ));
                }
            }
        }
        Ok(chain)
    }

    /// First message, end and path of every segment file.
    fn segment_files(&self) -> Result<Vec<(u32, u32, PathBuf)>> {
        let files = numbered_segment_files(&self.folder, "keywords-")?;
        Ok(files.into_iter().map(|([first, end], path)| (first, end, path)).collect())
    }

    fn write_segment(&self, segment: &KeywordSegment) -> Result<()> {
        let path = self.folder.join(format!("keywords-{:010}-{:010}.segment", segment.first, segment.end));
        segment.write(&path).map_err(StoreError::file("write", path))
    }

    /// Removes files that a larger file covers.
    fn remove_covered(&self) {
        let Ok(files) = self.segment_files() else { return };
        for (first, end, path) in &files {
            let covered =
                |other: &&(u32, u32, PathBuf)| other.0 <= *first && *end <= other.1 && other.2 != *path;
            if files.iter().any(|other| covered(&other)) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Removes files that reach beyond the newest message: the database was restored from an older copy, and
    /// other messages may come to stand where those files say something else.
    pub(crate) fn remove_files_beyond_newest(&self, tx: &mut Tx<'_>) -> Result<()> {
        // Listed before asking, so a file that another process writes meanwhile is not among them.
        let files = self.segment_files()?;
        let next = next_seq(tx)?;
        for (_, _, path) in files.into_iter().filter(|(_, end, _)| *end > next) {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }

    /// Drops everything, in memory and on disk.
    pub(crate) fn clear(&self) {
        *self.write_lock() = KeywordIndex::default();
        for (_, _, path) in self.segment_files().unwrap_or_default() {
            let _ = fs::remove_file(path);
        }
    }

    /// Files whose hash does not match.
    pub(crate) fn damaged_files(&self, tx: &mut Tx<'_>) -> Result<Vec<PathBuf>> {
        let epoch = epoch(tx)?;
        let is_damaged = |path: &Path| matches!(KeywordSegment::open(path, epoch), Ok(None) | Err(_));
        Ok(self
            .segment_files()?
            .into_iter()
            .map(|(_, _, path)| path)
            .filter(|path| is_damaged(path))
            .collect())
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, KeywordIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tail as a segment of its own.
fn tail_segment(index: &KeywordIndex, epoch: i64) -> KeywordSegment {
    let documents = &index.documents[index.in_segments() as usize..];
    let mut terms: Vec<(&str, &[(u32, u32)])> =
        index.tail.iter().map(|(term, p)| (term.as_str(), p.as_slice())).collect();
    terms.sort_unstable_by_key(|(term, _)| *term);
    KeywordSegment::build(epoch, documents, &terms)
}
