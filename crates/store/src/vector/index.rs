//! The index as one process holds it, and how it is searched.

use super::{
    Source,
    run::{Run, block_bytes},
    segment::Segment,
    selection::Selection,
    simd::{LANES, Level, Word},
};
use rayon::prelude::*;
use std::{cmp::Ordering, f32::consts::FRAC_2_PI, sync::Arc};

/// Vectors that are compared in full, whatever is asked for …
const COMPARED: usize = 1_000;
/// … for each message asked for …
const COMPARED_EACH: usize = 5;
/// … and one of so many: then one bit a number loses about one in a hundred of the ten nearest, or fewer.
const COMPARED_ONE_IN: usize = 500;
/// From so many vectors on two threads look for the nearest.
const WORTH_A_THREAD: usize = 400_000;
/// Messages that one thread compares in full before it takes the next.
const PIECE: usize = 256;
/// Up to so many are compared at once: a thread may be busy with another search for longer than they take.
const FEW: usize = 3 * PIECE;
/// Blocks whose distances are held at a time.
const CHUNK: usize = 256;
/// Distances that are looked at together, since most are too far.
const LOOK: usize = 32;
/// A number of a question that is this many times as large as usual has the largest weight …
const HEAVY: f32 = 2.0;
/// … which is this.
const HEAVIEST: f32 = 3.0;

/// A filter: whether a message may be among the answers.
type Admits<'a> = Option<&'a dyn Fn(u32) -> bool>;

/// The vectors of the active embedder up to the message it had reached when the answer began.
#[derive(Default)]
pub struct VectorIndex {
    pub(super) source: Option<Source>,
    pub(super) segments: Vec<Arc<Segment>>,
    pub(super) tail: Option<Run>,
    /// Every message before this one has its vectors here.
    pub(super) reached: u32,
    /// Whether writing down a tail that had grown too long has failed before.
    pub(super) stays_in_memory: bool,
}

/// Blocks of a run that one thread looks at.
struct Stretch<'a> {
    number: u32,
    run: &'a Run,
    blocks: std::ops::Range<usize>,
}

impl VectorIndex {
    /// How many vectors there are.
    pub fn len(&self) -> usize {
        self.runs().map(|run| run.len()).sum()
    }

    /// Whether there is no vector.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every message before this one has its vectors.
    pub fn reached(&self) -> u32 {
        self.reached
    }

    /// How many numbers a vector has.
    pub fn dimension(&self) -> usize {
        self.source.as_ref().map_or(0, |source| source.dimension)
    }

    /// The name of the embedder that made the vectors.
    pub fn embedder(&self) -> &str {
        self.source.as_ref().map_or("", |source| &source.name)
    }

    /// The messages nearest to `query`, a vector of length 1: up to `n`, best first, with their similarity (the
    /// cosine). A part of a message after the first counts `later_part_penalty` less, so that length alone wins
    /// nothing, and a message counts as its best part. Messages that `admits` turns down cost no place.
    ///
    /// A vector of another dimension is near nothing.
    pub fn nearest(
        &self,
        query: &[f32],
        n: usize,
        later_part_penalty: f32,
        admits: Admits<'_>,
    ) -> Vec<(u32, f32)> {
        self.nearest_of(COMPARED, query, n, later_part_penalty, admits)
    }

    /// The same, with at least so many vectors compared in full.
    pub(super) fn nearest_of(
        &self,
        compared: usize,
        query: &[f32],
        n: usize,
        later_part_penalty: f32,
        admits: Admits<'_>,
    ) -> Vec<(u32, f32)> {
        if n == 0 || query.len() != self.dimension() || query.is_empty() {
            return Vec::new();
        }
        let wanted = compared.max(n.saturating_mul(COMPARED_EACH)).max(self.len() / COMPARED_ONE_IN);
        let search = Search::new(query, wanted.min(self.len()), later_part_penalty);
        let selection = match admits {
            None if self.len() >= WORTH_A_THREAD => search.on_two_threads(&self.halves()),
            _ => search.run(&self.stretches(), admits),
        };
        let runs: Vec<&Run> = self.runs().collect();
        let seq_at = |(run, at): (u32, u32)| runs[run as usize].seqs()[at as usize];
        // In the order of places, which is that of messages.
        let mut seqs: Vec<u32> = selection.into_places().into_iter().map(seq_at).collect();
        seqs.dedup();
        self.best(query, n, later_part_penalty, &seqs)
    }

    /// The same by comparing every vector in full: slow, for measurements and tests.
    pub fn nearest_exact(
        &self,
        query: &[f32],
        n: usize,
        later_part_penalty: f32,
        admits: Admits<'_>,
    ) -> Vec<(u32, f32)> {
        let mut seqs: Vec<u32> = self.runs().flat_map(|run| run.seqs()).copied().collect();
        seqs.dedup();
        seqs.retain(|seq| admits.is_none_or(|admits| admits(*seq)));
        self.best(query, n, later_part_penalty, &seqs)
    }

    /// The similarity of one message, as [`Self::nearest`] counts it; `None` if it has no vector yet.
    pub fn similarity(&self, query: &[f32], seq: u32, later_part_penalty: f32) -> Option<f32> {
        if query.len() != self.dimension() {
            return None;
        }
        self.similarity_at(Level::best(), query, seq, later_part_penalty)
    }

    fn similarity_at(&self, level: Level, query: &[f32], seq: u32, later_part_penalty: f32) -> Option<f32> {
        let after = self.segments.partition_point(|segment| segment.run.seqs()[0] <= seq);
        let in_segment = after.checked_sub(1).map(|at| &self.segments[at].run);
        let runs = in_segment.into_iter().chain(&self.tail);
        let found = runs.map(|run| (run, run.places_of(seq))).find(|(_, places)| !places.is_empty());
        let (run, places) = found?;
        let first = places.start;
        let of_part = |at: usize| {
            let penalty = if at == first { 0.0 } else { later_part_penalty };
            level.dot(query, run.vector(at)) - penalty
        };
        places.map(of_part).reduce(f32::max)
    }

    /// The `n` best of `seqs`; among equals the earlier message.
    fn best(&self, query: &[f32], n: usize, later_part_penalty: f32, seqs: &[u32]) -> Vec<(u32, f32)> {
        let level = Level::best();
        let similarity =
            |seq: &u32| Some((*seq, self.similarity_at(level, query, *seq, later_part_penalty)?));
        // Vectors lie far apart in memory: threads spend most of their time waiting for it.
        let mut scored: Vec<(u32, f32)> = if seqs.len() <= FEW {
            seqs.iter().filter_map(similarity).collect()
        } else {
            seqs.par_chunks(PIECE).flat_map_iter(|piece| piece.iter().filter_map(similarity)).collect()
        };
        let order = |a: &(u32, f32), b: &(u32, f32)| -> Ordering { b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)) };
        if n < scored.len() {
            scored.select_nth_unstable_by(n, order);
            scored.truncate(n);
        }
        scored.sort_unstable_by(order);
        scored
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.segments.iter().map(|segment| &segment.run).chain(&self.tail)
    }

    fn stretches(&self) -> Vec<Stretch<'_>> {
        let stretch = |(number, run): (usize, _)| {
            let run: &Run = run;
            Stretch { number: number as u32, run, blocks: 0..run.len().div_ceil(LANES) }
        };
        self.runs().enumerate().map(stretch).collect()
    }

    /// Everything in two halves of the same length.
    fn halves(&self) -> [Vec<Stretch<'_>>; 2] {
        let all = self.stretches();
        let mut left = all.iter().map(|stretch| stretch.blocks.len()).sum::<usize>() / 2;
        let (mut early, mut late) = (Vec::new(), Vec::new());
        for Stretch { number, run, blocks } in all {
            let cut = left.min(blocks.len());
            left -= cut;
            early.push(Stretch { number, run, blocks: 0..cut });
            late.push(Stretch { number, run, blocks: cut..blocks.end });
        }
        [early, late]
    }
}

/// A question, ready to be compared with codes.
struct Search {
    level: Level,
    question: Vec<Word>,
    dimension: usize,
    wanted: usize,
    /// The largest distance there is, without the handicap.
    farthest: u16,
    /// By how much a later part counts as farther away.
    handicap: u16,
}

impl Search {
    /// The distance of a code is the weight of the numbers in whose sign it differs from the question. Weights grow
    /// with the size of a number: what is near zero may easily have the other sign.
    fn new(query: &[f32], wanted: usize, later_part_penalty: f32) -> Self {
        let dimension = query.len() as f32;
        let usual = (query.iter().map(|number| number * number).sum::<f32>() / dimension).sqrt();
        let step = (HEAVY * usual / HEAVIEST).max(f32::MIN_POSITIVE);
        let weight = |number: f32| (number.abs() / step).round().min(HEAVIEST) as u64;
        let word = |numbers: &[f32]| {
            let bits = |of: &dyn Fn(f32) -> u64| {
                numbers.iter().enumerate().fold(0, |bits, (i, number)| bits | (of(*number) & 1) << i)
            };
            Word {
                positive: bits(&|number| u64::from(number.is_sign_positive())),
                weighs_one: bits(&weight),
                weighs_two: bits(&|number| weight(number) >> 1),
            }
        };
        let farthest = query.iter().map(|number| weight(*number)).sum::<u64>() as u16;
        // Each step of distance takes two steps off the dot product of the question and the signs of a vector, which
        // is the cosine times the sum of the vector's sizes: about the root of 2 / pi for each number.
        let sizes = (FRAC_2_PI * dimension).sqrt();
        let handicap =
            (later_part_penalty.max(0.0) * sizes / (2.0 * step)).round().min(f32::from(farthest)) as u16;
        let question = query.chunks(64).map(word).collect();
        Self { level: Level::best(), question, dimension: query.len(), wanted, farthest, handicap }
    }

    /// The nearest of some stretches by their codes.
    fn run(&self, stretches: &[Stretch<'_>], admits: Admits<'_>) -> Selection {
        let mut selection = Selection::new(self.wanted, self.farthest + self.handicap);
        let mut distances = [0; CHUNK * LANES];
        let block = block_bytes(self.dimension);
        for Stretch { number, run, blocks } in stretches {
            let mut begin = blocks.start;
            while begin < blocks.end {
                let end = blocks.end.min(begin + CHUNK);
                let distances = &mut distances[..(end - begin) * LANES];
                self.level.distances(&self.question, &run.codes()[begin * block..end * block], distances);
                let count = distances.len().min(run.len() - begin * LANES);
                self.select(&mut selection, &distances[..count], (*number, run, begin * LANES), admits);
                begin = end;
            }
        }
        selection
    }

    /// Each half on a thread of its own.
    fn on_two_threads(&self, [early, late]: &[Vec<Stretch<'_>>; 2]) -> Selection {
        let (mut selection, later) = rayon::join(|| self.run(early, None), || self.run(late, None));
        selection.append(&later);
        selection
    }

    /// Adds what is near enough of the distances of a run's vectors from `first` on.
    fn select(
        &self,
        selection: &mut Selection,
        distances: &[u16],
        (number, run, first): (u32, &Run, usize),
        admits: Admits<'_>,
    ) {
        let (chunks, rest) = distances.as_chunks::<LOOK>();
        let least = |chunk: &[u16; LOOK]| chunk.iter().fold(u16::MAX, |least, distance| least.min(*distance));
        let chunks = chunks.iter().map(|chunk| (least(chunk), chunk.as_slice())).chain([(0, rest)]);
        for (i, (least, distances)) in chunks.enumerate() {
            if least > selection.limit() {
                continue;
            }
            let begin = first + i * LOOK;
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
    use super::{super::half::encode, Run, Search, Source, VectorIndex};

    /// covers: W-16
    #[test]
    fn two_threads_find_what_one_finds() {
        let mut random = fastrand::Rng::with_seed(2);
        let mut vector = || -> Vec<f32> { (0..64).map(|_| random.f32() - 0.5).collect() };
        let mut run = Run::new(64);
        for seq in 0..5_001 {
            run.push(seq, 0, &encode(&vector()).expect("finite"));
        }
        let source = Source { epoch: 0, embedder: 1, name: "a".into(), since: 0, dimension: 64 };
        let index = VectorIndex { source: Some(source), tail: Some(run), ..VectorIndex::default() };
        for _ in 0..5 {
            let search = Search::new(&vector(), 50, 0.0);
            let one = search.run(&index.stretches(), None).into_places();
            assert_eq!(search.on_two_threads(&index.halves()).into_places(), one);
            assert!((50..=100).contains(&one.len()));
        }
    }
}
