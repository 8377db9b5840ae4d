//! A run of vectors in the order of (message, part): in memory, or in a file that looks like memory.

use super::{half, simd::LANES};
use crate::map::Map;
use std::ops::Range;

/// Vectors of consecutive messages. Every message's vectors are in one run.
pub(super) struct Run {
    dimension: usize,
    /// The message of each vector.
    seqs: Vec<u32>,
    /// Which part of its message each vector is.
    parts: Vec<u16>,
    /// Where the vectors of each message begin, counted from the first message.
    starts: Vec<u32>,
    columns: Columns,
}

/// Codes, in blocks of `LANES` vectors, and vectors, one after another.
pub(super) enum Columns {
    Memory { codes: Vec<u8>, vectors: Vec<u8> },
    File { map: Map, codes: Range<usize>, vectors: Range<usize> },
}

/// Words of a vector's code: one bit a number.
pub(super) fn words(dimension: usize) -> usize {
    dimension.div_ceil(64)
}

/// Bytes of a block of codes.
pub(super) fn block_bytes(dimension: usize) -> usize {
    words(dimension) * LANES * size_of::<u64>()
}

/// Writes the code of a vector of halves into its lane of a block: one bit a number, whether it is positive.
pub(super) fn write_code(block: &mut [u8], lane: usize, halves: &[u8]) {
    for (word, halves) in halves.chunks(64 * half::BYTES).enumerate() {
        let bits = halves.as_chunks::<{ half::BYTES }>().0.iter().enumerate();
        let code = bits.fold(0, |code, (i, half)| code | u64::from(half[1] >> 7 ^ 1) << i);
        let at = (word * LANES + lane) * size_of::<u64>();
        block[at..at + size_of::<u64>()].copy_from_slice(&u64::to_le_bytes(code));
    }
}

impl Run {
    /// An empty run in memory.
    pub(super) fn new(dimension: usize) -> Self {
        Self::of(
            dimension,
            Vec::new(),
            Vec::new(),
            Columns::Memory { codes: Vec::new(), vectors: Vec::new() },
        )
    }

    /// A run with these columns. `seqs` never falls.
    pub(super) fn of(dimension: usize, seqs: Vec<u32>, parts: Vec<u16>, columns: Columns) -> Self {
        let mut run = Self { dimension, seqs: Vec::new(), parts, starts: Vec::new(), columns };
        for (at, seq) in seqs.iter().enumerate() {
            run.mark(seqs[0], *seq, at);
        }
        run.seqs = seqs;
        run
    }

    /// Notes that the vectors of `seq` begin at `at`, unless it is known where they do.
    fn mark(&mut self, first: u32, seq: u32, at: usize) {
        let messages = (seq - first) as usize + 1;
        if self.starts.len() < messages {
            self.starts.resize(messages, at as u32);
        }
    }

    /// Adds a vector to a run in memory, after all that are there.
    pub(super) fn push(&mut self, seq: u32, part: u16, halves: &[u8]) {
        let (at, block) = (self.seqs.len(), block_bytes(self.dimension));
        let Columns::Memory { codes, vectors } = &mut self.columns else { return };
        if halves.len() != self.dimension * half::BYTES || self.seqs.last().is_some_and(|last| seq < *last) {
            return;
        }
        codes.resize((at / LANES + 1) * block, 0);
        write_code(&mut codes[at / LANES * block..], at % LANES, halves);
        vectors.extend_from_slice(halves);
        self.seqs.push(seq);
        self.parts.push(part);
        self.mark(self.seqs[0], seq, at);
    }

    /// What is left of a run without its first `count` vectors, in memory.
    pub(super) fn without_first(&self, count: usize) -> Self {
        let mut rest = Self::new(self.dimension);
        for at in count..self.len() {
            rest.push(self.seqs[at], self.parts[at], self.vector(at));
        }
        rest
    }

    pub(super) fn len(&self) -> usize {
        self.seqs.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.seqs.is_empty()
    }

    pub(super) fn seqs(&self) -> &[u32] {
        &self.seqs
    }

    pub(super) fn parts(&self) -> &[u16] {
        &self.parts
    }

    /// The message after the last one.
    pub(super) fn end_seq(&self) -> Option<u32> {
        self.seqs.last().map(|seq| seq + 1)
    }

    pub(super) fn codes(&self) -> &[u8] {
        match &self.columns {
            Columns::Memory { codes, .. } => codes,
            Columns::File { map, codes, .. } => &map[codes.clone()],
        }
    }

    /// All vectors, one after another.
    pub(super) fn vectors(&self) -> &[u8] {
        match &self.columns {
            Columns::Memory { vectors, .. } => vectors,
            Columns::File { map, vectors, .. } => &map[vectors.clone()],
        }
    }

    pub(super) fn vector(&self, at: usize) -> &[u8] {
        let bytes = self.dimension * half::BYTES;
        &self.vectors()[at * bytes..][..bytes]
    }

    /// Where the vectors of a message are; empty if it has none here.
    pub(super) fn places_of(&self, seq: u32) -> Range<usize> {
        let message =
            self.seqs.first().and_then(|first| seq.checked_sub(*first)).map(|message| message as usize);
        let Some((message, start)) = message.and_then(|at| Some((at, *self.starts.get(at)?))) else {
            return 0..0;
        };
        let end = self.starts.get(message + 1).map_or(self.len(), |end| *end as usize);
        start as usize..end
    }
}
