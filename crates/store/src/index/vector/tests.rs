//! The index on its own: vectors in, neighbors out, compared with looking at every vector in full.

use super::{
    half, index::VectorIndex, run::VectorRun, segment::VectorSegment, selection::NearestSelection,
    source::IndexSource,
};
use proptest::prelude::*;
use std::{path::Path, sync::Arc, time::Instant};

/// Vectors as texts have them: all lean the same way a little, topics lie together, and so do texts on one matter.
struct Texts {
    random: fastrand::Rng,
    lean: Vec<f32>,
    leaning: f32,
    topics: Vec<Vec<f32>>,
}

impl Texts {
    fn new(dimension: usize, topics: usize, leaning: f32, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let lean = bell(&mut random, dimension);
        let topics = (0..topics).map(|_| bell(&mut random, dimension)).collect();
        Self { random, lean, leaning, topics }
    }

    fn next(&mut self) -> Vec<f32> {
        let topic = self.random.usize(..self.topics.len());
        let own = bell(&mut self.random, self.lean.len());
        let other = self.random.usize(..self.topics.len());
        let (near, aside) = (self.random.f32() * 0.8 + 0.4, self.random.f32() * 0.6);
        let number = |i: usize| {
            let topics = near * self.topics[topic][i] + aside * self.topics[other][i];
            self.leaning * self.lean[i] + topics + 0.8 * own[i]
        };
        let numbers = (0..own.len()).map(number);
        unit(numbers.collect())
    }
}

/// Numbers that are about normally distributed.
fn bell(random: &mut fastrand::Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| (0..6).map(|_| random.f32() - 0.5).sum()).collect()
}

fn unit(numbers: Vec<f32>) -> Vec<f32> {
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.into_iter().map(|number| number / length).collect()
}

fn source(dimension: usize) -> IndexSource {
    IndexSource { epoch: 7, embedder: 1, name: "test".into(), since: 3, dimension }
}

/// An index of files in `folder` with `count` vectors each, one a message.
fn files_of(folder: &Path, texts: &mut Texts, files: usize, count: usize) -> VectorIndex {
    let source = source(texts.lean.len());
    let mut segments = Vec::new();
    for file in 0..files {
        let mut run = VectorRun::new(source.dimension);
        let first = (file * count) as u32;
        for seq in first..first + count as u32 {
            run.push(seq, 0, &half::encode_halves(&texts.next()).expect("finite"));
        }
        let path = folder.join(format!("{file}"));
        VectorSegment::write(&path, &source, first, &[&run]).expect("written");
        let segment = VectorSegment::open(&path, &source, first, first + count as u32).expect("read");
        segments.push(Arc::new(segment.expect("believed")));
    }
    let reached = (files * count) as u32;
    VectorIndex { source: Some(source), segments, reached, ..VectorIndex::default() }
}

/// How many of the `k` truly nearest are among the `k` found, on average.
fn recall(index: &VectorIndex, queries: &[Vec<f32>], n: usize, k: usize) -> f64 {
    let mut found = 0;
    for query in queries {
        let nearest = index.nearest(query, n, 0.02, None);
        let exact = index.nearest_exact(query, k, 0.02, None);
        found += exact.iter().filter(|hit| nearest[..k].contains(hit)).count();
    }
    found as f64 / (queries.len() * k) as f64
}

/// covers: W-03, W-16
#[test]
fn one_bit_a_number_loses_almost_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut texts = Texts::new(384, 200, 0.7, 5);
    let index = files_of(folder.path(), &mut texts, 1, 15_000);
    let queries: Vec<Vec<f32>> = (0..12).map(|_| texts.next()).collect();
    assert!(recall(&index, &queries, 10, 10) >= 0.99);
    let admits = |seq: u32| seq.is_multiple_of(20);
    for query in &queries {
        let filtered = index.nearest(query, 10, 0.02, Some(&admits));
        assert_eq!(filtered, index.nearest_exact(query, 10, 0.02, Some(&admits)), "few are compared in full");
    }
}

/// An index in memory: the parts of each message, whose number is their place in the list.
fn in_memory(dimension: usize, messages: &[Vec<Vec<f32>>]) -> VectorIndex {
    let mut run = VectorRun::new(dimension);
    for (seq, parts) in messages.iter().enumerate() {
        for (part, vector) in parts.iter().enumerate() {
            run.push(seq as u32, part as u16, &half::encode_halves(vector).expect("finite"));
        }
    }
    let (source, reached) = (Some(source(dimension)), messages.len() as u32);
    VectorIndex { source, tail: Some(run), reached, ..VectorIndex::default() }
}

/// The same index with everything before message `cut` in a file, or in two.
fn in_files(folder: &Path, whole: &VectorIndex, cuts: &[u32]) -> VectorIndex {
    let source = whole.source.clone().expect("a source");
    let all = whole.tail.as_ref().expect("all in memory");
    let (mut segments, mut from) = (Vec::new(), 0);
    let run_of = |from: usize, end: usize| {
        let mut run = VectorRun::new(source.dimension);
        (from..end).for_each(|at| run.push(all.seqs()[at], all.parts()[at], all.vector(at)));
        run
    };
    for cut in cuts {
        let end = all.seqs().partition_point(|seq| seq < cut);
        if end > from {
            let (path, run) = (folder.join(format!("{from}")), run_of(from, end));
            VectorSegment::write(&path, &source, from as u32, &[&run]).expect("written");
            let segment = VectorSegment::open(&path, &source, from as u32, end as u32).expect("read");
            segments.push(Arc::new(segment.expect("believed")));
            from = end;
        }
    }
    let tail = Some(run_of(from, all.len()));
    VectorIndex { source: Some(source), segments, tail, reached: whole.reached, ..VectorIndex::default() }
}

/// A penalty makes up for the many chances that a long message has, and no more.
///
/// covers: W-16
#[test]
fn a_later_part_counts_a_little_less_and_a_message_as_its_best_part() {
    let east = vec![1.0, 0.0];
    let at = |degrees: f32| vec![degrees.to_radians().cos(), degrees.to_radians().sin()];
    let index =
        in_memory(2, &[vec![at(20.0)], vec![at(80.0), at(10.0)], vec![at(19.0), at(60.0)], vec![at(0.0)]]);
    let order = |penalty: f32| {
        let found = index.nearest(&east, 10, penalty, None);
        assert_eq!(found, index.nearest_exact(&east, 10, penalty, None));
        for (seq, similarity) in &found {
            assert_eq!(index.similarity(&east, *seq, penalty), Some(*similarity));
        }
        found.into_iter().map(|(seq, _)| seq).collect::<Vec<_>>()
    };
    assert_eq!(order(0.0), [3, 1, 2, 0]);
    assert_eq!(order(0.1), [3, 2, 0, 1]);
    let near = |seq: u32, penalty: f32, wanted: f32| {
        assert!((index.similarity(&east, seq, penalty).expect("a vector") - wanted).abs() < 1e-3, "{seq}");
    };
    near(1, 0.1, 10_f32.to_radians().cos() - 0.1);
    near(1, 0.9, 80_f32.to_radians().cos());
    assert_eq!(index.similarity(&east, 4, 0.0), None, "no such message");
    assert_eq!(index.nearest(&[1.0, 0.0, 0.0], 10, 0.0, None), [], "another dimension is near nothing");
}

fn messages(dimension: usize, most: usize) -> impl Strategy<Value = Vec<Vec<Vec<f32>>>> {
    let vector = prop::collection::vec(-1.0_f32..1.0, dimension).prop_map(unit);
    prop::collection::vec(prop::collection::vec(vector, 1..4), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// covers: W-03, W-16
    #[test]
    fn filters_cost_no_hits_and_files_change_no_answer(
        messages in messages(100, 60),
        query in prop::collection::vec(-1.0_f32..1.0, 100).prop_map(unit),
        n in 1_usize..20,
        modulus in 1_u32..5,
        cuts in (0_u32..60, 0_u32..60),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let memory = in_memory(100, &messages);
        let files = in_files(folder.path(), &memory, &[cuts.0.min(cuts.1), cuts.0.max(cuts.1)]);
        let admits = |seq: u32| seq.is_multiple_of(modulus);
        let similarity = |parts: &[Vec<f32>]| {
            let dot = |part: &[f32]| -> f32 { part.iter().zip(&query).map(|(a, b)| a * b).sum() };
            let penalty = |part: usize| if part == 0 { 0.0 } else { 0.05 };
            let scores = parts.iter().enumerate().map(|(i, part)| dot(part) - penalty(i));
            scores.reduce(f32::max).expect("a part")
        };
        let mut wanted: Vec<(u32, f32)> = messages
            .iter()
            .enumerate()
            .map(|(seq, parts)| (seq as u32, similarity(parts)))
            .filter(|(seq, _)| admits(*seq))
            .collect();
        wanted.sort_by(|a, b| b.1.total_cmp(&a.1));
        wanted.truncate(n);
        let found = memory.nearest(&query, n, 0.05, Some(&admits));
        prop_assert_eq!(found.len(), wanted.len());
        for ((seq, score), (_, wanted)) in found.iter().zip(&wanted) {
            prop_assert!(admits(*seq) && (score - wanted).abs() < 2e-3);
        }
        prop_assert_eq!(&files.nearest(&query, n, 0.05, Some(&admits)), &found);
        prop_assert_eq!(files.len(), memory.len());
        for seq in 0..=messages.len() as u32 {
            prop_assert_eq!(files.similarity(&query, seq, 0.05), memory.similarity(&query, seq, 0.05));
        }
    }

    /// covers: W-16
    #[test]
    fn a_selection_keeps_the_nearest_however_it_is_split(
        distances in prop::collection::vec(0_u16..40, 0..400),
        wanted in 1_usize..50,
        cut in 0_usize..400,
    ) {
        let select = |places: std::ops::Range<usize>| {
            let mut selection = NearestSelection::new(wanted, 40);
            for at in places {
                if distances[at] <= selection.limit() {
                    selection.add(distances[at], (0, at as u32));
                }
            }
            selection
        };
        let cut = cut.min(distances.len());
        let mut split = select(0..cut);
        split.append(&select(cut..distances.len()));
        let (whole, split) = (select(0..distances.len()).into_positions(), split.into_positions());
        prop_assert_eq!(&whole, &split);
        let mut sorted: Vec<(u16, u32)> = distances.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let limit = sorted.get(wanted - 1).map_or(u16::MAX, |(distance, _)| *distance);
        let near = sorted.into_iter().take_while(|(distance, _)| *distance <= limit).take(2 * wanted);
        let mut near: Vec<(u32, u32)> = near.map(|(_, at)| (0, at)).collect();
        near.sort_unstable();
        prop_assert_eq!(whole, near);
    }
}

/// Prints how long a search takes and how much one bit a number misses:
/// `cargo test --release -p cairn-store --lib -- --ignored --nocapture figures`
#[test]
#[ignore = "measures; run it in release"]
fn figures_of_search() {
    for (files, leaning) in [(4, 0.0), (4, 0.7), (4, 2.0), (16, 0.7)] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut texts = Texts::new(384, 1_000, leaning, 1);
        let index = files_of(folder.path(), &mut texts, files, 62_500);
        let queries: Vec<Vec<f32>> = (0..200).map(|_| texts.next()).collect();
        println!("{} vectors, leaning {leaning}", index.len());
        let time = |name: &str, search: &dyn Fn(&[f32])| {
            let one = |query: &Vec<f32>| {
                let begun = Instant::now();
                search(query);
                begun.elapsed().as_secs_f64() * 1e3
            };
            queries.iter().map(one).for_each(drop);
            let mut times: Vec<f64> = queries.iter().map(one).collect();
            times.sort_by(f64::total_cmp);
            let at = |percent: usize| times[times.len() * percent / 100];
            println!("  {name:24} least {:.2} ms, p50 {:.2} ms, p95 {:.2} ms", at(0), at(50), at(95));
        };
        for n in [200, 400] {
            time(&format!("nearest {n}"), &|query| drop(index.nearest(query, n, 0.02, None)));
        }
        for one_in in [2, 100, 10_000] {
            let admits = |seq: u32| seq.is_multiple_of(one_in);
            let search = |query: &[f32]| drop(index.nearest(query, 200, 0.02, Some(&admits)));
            time(&format!("nearest 200, one in {one_in}"), &search);
        }
        time("3000 similarities", &|query| {
            let mut random = fastrand::Rng::with_seed(3);
            let seqs = (0..3_000).map(|_| random.u32(..index.len() as u32));
            assert!(seqs.filter_map(|seq| index.similarity(query, seq, 0.02)).sum::<f32>().is_finite());
        });
        for (n, k) in [(10, 10), (200, 10), (200, 200), (400, 400)] {
            println!("  recall of {k:3} with n = {n:3}:  {:.4}", recall(&index, &queries[..50], n, k));
        }
        let begun = Instant::now();
        for (file, segment) in index.segments.iter().enumerate() {
            let path = folder.path().join(format!("{file}"));
            VectorSegment::open(&path, &source(384), segment.first, segment.end)
                .expect("read")
                .expect("believed");
        }
        println!("  opening the files:       {:.2} ms", begun.elapsed().as_secs_f64() * 1e3);
    }
}
