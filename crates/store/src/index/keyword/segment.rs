//! Keyword segments: immutable files that hold the postings of a contiguous run of messages.
//!
//! File layout, little endian: magic, BLAKE3 of all that follows, header, one column after another for the
//! messages, the dictionary (sorted terms with their counts and offsets), the postings. A file whose hash
//! does not match, or that was written by another analyzer, is ignored.

use super::{
    document::Document,
    varint::{read_varint, write_varint},
};
use crate::files::MappedFile;
use cairn_cognition::keywords::ANALYZER_VERSION;
use cairn_domain::{Mode, Role, Time};
use std::{
    cmp::Ordering,
    fs::{self, File},
    io,
    ops::{Deref, Range},
    path::Path,
};

const KEYWORD_FILE_MAGIC: &[u8; 8] = b"CAIRNKW1";
const HASH_RANGE: Range<usize> = 8..40;
const HEADER_RANGE: Range<usize> = 40..72;
const NO_VALUE: u32 = u32::MAX;

/// The postings of the messages `first .. end`, in the encoding of the file.
pub(super) struct KeywordSegment {
    pub(super) first: u32,
    pub(super) end: u32,
    bytes: SegmentBytes,
    at: KeywordFileLayout,
}

/// The content of a file, mapped or still to be written.
enum SegmentBytes {
    File(MappedFile),
    New(Vec<u8>),
}

impl Deref for SegmentBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::File(map) => map,
            Self::New(bytes) => bytes,
        }
    }
}

/// The fixed header of a file.
struct KeywordFileHeader {
    epoch: i64,
    analyzer: u32,
    first: u32,
    end: u32,
    terms: u32,
    letters: u32,
    postings: u32,
}

impl KeywordFileHeader {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.epoch.to_le_bytes());
        let numbers = [self.analyzer, self.first, self.end, self.terms, self.letters, self.postings];
        write_u32s(bytes, numbers.into_iter());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(HEADER_RANGE)?;
        let epoch = i64::from_le_bytes(*bytes.first_chunk()?);
        let [analyzer, first, end, terms, letters, postings] =
            std::array::from_fn(|i| u32_at(&bytes[8..], i));
        (first <= end).then_some(Self { epoch, analyzer, first, end, terms, letters, postings })
    }
}

/// Byte offsets of the columns, the number of terms, and the length of the file.
struct KeywordFileLayout {
    said_at: usize,
    session: usize,
    thread: usize,
    previous: usize,
    length: usize,
    role: usize,
    mode: usize,
    terms: usize,
    letters_end: usize,
    holding: usize,
    postings_end: usize,
    letters: usize,
    postings: usize,
    end: usize,
}

impl KeywordFileLayout {
    fn for_header(header: &KeywordFileHeader) -> Self {
        let count = (header.end - header.first) as usize;
        let terms = header.terms as usize;
        let mut at = HEADER_RANGE.end;
        let mut column = |bytes: usize| {
            at += bytes;
            at - bytes
        };
        Self {
            said_at: column(count * 8),
            session: column(count * 4),
            thread: column(count * 4),
            previous: column(count * 4),
            length: column(count * 4),
            role: column(count),
            mode: column(count),
            terms,
            letters_end: column(terms * 4),
            holding: column(terms * 4),
            postings_end: column(terms * 4),
            letters: column(header.letters as usize),
            postings: column(header.postings as usize),
            end: column(0),
        }
    }
}

fn u32_at(column: &[u8], at: usize) -> u32 {
    column.as_chunks().0.get(at).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Sorted terms while they are being written, each with its document frequency and the end of its postings.
#[derive(Default)]
struct TermDictionary {
    letters: Vec<u8>,
    letters_end: Vec<u32>,
    holding: Vec<u32>,
    postings: Vec<u8>,
    postings_end: Vec<u32>,
}

/// A term's postings while they are being written.
struct PostingWriter<'a> {
    bytes: &'a mut Vec<u8>,
    before: u32,
    count: u32,
}

impl PostingWriter<'_> {
    /// Writes the gap to the previous message, with one bit for the common case of a single occurrence.
    fn push_posting(&mut self, seq: u32, frequency: u32) {
        let distance = seq - self.before;
        write_varint(self.bytes, distance << 1 | u32::from(frequency == 1));
        if frequency != 1 {
            write_varint(self.bytes, frequency);
        }
        self.before = seq;
        self.count += 1;
    }
}

impl TermDictionary {
    /// Adds a term that sorts after all before it.
    fn add_term(&mut self, first: u32, term: &[u8], write: impl FnOnce(&mut PostingWriter<'_>)) {
        let mut writer = PostingWriter { bytes: &mut self.postings, before: first, count: 0 };
        write(&mut writer);
        self.holding.push(writer.count);
        self.letters.extend_from_slice(term);
        self.letters_end.push(self.letters.len() as u32);
        self.postings_end.push(self.postings.len() as u32);
    }
}

impl KeywordSegment {
    /// A segment of `documents` with the postings of `terms`, sorted by term and by seq.
    pub(super) fn build(epoch: i64, documents: &[Document], terms: &[(&str, &[(u32, u32)])]) -> Self {
        let first = documents.first().map_or(0, |document| document.seq);
        let mut dictionary = TermDictionary::default();
        for (term, postings) in terms {
            dictionary.add_term(first, term.as_bytes(), |writer| {
                postings.iter().for_each(|(seq, frequency)| writer.push_posting(*seq, *frequency));
            });
        }
        Self::new(epoch, first, documents, &dictionary)
    }

    /// Merges two neighboring segments into one.
    pub(super) fn merge(epoch: i64, left: &Self, right: &Self) -> Self {
        let mut dictionary = TermDictionary::default();
        let (mut i, mut j) = (0, 0);
        while i < left.at.terms || j < right.at.terms {
            let order = match (i < left.at.terms, j < right.at.terms) {
                (true, true) => left.term_bytes(i).cmp(right.term_bytes(j)),
                (true, false) => Ordering::Less,
                (false, _) => Ordering::Greater,
            };
            let (from_left, from_right) = (order.is_le(), order.is_ge());
            let term = if from_left { left.term_bytes(i) } else { right.term_bytes(j) };
            dictionary.add_term(left.first, term, |writer| {
                if from_left {
                    left.for_each_posting_at(i, |seq, frequency| writer.push_posting(seq, frequency));
                }
                if from_right {
                    right.for_each_posting_at(j, |seq, frequency| writer.push_posting(seq, frequency));
                }
            });
            i += usize::from(from_left);
            j += usize::from(from_right);
        }
        let documents: Vec<Document> = left.documents().chain(right.documents()).collect();
        Self::new(epoch, left.first, &documents, &dictionary)
    }

    fn new(epoch: i64, first: u32, documents: &[Document], dictionary: &TermDictionary) -> Self {
        let header = KeywordFileHeader {
            epoch,
            analyzer: ANALYZER_VERSION,
            first,
            end: first + documents.len() as u32,
            terms: dictionary.holding.len() as u32,
            letters: dictionary.letters.len() as u32,
            postings: dictionary.postings.len() as u32,
        };
        let at = KeywordFileLayout::for_header(&header);
        let mut bytes = Vec::with_capacity(at.end);
        bytes.extend_from_slice(KEYWORD_FILE_MAGIC);
        bytes.resize(HASH_RANGE.end, 0);
        header.write(&mut bytes);
        let documents = || documents.iter();
        bytes.extend(documents().flat_map(|d| d.said_at.millis().to_le_bytes()));
        write_u32s(&mut bytes, documents().map(|d| d.session));
        write_u32s(&mut bytes, documents().map(|d| d.thread.unwrap_or(NO_VALUE)));
        write_u32s(&mut bytes, documents().map(|d| d.previous.unwrap_or(NO_VALUE)));
        write_u32s(&mut bytes, documents().map(|d| d.length));
        bytes.extend(
            documents().map(|d| Role::ALL.iter().position(|role| *role == d.role).unwrap_or(0) as u8),
        );
        bytes.extend(
            documents().map(|d| Mode::ALL.iter().position(|mode| *mode == d.mode).unwrap_or(0) as u8),
        );
        for column in [&dictionary.letters_end, &dictionary.holding, &dictionary.postings_end] {
            write_u32s(&mut bytes, column.iter().copied());
        }
        bytes.extend_from_slice(&dictionary.letters);
        bytes.extend_from_slice(&dictionary.postings);
        let hash = blake3::hash(&bytes[HASH_RANGE.end..]);
        bytes[HASH_RANGE].copy_from_slice(hash.as_bytes());
        Self { first, end: header.end, bytes: SegmentBytes::New(bytes), at }
    }

    /// Opens a file; `None` if it is not an intact segment of this epoch and this analyzer.
    pub(super) fn open(path: &Path, epoch: i64) -> io::Result<Option<Self>> {
        let bytes = SegmentBytes::File(MappedFile::open(&File::open(path)?)?);
        let intact = bytes.get(..8) == Some(KEYWORD_FILE_MAGIC)
            && bytes
                .get(HASH_RANGE)
                .is_some_and(|hash| hash == blake3::hash(&bytes[HASH_RANGE.end..]).as_bytes());
        let Some(header) = intact.then(|| KeywordFileHeader::read(&bytes)).flatten() else { return Ok(None) };
        let at = KeywordFileLayout::for_header(&header);
        let fits = header.epoch == epoch && header.analyzer == ANALYZER_VERSION && at.end == bytes.len();
        Ok(fits.then_some(Self { first: header.first, end: header.end, bytes, at }))
    }

    /// Writes the file at `path` atomically.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let unfinished = path.with_extension(format!("{}.part", std::process::id()));
        let written = fs::write(&unfinished, &*self.bytes).and_then(|()| fs::rename(&unfinished, path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// The messages of the segment, in order.
    pub(super) fn documents(&self) -> impl ExactSizeIterator<Item = Document> {
        let KeywordFileLayout { said_at, session, thread, previous, length, role, mode, .. } = self.at;
        let column = |from: usize, bytes: usize| &self.bytes[from..from + bytes];
        let count = (self.end - self.first) as usize;
        let said_at = column(said_at, count * 8).as_chunks::<8>().0.iter();
        let u32s =
            |from: usize| column(from, count * 4).as_chunks().0.iter().map(|it| u32::from_le_bytes(*it));
        let (mut session, mut thread) = (u32s(session), u32s(thread));
        let (mut previous, mut length) = (u32s(previous), u32s(length));
        let (mut role, mut mode) = (column(role, count).iter(), column(mode, count).iter());
        let first = self.first;
        said_at.enumerate().map(move |(at, said_at)| Document {
            seq: first + at as u32,
            said_at: Time::from_millis(i64::from_le_bytes(*said_at)),
            session: session.next().unwrap_or_default(),
            thread: thread.next().filter(|id| *id != NO_VALUE),
            previous: previous.next().filter(|seq| *seq != NO_VALUE),
            length: length.next().unwrap_or_default(),
            role: variant_at(&Role::ALL, role.next()),
            mode: variant_at(&Mode::ALL, mode.next()),
        })
    }

    /// The number of messages that contain `term`.
    pub(super) fn document_frequency(&self, term: &str) -> u32 {
        self.term_index(term).map_or(0, |at| u32_at(&self.bytes[self.at.holding..], at))
    }

    /// Visits every message that contains `term`, in order, with the term's frequency there.
    pub(super) fn for_each_posting(&self, term: &str, visit: impl FnMut(u32, u32)) {
        if let Some(at) = self.term_index(term) {
            self.for_each_posting_at(at, visit);
        }
    }

    fn for_each_posting_at(&self, at: usize, mut visit: impl FnMut(u32, u32)) {
        let range = byte_range(&self.bytes[self.at.postings_end..], at);
        let mut bytes = &self.bytes[self.at.postings..][range];
        let mut seq = self.first;
        while let Some(step) = read_varint(&mut bytes) {
            seq += step >> 1;
            let frequency = if step & 1 == 1 { Some(1) } else { read_varint(&mut bytes) };
            visit(seq, frequency.unwrap_or(1));
        }
    }

    fn term_bytes(&self, at: usize) -> &[u8] {
        &self.bytes[self.at.letters..][byte_range(&self.bytes[self.at.letters_end..], at)]
    }

    fn term_index(&self, term: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.at.terms);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.term_bytes(middle).cmp(term.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(middle),
            }
        }
        None
    }
}

/// The byte range of entry `at` of a column of end offsets.
fn byte_range(ends: &[u8], at: usize) -> Range<usize> {
    let begin = if at == 0 { 0 } else { u32_at(ends, at - 1) };
    begin as usize..u32_at(ends, at) as usize
}

fn variant_at<T: Copy>(all: &[T], at: Option<&u8>) -> T {
    all[at.map_or(0, |at| usize::from(*at)).min(all.len() - 1)]
}

fn write_u32s(bytes: &mut Vec<u8>, values: impl Iterator<Item = u32>) {
    bytes.extend(values.flat_map(u32::to_le_bytes));
}
