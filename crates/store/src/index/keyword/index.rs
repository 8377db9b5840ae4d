//! The keyword index as a question searches it: segments, and a tail in memory.

use super::{document::Document, segment::KeywordSegment};
use crate::record::Indexable;
use cairn_domain::Time;
use std::{collections::HashMap, sync::Arc};

/// Postings and documents up to the message that was newest when the answer began.
#[derive(Default)]
pub struct KeywordIndex {
    pub(super) epoch: Option<i64>,
    pub(super) segments: Vec<Arc<KeywordSegment>>,
    pub(super) documents: Vec<Document>,
    session_of: Vec<u32>,
    lengths: Vec<u32>,
    next: Vec<u32>,
    pub(super) tail: HashMap<String, Vec<(u32, u32)>>,
    total_length: u64,
    sessions: u32,
    /// In an excerpt: what is known of the whole.
    whole: Option<CorpusTotals>,
}

/// Counts over the whole index that an excerpt was taken from.
pub(super) struct CorpusTotals {
    pub(super) messages: u64,
    pub(super) length: u64,
    /// How many messages hold each term that was asked for.
    pub(super) holding: HashMap<String, u64>,
}

/// No message follows in the session.
const NO_MESSAGE: u32 = u32::MAX;

impl KeywordIndex {
    /// An empty index of messages that were numbered in `epoch`.
    pub(super) fn of_epoch(epoch: i64) -> Self {
        Self { epoch: Some(epoch), ..Self::default() }
    }

    /// Some messages in the order of recording, with where the terms of a question stand in them (by place), as if they were
    /// all. What is before a message and is not among them is not there.
    pub(super) fn excerpt(
        whole: CorpusTotals,
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

    /// The position of a message among the documents.
    pub fn place_of(&self, seq: u32) -> Option<u32> {
        let at = self.documents.binary_search_by_key(&seq, |document| document.seq).ok()?;
        Some(at as u32)
    }

    /// Whether every message is among the documents.
    pub fn is_whole(&self) -> bool {
        self.messages() == self.documents.len() as u64
    }

    /// The number of messages, whether or not they are among the documents.
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

    /// The session of every message, in one array for scoring.
    pub fn session_of(&self) -> &[u32] {
        &self.session_of
    }

    /// The length of every message in terms, in one array for scoring.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// The message after `seq` in its session.
    pub fn next(&self, seq: u32) -> Option<u32> {
        self.next.get(seq as usize).copied().filter(|next| *next != NO_MESSAGE)
    }

    /// The mean length of a message in terms.
    pub fn average_length(&self) -> f64 {
        let length = self.whole.as_ref().map_or(self.total_length, |whole| whole.length);
        length as f64 / self.messages().max(1) as f64
    }

    /// One more than the highest session id among the documents.
    pub fn sessions(&self) -> u32 {
        self.sessions
    }

    /// The number of messages that contain `term`.
    pub fn document_frequency(&self, term: &str) -> u64 {
        if let Some(whole) = &self.whole {
            return whole.holding.get(term).copied().unwrap_or(0);
        }
        let in_tail = self.tail.get(term).map_or(0, Vec::len) as u64;
        self.segments.iter().map(|segment| u64::from(segment.document_frequency(term))).sum::<u64>() + in_tail
    }

    /// Visits every message that contains `term`, in order, with the term's frequency there.
    pub fn for_each(&self, term: &str, mut visit: impl FnMut(u32, u32)) {
        for segment in &self.segments {
            segment.for_each_posting(term, &mut visit);
        }
        for (seq, frequency) in self.tail.get(term).into_iter().flatten() {
            visit(*seq, *frequency);
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.documents.len() as u32
    }

    pub(super) fn in_segments(&self) -> u32 {
        self.segments.last().map_or(0, |segment| segment.end)
    }

    pub(super) fn add_segment(&mut self, segment: KeywordSegment) {
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
        self.next.push(NO_MESSAGE);
        if let Some(previous) = document.previous
            && let Some(next) = self.next.get_mut(previous as usize)
        {
            *next = self.documents.len() as u32 - 1;
        }
    }

    pub(super) fn add_message(&mut self, message: Indexable) {
        let seq = message.document.seq;
        self.add_document(message.document);
        for (term, frequency) in message.terms {
            self.tail.entry(term).or_default().push((seq, frequency));
        }
    }
}
