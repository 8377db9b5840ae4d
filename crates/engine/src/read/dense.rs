//! The dense lane: messages that mean what the question means, whatever their words.

use super::{Profile, Question, question::Filter};
use crate::{Agent, Result};
use cairn_models::Calibration;
use cairn_store::{KeywordIndex, VectorIndex};
use std::sync::Arc;

/// What a question means.
pub(super) struct Meaning {
    pub(super) vector: Arc<[f32]>,
    /// What distances from it mean.
    pub(super) calibration: Calibration,
}

impl Agent {
    /// The `n` messages nearest to a text, by number: as recall finds them, and by comparing every vector exactly.
    pub async fn compare_scans(&self, text: &str, n: usize) -> Result<(Vec<u32>, Vec<u32>)> {
        let Ok(meaning) = self.meaning_of(&Question::new(text)).await? else { return Ok(Default::default()) };
        let seqs = |nearest: Vec<(u32, f32)>| nearest.into_iter().map(|(seq, _)| seq).collect();
        let later_part = self.config.recall.later_part as f32;
        let scans = self.store.read(|view| {
            let (_keywords, vectors) = view.search_indexes()?;
            Ok(vectors.map(|vectors| {
                let quick = vectors.nearest(&meaning.vector, n, later_part, None);
                (seqs(quick), seqs(vectors.nearest_exact(&meaning.vector, n, later_part, None)))
            }))
        });
        Ok(scans.await?.unwrap_or_default())
    }
}

/// Messages looked at for each hit asked for, and at least. Three times as many would be enough to fuse ranks; sums
/// profit from more.
const NEAREST_PER_HIT: usize = 8;
const NEAREST_AT_LEAST: usize = 200;

/// The lane's findings.
pub(super) struct Dense<'a> {
    vectors: &'a VectorIndex,
    meaning: &'a Meaning,
    later_part: f32,
    /// The messages nearest to the question, best first, with their cosine.
    pub(super) nearest: Vec<(u32, f32)>,
}

impl<'a> Dense<'a> {
    pub(super) fn search(
        vectors: &'a VectorIndex,
        meaning: &'a Meaning,
        index: &KeywordIndex,
        k: usize,
        profile: &Profile,
        filter: &Filter,
    ) -> Self {
        let later_part = profile.later_part as f32;
        let n = NEAREST_AT_LEAST.max(k * NEAREST_PER_HIT);
        let admits = |seq: u32| index.documents().get(seq as usize).is_some_and(|it| filter.admits(it));
        let filtered: Option<&dyn Fn(u32) -> bool> = if filter.filters() { Some(&admits) } else { None };
        let mut nearest = vectors.nearest(&meaning.vector, n, later_part, filtered);
        // A newer view of another thread may have brought the vectors further than the keywords.
        nearest.retain(|(seq, _)| (*seq as usize) < index.documents().len());
        Self { vectors, meaning, later_part, nearest }
    }

    /// How alike the question and a message are, if it has a vector.
    pub(super) fn cosine(&self, seq: u32) -> Option<f32> {
        self.vectors.similarity(&self.meaning.vector, seq, self.later_part)
    }

    /// The cosine of the nearest message.
    pub(super) fn best(&self) -> f32 {
        self.nearest.first().map_or(0.0, |(_, cosine)| *cosine)
    }

    /// More alike than this a message outside of `nearest` is not.
    pub(super) fn least(&self) -> f32 {
        self.nearest.last().map_or(0.0, |(_, cosine)| *cosine)
    }

    pub(super) fn calibration(&self) -> &Calibration {
        &self.meaning.calibration
    }
}
