//! The vector index as one process holds it, and its search: every vector is compared by a binary code of one bit per
//! number first, and the best candidates are rescored with all their numbers.

use super::{
    run::{VectorRun, block_bytes},
    segment::VectorSegment,
    selection::NearestSelection,
    simd::{LANES, QueryBits, SimdLevel},
    source::IndexSource,
};
use rayon::prelude::*;
use std::{cmp::Ordering, f32::consts::FRAC_2_PI, sync::Arc};

/// Minimum number of vectors rescored in full precision.
const MIN_RESCORED: usize = 1_000;
/// Vectors rescored per requested message, at least.
const RESCORED_PER_RESULT: usize = 5;
/// At least one of this many vectors is rescored. Measured: binary codes then lose at most about one in a hundred of the ten
/// nearest.
const RESCORED_ONE_IN: usize = 500;
/// From this many vectors on, two threads scan the codes.
const TWO_THREADS_FROM_VECTORS: usize = 400_000;
/// Messages that a thread rescores at a time.
const RESCORE_CHUNK_MESSAGES: usize = 256;
/// Up to this many messages are rescored without other threads, which may be busy for longer than that takes.
const RESCORE_INLINE_MESSAGES: usize = 3 * RESCORE_CHUNK_MESSAGES;
/// Blocks whose distances are computed at a time.
const BLOCKS_PER_CHUNK: usize = 256;
/// Distances checked together against the limit, since most are too far.
const DISTANCES_PER_CHECK: usize = 32;
/// A number of the query this many times its root mean square has the largest weight.
const HEAVY_FACTOR: f32 = 2.0;
/// The largest weight of a number of the query.
const MAX_WEIGHT: f32 = 3.0;

/// Whether a message may be among the results; `None` admits all.
type SeqFilter<'a> = Option<&'a dyn Fn(u32) -> bool>;

/// The vectors of the active embedder up to the message it had reached when the answer began.
#[derive(Default)]
pub struct VectorIndex {
    pub(super) source: Option<IndexSource>,
    pub(super) segments: Vec<Arc<VectorSegment>>,
    pub(super) tail: Option<VectorRun>,
    /// Every message before this one has its vectors here.
    pub(super) reached: u32,
    /// Set once writing an overlong tail to a file has failed; it is not tried again.
    pub(super) stays_in_memory: bool,
}

/// Blocks of one run that one thread scans.
struct BlockRange<'a> {
    number: u32,
    run: &'a VectorRun,
    blocks: std::ops::Range<usize>,
}

impl VectorIndex {
    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.runs().map(|run| run.len()).sum()
    }

    /// Whether there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first message that may lack vectors.
    pub fn reached(&self) -> u32 {
        self.reached
    }

    /// The number of dimensions of every vector.
    pub fn dimension(&self) -> usize {
        self.source.as_ref().map_or(0, |source| source.dimension)
    }

    /// The name of the embedder that made the vectors.
    pub fn embedder(&self) -> &str {
        self.source.as_ref().map_or("", |source| &source.name)
    }

    /// The messages nearest to `query`, a vector of length 1: up to `n`, best first, with their similarity (the
    /// cosine). Parts of a message after the first score `later_part_penalty` less, so that length alone wins
    /// nothing, and a message scores as its best part. Messages that `admits` rejects cost no place.
    ///
    /// A query of another dimension finds nothing.
    pub fn nearest(
        &self,
        query: &[f32],
        n: usize,
        later_part_penalty: f32,
        admits: SeqFilter<'_>,
    ) -> Vec<(u32, f32)> {
        self.nearest_rescoring(MIN_RESCORED, query, n, later_part_penalty, admits)
    }

    /// Like [`Self::nearest`], with at least `rescored` vectors rescored.
    pub(crate) fn nearest_rescoring(
        &self,
        rescored: usize,
        query: &[f32],
        n: usize,
        later_part_penalty: f32,
        admits: SeqFilter<'_>,
    ) -> Vec<(u32, f32)> {
        if n == 0 || query.len() != self.dimension() || query.is_empty() {
            return Vec::new();
        }
        let wanted = rescored.max(n.saturating_mul(RESCORED_PER_RESULT)).max(self.len() / RESCORED_ONE_IN);
        let quantized = QuantizedQuery::new(query, wanted.min(self.len()), later_part_penalty);
        let selection = match admits {
            None if self.len() >= TWO_THREADS_FROM_VECTORS => {
                quantized.scan_on_two_threads(&self.split_in_two())
            }
            _ => quantized.scan(&self.block_ranges(), admits),
        };
        let runs: Vec<&VectorRun> = self.runs().collect();
        let seq_at = |(run, at): (u32, u32)| runs[run as usize].seqs()[at as usize];
        // Positions are in the order of messages.
        let mut seqs: Vec<u32> = selection.into_positions().into_iter().map(seq_at).collect();
        seqs.dedup();
        self.rescored(query, n, later_part_penalty, &seqs)
    }

    /// Like [`Self::nearest`], rescoring every vector: slow, for measurements and tests.
    pub fn nearest_exact(
        &self,
        query: &[f32],
        n: usize,
        later_part_penalty: f32,
        admits: SeqFilter<'_>,
    ) -> Vec<(u32, f32)> {
        let mut seqs: Vec<u32> = self.runs().flat_map(|run| run.seqs()).copied().collect();
        seqs.dedup();
        seqs.retain(|seq| admits.is_none_or(|admits| admits(*seq)));
        self.rescored(query, n, later_part_penalty, &seqs)
    }

    /// The similarity of one message, as [`Self::nearest`] scores it; `None` if it has no vector yet.
    pub fn similarity(&self, query: &[f32], seq: u32, later_part_penalty: f32) -> Option<f32> {
        if query.len() != self.dimension() {
            return None;
        }
        self.similarity_at(SimdLevel::best(), query, seq, later_part_penalty)
    }

    fn similarity_at(
        &self,
        level: SimdLevel,
        query: &[f32],
        seq: u32,
        later_part_penalty: f32,
    ) -> Option<f32> {
        let after = self.segments.partition_point(|segment| segment.run.seqs()[0] <= seq);
        let in_segment = after.checked_sub(1).map(|at| &self.segments[at].run);
        let runs = in_segment.into_iter().chain(&self.tail);
        let found = runs.map(|run| (run, run.positions_of(seq))).find(|(_, places)| !places.is_empty());
        let (run, places) = found?;
        let first = places.start;
        let of_part = |at: usize| {
            let penalty = if at == first { 0.0 } else { later_part_penalty };
            level.dot_product(query, run.vector(at)) - penalty
        };
        places.map(of_part).reduce(f32::max)
    }

    /// The `n` best of `seqs` in full precision; of equal ones the earlier message comes first.
    fn rescored(&self, query: &[f32], n: usize, later_part_penalty: f32, seqs: &[u32]) -> Vec<(u32, f32)> {
        let level = SimdLevel::best();
        let similarity =
            |seq: &u32| Some((*seq, self.similarity_at(level, query, *seq, later_part_penalty)?));
        // Vectors are far apart in memory, and threads spend most of their time waiting for it.
        let mut scored: Vec<(u32, f32)> = if seqs.len() <= RESCORE_INLINE_MESSAGES {
            seqs.iter().filter_map(similarity).collect()
        } else {
            seqs.par_chunks(RESCORE_CHUNK_MESSAGES)
                .flat_map_iter(|piece| piece.iter().filter_map(similarity))
                .collect()
        };
        let order = |a: &(u32, f32), b: &(u32, f32)| -> Ordering { b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)) };
        if n < scored.len() {
            scored.select_nth_unstable_by(n, order);
            scored.truncate(n);
        }
        scored.sort_unstable_by(order);
        scored
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &VectorRun> {
        self.segments.iter().map(|segment| &segment.run).chain(&self.tail)
    }

    fn block_ranges(&self) -> Vec<BlockRange<'_>> {
        let stretch = |(number, run): (usize, _)| {
            let run: &VectorRun = run;
            BlockRange { number: number as u32, run, blocks: 0..run.len().div_ceil(LANES) }
        };
        self.runs().enumerate().map(stretch).collect()
    }

    /// All blocks, split into two halves of the same length.
    fn split_in_two(&self) -> [Vec<BlockRange<'_>>; 2] {
        let all = self.block_ranges();
        let mut left = all.iter().map(|stretch| stretch.blocks.len()).sum::<usize>() / 2;
        let (mut early, mut late) = (Vec::new(), Vec::new());
        for BlockRange { number, run, blocks } in all {
            let cut = left.min(blocks.len());
            left -= cut;
            early.push(BlockRange { number, run, blocks: 0..cut });
            late.push(BlockRange { number, run, blocks: cut..blocks.end });
        }
        [early, late]
    }
}

/// A query as weighted bits, ready to be compared with binary codes.
struct QuantizedQuery {
    level: SimdLevel,
    question: Vec<QueryBits>,
    dimension: usize,
    wanted: usize,
    /// The largest possible distance, without the handicap.
    farthest: u16,
    /// Distance added to later parts of a message.
    handicap: u16,
}

impl QuantizedQuery {
    /// The distance of a code is the total weight of the numbers whose sign differs from the query's. Weights grow with the
    /// size of a number: one near zero may easily have the other sign.
    fn new(query: &[f32], wanted: usize, later_part_penalty: f32) -> Self {
        let dimension = query.len() as f32;
        let usual = (query.iter().map(|number| number * number).sum::<f32>() / dimension).sqrt();
        let step = (HEAVY_FACTOR * usual / MAX_WEIGHT).max(f32::MIN_POSITIVE);
        let weight = |number: f32| (number.abs() / step).round().min(MAX_WEIGHT) as u64;
        let word = |numbers: &[f32]| {
            let bits = |of: &dyn Fn(f32) -> u64| {
                numbers.iter().enumerate().fold(0, |bits, (i, number)| bits | (of(*number) & 1) << i)
            };
            QueryBits {
                positive: bits(&|number| u64::from(number.is_sign_positive())),
                weighs_one: bits(&weight),
                weighs_two: bits(&|number| weight(number) >> 1),
            }
        };
        let farthest = query.iter().map(|number| weight(*number)).sum::<u64>() as u16;
        // Each step of distance takes two steps off the dot product of the query and the signs of a vector, which
        // is the cosine times the sum of the vector's sizes: about the root of 2 / pi for each number.
        let sizes = (FRAC_2_PI * dimension).sqrt();
        let handicap =
            (later_part_penalty.max(0.0) * sizes / (2.0 * step)).round().min(f32::from(farthest)) as u16;
        let question = query.chunks(64).map(word).collect();
        Self { level: SimdLevel::best(), question, dimension: query.len(), wanted, farthest, handicap }
    }

    /// The nearest vectors of some blocks by their codes.
    fn scan(&self, block_ranges: &[BlockRange<'_>], admits: SeqFilter<'_>) -> NearestSelection {
        let mut selection = NearestSelection::new(self.wanted, self.farthest + self.handicap);
        let mut distances = [0; BLOCKS_PER_CHUNK * LANES];
        let block = block_bytes(self.dimension);
        for BlockRange { number, run, blocks } in block_ranges {
            let mut begin = blocks.start;
            while begin < blocks.end {
                let end = blocks.end.min(begin + BLOCKS_PER_CHUNK);
                let distances = &mut distances[..(end - begin) * LANES];
                self.level.distances(&self.question, &run.codes()[begin * block..end * block], distances);
                let count = distances.len().min(run.len() - begin * LANES);
                self.select_near(&mut selection, &distances[..count], *number, run, begin * LANES, admits);
                begin = end;
            }
        }
        selection
    }

    /// Scans each half on a thread of its own.
    fn scan_on_two_threads(&self, [early, late]: &[Vec<BlockRange<'_>>; 2]) -> NearestSelection {
        let (mut selection, later) = rayon::join(|| self.scan(early, None), || self.scan(late, None));
        selection.append(&later);
        selection
    }

    /// Adds the vectors from `first` on whose distances are within the limit.
    fn select_near(
        &self,
        selection: &mut NearestSelection,
        distances: &[u16],
        number: u32,
        run: &VectorRun,
        first: usize,
        admits: SeqFilter<'_>,
    ) {
        let (chunks, rest) = distances.as_chunks::<DISTANCES_PER_CHECK>();
        let least = |chunk: &[u16; DISTANCES_PER_CHECK]| {
            chunk.iter().fold(u16::MAX, |least, distance| least.min(*distance))
        };
        let chunks = chunks.iter().map(|chunk| (least(chunk), chunk.as_slice())).chain([(0, rest)]);
        for (i, (least, distances)) in chunks.enumerate() {
            if least > selection.limit() {
                continue;
            }
            let begin = first + i * DISTANCES_PER_CHECK;
            for (place, distance) in (begin..).zip(distances) {
                if *distance > selection.limit() {
                    continue;
                }
                let handicap = if run.parts()[place] == 0 { 0 } else { self.handicap };
                let near = distance + handicap <= selection.limit();
                if near && admits.is_none_or(|admits| admits(run.seqs()[place])) {
                    selection.add(distance + handicap, (number, place as u32));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::half::encode_halves, IndexSource, QuantizedQuery, VectorIndex, VectorRun};

    /// covers: W-16
    #[test]
    fn two_threads_find_what_one_finds() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut vector = || -> Vec<f32> { (0..64).map(|_| random.f32() - 0.5).collect() };
        let mut run = VectorRun::new(64);
        for seq in 0..5_001 {
            run.push(seq, 0, &encode_halves(&vector()).expect("finite"));
        }
        let source = IndexSource { epoch: 0, embedder: 1, name: "a".into(), since: 0, dimension: 64 };
        let index = VectorIndex { source: Some(source), tail: Some(run), ..VectorIndex::default() };
        for _ in 0..5 {
            let query = QuantizedQuery::new(&vector(), 50, 0.0);
            let one = query.scan(&index.block_ranges(), None).into_positions();
            assert_eq!(query.scan_on_two_threads(&index.split_in_two()).into_positions(), one);
            assert!((50..=100).contains(&one.len()));
        }
    }
}
