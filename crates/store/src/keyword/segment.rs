//! Segments: immutable files that hold the postings of a contiguous run of messages.
//!
//! Layout, little endian: magic, BLAKE3 of all that follows, header, one column after another for the
//! messages, the dictionary (sorted terms with their counts and offsets), the postings. A file that does
//! not hash to what it says, or was written by other rules, is not believed.

use super::{Document, read_varint, write_varint};
use cairn_cognition::keywords::ANALYSER_VERSION;
use cairn_domain::{Mode, Role, Time};
use std::{cmp::Ordering, fs, io, path::Path};

const MAGIC: &[u8; 8] = b"CAIRNKW1";
const HASH: std::ops::Range<usize> = 8..40;
const NONE: u32 = u32::MAX;

/// The postings of the messages `first .. end`.
pub(super) struct Segment {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) documents: Vec<Document>,
    dictionary: Dictionary,
}

/// Sorted terms; for each, how many messages hold it and where its postings end.
#[derive(Default)]
struct Dictionary {
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
    /// The distance to the message before, with one bit for the common case of a single occurrence.
    fn push(&mut self, seq: u32, frequency: u32) {
        let distance = seq - self.before;
        write_varint(self.bytes, distance << 1 | u32::from(frequency == 1));
        if frequency != 1 {
            write_varint(self.bytes, frequency);
        }
        self.before = seq;
        self.count += 1;
    }
}

impl Dictionary {
    /// Adds a term that sorts after all before it.
    fn add(&mut self, first: u32, term: &str, write: impl FnOnce(&mut PostingWriter<'_>)) {
        let mut writer = PostingWriter { bytes: &mut self.postings, before: first, count: 0 };
        write(&mut writer);
        self.holding.push(writer.count);
        self.letters.extend_from_slice(term.as_bytes());
        self.letters_end.push(self.letters.len() as u32);
        self.postings_end.push(self.postings.len() as u32);
    }

    fn term(&self, at: usize) -> &[u8] {
        &self.letters[range(&self.letters_end, at)]
    }

    fn find(&self, term: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.letters_end.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.term(middle).cmp(term.as_bytes()) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    fn for_each(&self, first: u32, at: usize, mut visit: impl FnMut(u32, u32)) {
        let mut bytes = &self.postings[range(&self.postings_end, at)];
        let mut seq = first;
        while let Some(step) = read_varint(&mut bytes) {
            seq += step >> 1;
            let frequency = if step & 1 == 1 { Some(1) } else { read_varint(&mut bytes) };
            visit(seq, frequency.unwrap_or(1));
        }
    }
}

fn range(ends: &[u32], at: usize) -> std::ops::Range<usize> {
    let begin = if at == 0 { 0 } else { ends[at - 1] };
    begin as usize..ends[at] as usize
}

impl Segment {
    /// A segment of `documents` with the postings of `terms`, which are sorted by term and by seq.
    pub(super) fn build(documents: Vec<Document>, terms: &[(&str, &[(u32, u32)])]) -> Self {
        let first = documents.first().map_or(0, |document| document.seq);
        let mut dictionary = Dictionary::default();
        for (term, postings) in terms {
            dictionary.add(first, term, |writer| {
                postings.iter().for_each(|(seq, frequency)| writer.push(*seq, *frequency));
            });
        }
        Self { first, end: first + documents.len() as u32, documents, dictionary }
    }

    /// One segment out of two neighbours.
    pub(super) fn merge(left: &Self, right: &Self) -> Self {
        let mut dictionary = Dictionary::default();
        let (a, b) = (&left.dictionary, &right.dictionary);
        let (mut i, mut j) = (0, 0);
        while i < a.letters_end.len() || j < b.letters_end.len() {
            let order = match (i < a.letters_end.len(), j < b.letters_end.len()) {
                (true, true) => a.term(i).cmp(b.term(j)),
                (true, false) => Ordering::Less,
                (false, _) => Ordering::Greater,
            };
            let (from_a, from_b) = (order.is_le(), order.is_ge());
            let term = String::from_utf8_lossy(if from_a { a.term(i) } else { b.term(j) });
            dictionary.add(left.first, &term, |writer| {
                if from_a {
                    a.for_each(left.first, i, |seq, frequency| writer.push(seq, frequency));
                }
                if from_b {
                    b.for_each(right.first, j, |seq, frequency| writer.push(seq, frequency));
                }
            });
            i += usize::from(from_a);
            j += usize::from(from_b);
        }
        let documents = left.documents.iter().chain(&right.documents).copied().collect();
        Self { first: left.first, end: right.end, documents, dictionary }
    }

    /// How many messages hold `term`.
    pub(super) fn holding(&self, term: &str) -> u32 {
        self.dictionary.find(term).map_or(0, |at| self.dictionary.holding[at])
    }

    /// Visits every message that holds `term`, in order, with its frequency there.
    pub(super) fn for_each(&self, term: &str, visit: impl FnMut(u32, u32)) {
        if let Some(at) = self.dictionary.find(term) {
            self.dictionary.for_each(self.first, at, visit);
        }
    }

    /// Writes the file at `path` in one step: it is whole or it is not there.
    pub(super) fn write(&self, path: &Path, epoch: i64) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(self.documents.len() * 64 + self.dictionary.postings.len());
        bytes.extend_from_slice(MAGIC);
        bytes.resize(HASH.end, 0);
        bytes.extend_from_slice(&epoch.to_le_bytes());
        let dictionary = &self.dictionary;
        let sizes = [dictionary.letters_end.len(), dictionary.letters.len(), dictionary.postings.len()];
        let header =
            [ANALYSER_VERSION, self.first, self.end].into_iter().chain(sizes.map(|size| size as u32));
        write_u32s(&mut bytes, header);
        let documents = || self.documents.iter();
        bytes.extend(documents().flat_map(|d| d.said_at.millis().to_le_bytes()));
        write_u32s(&mut bytes, documents().map(|d| d.session));
        write_u32s(&mut bytes, documents().map(|d| d.thread.unwrap_or(NONE)));
        write_u32s(&mut bytes, documents().map(|d| d.previous.unwrap_or(NONE)));
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
        let hash = blake3::hash(&bytes[HASH.end..]);
        bytes[HASH].copy_from_slice(hash.as_bytes());
        let unfinished = path.with_extension(format!("{}.part", std::process::id()));
        fs::write(&unfinished, &bytes)?;
        fs::rename(&unfinished, path)
    }

    /// Reads a file; `None` if it is not a whole segment of this epoch and these rules.
    pub(super) fn read(path: &Path, epoch: i64) -> io::Result<Option<Self>> {
        let bytes = fs::read(path)?;
        let believable = bytes.get(..8) == Some(MAGIC)
            && bytes.get(HASH).is_some_and(|hash| hash == blake3::hash(&bytes[HASH.end..]).as_bytes());
        Ok(believable.then(|| Self::parse(&bytes[HASH.end..], epoch)).flatten())
    }

    fn parse(body: &[u8], epoch: i64) -> Option<Self> {
        let mut sections = Sections(body);
        if sections.i64s(1)?.next()? != epoch {
            return None;
        }
        let header: Vec<u32> = sections.u32s(6)?.collect();
        let [analyser, first, end, terms, letters, postings] = header.try_into().ok()?;
        if analyser != ANALYSER_VERSION || end < first {
            return None;
        }
        let count = (end - first) as usize;
        let (mut said_at, mut session) = (sections.i64s(count)?, sections.u32s(count)?);
        let (mut thread, mut previous, mut length) =
            (sections.u32s(count)?, sections.u32s(count)?, sections.u32s(count)?);
        let (role, mode) = (sections.take(count)?, sections.take(count)?);
        let mut documents = Vec::with_capacity(count);
        for ((seq, role), mode) in (first..end).zip(role).zip(mode) {
            documents.push(Document {
                seq,
                said_at: Time::from_millis(said_at.next()?),
                session: session.next()?,
                thread: thread.next().filter(|id| *id != NONE),
                previous: previous.next().filter(|seq| *seq != NONE),
                length: length.next()?,
                role: *Role::ALL.get(usize::from(*role))?,
                mode: *Mode::ALL.get(usize::from(*mode))?,
            });
        }
        let terms = terms as usize;
        let dictionary = Dictionary {
            letters_end: sections.u32s(terms)?.collect(),
            holding: sections.u32s(terms)?.collect(),
            postings_end: sections.u32s(terms)?.collect(),
            letters: sections.take(letters as usize)?.to_vec(),
            postings: sections.take(postings as usize)?.to_vec(),
        };
        Some(Self { first, end, documents, dictionary })
    }
}

fn write_u32s(bytes: &mut Vec<u8>, values: impl Iterator<Item = u32>) {
    bytes.extend(values.flat_map(u32::to_le_bytes));
}

/// What is left of a file's body.
struct Sections<'a>(&'a [u8]);

impl<'a> Sections<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (section, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(section)
    }

    fn u32s(&mut self, count: usize) -> Option<impl ExactSizeIterator<Item = u32> + use<'a>> {
        let (chunks, _) = self.take(count.checked_mul(4)?)?.as_chunks::<4>();
        Some(chunks.iter().map(|bytes| u32::from_le_bytes(*bytes)))
    }

    fn i64s(&mut self, count: usize) -> Option<impl ExactSizeIterator<Item = i64> + use<'a>> {
        let (chunks, _) = self.take(count.checked_mul(8)?)?.as_chunks::<8>();
        Some(chunks.iter().map(|bytes| i64::from_le_bytes(*bytes)))
    }
}
