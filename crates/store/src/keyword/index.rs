//! The index as one process holds it: segments, and a tail that is caught up from the database.

use super::{Document, segment::Segment};
use crate::{
    Result, StoreError,
    database::Connection,
    disk::{numbered_files, remove_unfinished},
    record::{Indexable, epoch, indexable_from, next_seq},
    store::Notes,
};
use cairn_domain::Time;
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// Messages the tail may hold before they are worth a segment.
const TAIL_MESSAGES: usize = 512;
/// Messages read from the database at a time.
const BATCH: u32 = 512;
/// A segment is merged into the one before it until that one is this many times as large.
const GROWTH: u32 = 4;

/// The index of one agent, shared by the threads of one process.
pub(crate) struct Keywords {
    folder: PathBuf,
    notes: Notes,
    index: RwLock<KeywordIndex>,
}

/// Postings and documents up to the message that was newest when the answer began.
#[derive(Default)]
pub struct KeywordIndex {
    epoch: Option<i64>,
    segments: Vec<Arc<Segment>>,
    documents: Vec<Document>,
    session_of: Vec<u32>,
    lengths: Vec<u32>,
    next: Vec<u32>,
    tail: HashMap<String, Vec<(u32, u32)>>,
    total_length: u64,
    sessions: u32,
    /// In an excerpt: what is known of the whole.
    whole: Option<Whole>,
}

/// What an excerpt knows of the index it was taken from.
pub(super) struct Whole {
    pub(super) messages: u64,
    pub(super) length: u64,
    /// How many messages hold each term that was asked for.
    pub(super) holding: HashMap<String, u64>,
}

/// No message follows in the session.
const NONE: u32 = u32::MAX;

impl KeywordIndex {
    /// Some messages in the order of recording, with where the terms of a question stand in them (by place), as if they were
    /// all. What is before a message and is not among them is not there.
    pub(super) fn excerpt(
        whole: Whole,
        documents: impl Iterator<Item = Document>,
        postings: HashMap<String, Vec<(u32, u32)>>,
    ) -> Self {
        let mut index = Self { whole: Some(whole), tail: postings, ..Self::default() };
        for mut document in documents {
            document.previous = document.previous.and_then(|previous| index.place_of(previous));
            index.add_document(document);
        }
        index
    }

    /// The place of a message among the documents.
    pub fn place_of(&self, seq: u32) -> Option<u32> {
        let at = self.documents.binary_search_by_key(&seq, |document| document.seq).ok()?;
        Some(at as u32)
    }

    /// Whether every message is among the documents.
    pub fn is_whole(&self) -> bool {
        self.messages() == self.documents.len() as u64
    }

    /// How many messages there are, whether or not they are among the documents.
    pub fn messages(&self) -> u64 {
        self.whole.as_ref().map_or(self.documents.len() as u64, |whole| whole.messages)
    }

    /// Messages in the order of recording. Everywhere else in this index a message is named by its place here. In
    /// embedded mode all messages are here, and a message's place is its seq; elsewhere those that matter to a question.
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// The seqs of the `k` messages that were said last, at some moment or later and before another.
    pub fn newest_within(&self, from: Option<Time>, before: Option<Time>, k: usize) -> Vec<u32> {
        let within = |at: Time| from.is_none_or(|from| from <= at) && before.is_none_or(|before| at < before);
        let said = self.documents.iter().map(|document| (document.said_at, document.seq));
        let mut newest: Vec<(Time, u32)> = said.filter(|(at, _)| within(*at)).collect();
        if k < newest.len() {
            newest.select_nth_unstable_by(k, |a, b| b.cmp(a));
            newest.truncate(k);
        }
        newest.into_iter().map(|(_, seq)| seq).collect()
    }

    /// The session of every message, close together for scoring.
    pub fn session_of(&self) -> &[u32] {
        &self.session_of
    }

    /// The length of every message in terms, close together for scoring.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// The message after `seq` in its session.
    pub fn next(&self, seq: u32) -> Option<u32> {
        self.next.get(seq as usize).copied().filter(|next| *next != NONE)
    }

    /// The mean length of a message in terms.
    pub fn average_length(&self) -> f64 {
        let length = self.whole.as_ref().map_or(self.total_length, |whole| whole.length);
        length as f64 / self.messages().max(1) as f64
    }

    /// How many sessions there are: one more than the highest number among the documents.
    pub fn sessions(&self) -> u32 {
        self.sessions
    }

    /// How many messages hold `term`.
    pub fn holding(&self, term: &str) -> u64 {
        if let Some(whole) = &self.whole {
            return whole.holding.get(term).copied().unwrap_or(0);
        }
        let in_tail = self.tail.get(term).map_or(0, Vec::len) as u64;
        self.segments.iter().map(|segment| u64::from(segment.holding(term))).sum::<u64>() + in_tail
    }

    /// Visits every message that holds `term`, in order, with the term's frequency there.
    pub fn for_each(&self, term: &str, mut visit: impl FnMut(u32, u32)) {
        for segment in &self.segments {
            segment.for_each(term, &mut visit);
        }
        for (seq, frequency) in self.tail.get(term).into_iter().flatten() {
            visit(*seq, *frequency);
        }
    }

    fn len(&self) -> u32 {
        self.documents.len() as u32
    }

    fn in_segments(&self) -> u32 {
        self.segments.last().map_or(0, |segment| segment.end)
    }

    fn add_segment(&mut self, segment: Segment) {
        let documents = segment.documents();
        let more = documents.len();
        self.documents.reserve(more);
        self.session_of.reserve(more);
        self.lengths.reserve(more);
        self.next.reserve(more);
        documents.for_each(|document| self.add_document(document));
        self.segments.push(Arc::new(segment));
    }

    fn add_document(&mut self, document: Document) {
        self.total_length += u64::from(document.length);
        self.sessions = self.sessions.max(document.session + 1);
        self.documents.push(document);
        self.session_of.push(document.session);
        self.lengths.push(document.length);
        self.next.push(NONE);
        if let Some(previous) = document.previous
            && let Some(next) = self.next.get_mut(previous as usize)
        {
            *next = self.documents.len() as u32 - 1;
        }
    }

    fn add(&mut self, message: Indexable) {
        let seq = message.document.seq;
        self.add_document(message.document);
        for (term, frequency) in message.terms {
            self.tail.entry(term).or_default().push((seq, frequency));
        }
    }
}

impl Keywords {
    pub(crate) fn new(folder: PathBuf, notes: Notes) -> Self {
        Self { folder, notes, index: RwLock::default() }
    }

    /// The index with everything that is committed as `connection` sees it.
    pub(crate) fn caught_up(
        &self,
        connection: &mut Connection,
        agent_id: i64,
    ) -> Result<RwLockReadGuard<'_, KeywordIndex>> {
        let (epoch, next) = (epoch(connection, agent_id)?, next_seq(connection, agent_id)?);
        loop {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            // Another thread's newer view may have brought the index further already.
            if index.epoch == Some(epoch) && index.len() >= next {
                return Ok(index);
            }
            drop(index);
            self.catch_up(connection, agent_id, epoch, next)?;
        }
    }

    fn catch_up(&self, connection: &mut Connection, agent_id: i64, epoch: i64, next: u32) -> Result<()> {
        let mut index = self.write_lock();
        if index.epoch != Some(epoch) {
            *index = KeywordIndex { epoch: Some(epoch), ..KeywordIndex::default() };
            for segment in self.read_segments(epoch, 0, next)? {
                index.add_segment(segment);
            }
        }
        while index.len() < next {
            let batch = indexable_from(connection, agent_id, index.len(), BATCH)?;
            if batch.first().is_none_or(|message| message.document.seq != index.len()) {
                let problem = format!("message {} is missing from the database", index.len());
                return Err(StoreError::Damaged { problem, hint: "run `cairn rebuild`".into() });
            }
            for message in batch {
                index.add(message);
            }
        }
        Ok(())
    }

    /// Whether the tail is long enough to be worth writing down.
    pub(crate) fn wants_tending(&self) -> bool {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        index.documents.len() - index.in_segments() as usize >= TAIL_MESSAGES
    }

    /// Writes the tail down as a segment and merges small segments; up to which message files now reach.
    /// One process does this at a time (it holds the job's lease); the others go on reading what they have.
    pub(crate) fn tend(&self, connection: &mut Connection, agent_id: i64) -> Result<u32> {
        fs::create_dir_all(&self.folder).map_err(StoreError::file("make", &self.folder))?;
        remove_unfinished(&self.folder, "keywords-");
        let (mut segments, epoch, written) = {
            let index = self.caught_up(connection, agent_id)?;
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
            if left.end - left.first >= GROWTH * (right.end - right.first) {
                break;
            }
            let merged = Segment::merge(epoch, left, right);
            self.write_segment(&merged)?;
            segments.truncate(segments.len() - 2);
            segments.push(Arc::new(merged));
        }
        let end = segments.last().map_or(0, |segment| segment.end);
        self.adopt(segments, epoch, end);
        self.remove_covered();
        Ok(end)
    }

    /// Takes freshly written segments over into memory and drops what they cover from the tail.
    fn adopt(&self, segments: Vec<Arc<Segment>>, epoch: i64, end: u32) {
        let mut index = self.write_lock();
        if index.epoch == Some(epoch) && index.len() >= end {
            index.segments = segments;
            index.tail.retain(|_, postings| {
                postings.retain(|(seq, _)| *seq >= end);
                !postings.is_empty()
            });
        }
    }

    /// The longest chain of believable files from `from` on that does not reach beyond `next`. Files that
    /// cannot be believed are removed: they are derived and will be written again.
    fn read_segments(&self, epoch: i64, from: u32, next: u32) -> Result<Vec<Segment>> {
        let mut chain = Vec::new();
        let mut reached = from;
        let mut files = self.files()?;
        // The largest of those that begin at the same place first.
        files.sort_by_key(|(first, end, _)| (*first, std::cmp::Reverse(*end)));
        for (first, end, path) in files {
            if first != reached || end > next {
                continue;
            }
            match Segment::open(&path, epoch) {
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
    fn files(&self) -> Result<Vec<(u32, u32, PathBuf)>> {
        let files = numbered_files(&self.folder, "keywords-")?;
        Ok(files.into_iter().map(|([first, end], path)| (first, end, path)).collect())
    }

    fn write_segment(&self, segment: &Segment) -> Result<()> {
        let path = self.folder.join(format!("keywords-{:010}-{:010}.segment", segment.first, segment.end));
        segment.write(&path).map_err(StoreError::file("write", path))
    }

    /// Removes files that a larger file covers.
    fn remove_covered(&self) {
        let Ok(files) = self.files() else { return };
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
    pub(crate) fn remove_beyond(&self, connection: &mut Connection, agent_id: i64) -> Result<()> {
        // Listed before asking, so a file that another process writes meanwhile is not among them.
        let files = self.files()?;
        let next = next_seq(connection, agent_id)?;
        for (_, _, path) in files.into_iter().filter(|(_, end, _)| *end > next) {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }

    /// Forgets everything, in memory and on disk.
    pub(crate) fn forget(&self) {
        *self.write_lock() = KeywordIndex::default();
        for (_, _, path) in self.files().unwrap_or_default() {
            let _ = fs::remove_file(path);
        }
    }

    /// Files that do not hash to what they say.
    pub(crate) fn damaged_files(&self, connection: &mut Connection, agent_id: i64) -> Result<Vec<PathBuf>> {
        let epoch = epoch(connection, agent_id)?;
        let is_damaged = |path: &Path| matches!(Segment::open(path, epoch), Ok(None) | Err(_));
        Ok(self.files()?.into_iter().map(|(_, _, path)| path).filter(|path| is_damaged(path)).collect())
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, KeywordIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tail as a segment of its own.
fn tail_segment(index: &KeywordIndex, epoch: i64) -> Segment {
    let documents = &index.documents[index.in_segments() as usize..];
    let mut terms: Vec<(&str, &[(u32, u32)])> =
        index.tail.iter().map(|(term, p)| (term.as_str(), p.as_slice())).collect();
    terms.sort_unstable_by_key(|(term, _)| *term);
    Segment::build(epoch, documents, &terms)
}
