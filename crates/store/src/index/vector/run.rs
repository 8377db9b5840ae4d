//! A run of vectors in the order of (message, part), in memory or in a mapped file.

use super::{half, simd::LANES};
use crate::files::MappedFile;
use std::ops::Range;

/// Vectors of consecutive messages. All vectors of a message are in the same run.
pub(super) struct VectorRun {
    dimension: usize,
    /// The message of each vector.
    seqs: Vec<u32>,
    /// Which part of its message each vector is.
    parts: Vec<u16>,
    /// Position of each message's first vector, indexed from the first message.
    starts: Vec<u32>,
    columns: RunColumns,
}

/// Codes, in blocks of `LANES` vectors, and vectors, one after another.
pub(super) enum RunColumns {
    Memory { codes: Vec<u8>, vectors: Vec<u8> },
    File { map: MappedFile, codes: Range<usize>, vectors: Range<usize> },
}

/// 64-bit words of a vector's binary code: one bit per number.
pub(super) fn code_words(dimension: usize) -> usize {
    dimension.div_ceil(64)
}

/// Bytes of a block of codes.
pub(super) fn block_bytes(dimension: usize) -> usize {
    code_words(dimension) * LANES * size_of::<u64>()
}

/// Writes the binary code of a vector into its lane of a block: one bit per number, set if it is positive.
pub(super) fn write_code(block: &mut [u8], lane: usize, halves: &[u8]) {
    for (word, halves) in halves.chunks(64 * half::BYTES_PER_HALF).enumerate() {
        let bits = halves.as_chunks::<{ half::BYTES_PER_HALF }>().0.iter().enumerate();
        let code = bits.fold(0, |code, (i, half)| code | u64::from(half[1] >> 7 ^ 1) << i);
        let at = (word * LANES + lane) * size_of::<u64>();
        block[at..at + size_of::<u64>()].copy_from_slice(&u64::to_le_bytes(code));
    }
}

impl VectorRun {
    /// An empty run in memory.
    pub(super) fn new(dimension: usize) -> Self {
        Self::of(
            dimension,
            Vec::new(),
            Vec::new(),
            RunColumns::Memory { codes: Vec::new(), vectors: Vec::new() },
        )
    }

    /// A run with these columns; `seqs` must not decrease.
    pub(super) fn of(dimension: usize, seqs: Vec<u32>, parts: Vec<u16>, columns: RunColumns) -> Self {
        let mut run = Self { dimension, seqs: Vec::new(), parts, starts: Vec::new(), columns };
        for (at, seq) in seqs.iter().enumerate() {
            run.record_start(seqs[0], *seq, at);
        }
        run.seqs = seqs;
        run
    }

    /// Records that the vectors of `seq` begin at `at`, unless that is known already.
    fn record_start(&mut self, first: u32, seq: u32, at: usize) {
        let messages = (seq - first) as usize + 1;
        if self.starts.len() < messages {
            self.starts.resize(messages, at as u32);
        }
    }

    /// Appends a vector to a run in memory.
    pub(super) fn push(&mut self, seq: u32, part: u16, halves: &[u8]) {
        let (at, block) = (self.seqs.len(), block_bytes(self.dimension));
        let RunColumns::Memory { codes, vectors } = &mut self.columns else { return };
        if halves.len() != self.dimension * half::BYTES_PER_HALF
            || self.seqs.last().is_some_and(|last| seq < *last)
        {
            return;
        }
        codes.resize((at / LANES + 1) * block, 0);
        write_code(&mut codes[at / LANES * block..], at % LANES, halves);
        vectors.extend_from_slice(halves);
        self.seqs.push(seq);
        self.parts.push(part);
        self.record_start(self.seqs[0], seq, at);
    }

    /// A copy in memory without the first `count` vectors.
    pub(super) fn without_first_vectors(&self, count: usize) -> Self {
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
            RunColumns::Memory { codes, .. } => codes,
            RunColumns::File { map, codes, .. } => &map[codes.clone()],
        }
    }

    /// All vectors, one after another.
    pub(super) fn vectors(&self) -> &[u8] {
        match &self.columns {
            RunColumns::Memory { vectors, .. } => vectors,
            RunColumns::File { map, vectors, .. } => &map[vectors.clone()],
        }
    }

    pub(super) fn vector(&self, at: usize) -> &[u8] {
        let bytes = self.dimension * half::BYTES_PER_HALF;
        &self.vectors()[at * bytes..][..bytes]
    }

    /// The positions of a message's vectors; empty if it has none here.
    pub(super) fn positions_of(&self, seq: u32) -> Range<usize> {
        let message =
            self.seqs.first().and_then(|first| seq.checked_sub(*first)).map(|message| message as usize);
        let Some((message, start)) = message.and_then(|at| Some((at, *self.starts.get(at)?))) else {
            return 0..0;
        };
        let end = self.starts.get(message + 1).map_or(self.len(), |end| *end as usize);
        start as usize..end
    }
}
