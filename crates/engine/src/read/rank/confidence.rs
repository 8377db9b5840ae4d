//! How sure a hit is: by how it stands beside the best hit, how well the best is known at all, and the words it shares.

use crate::read::{
    lane::RecordScorer,
    question::{Explanation, Hit},
};
use cairn_cognition::confidence::{ConfidenceSigns, answer_chance, confidence, question_familiarity};

/// Whether a hit says by itself what the question asks for, such as a place or a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedSlot {
    Filled,
    Open,
}

/// Measures that all hits of one question share.
pub(crate) struct ConfidenceBaseline<'a> {
    measure: &'a RecordScorer,
    /// The best score.
    best: f64,
    /// How well the question is known, 0 to 1.
    known: f64,
}

impl<'a> ConfidenceBaseline<'a> {
    /// With the texts of the best hits: the words in them say how well the question is known.
    pub(crate) fn new<'e>(
        measure: &'a RecordScorer,
        hits: impl Iterator<Item = &'e Explanation>,
        best_texts: impl Iterator<Item = &'e str>,
    ) -> Self {
        let (mut best, mut alike) = (0.0_f64, None::<f64>);
        let words = best_texts.map(|text| measure.held_word_share(text)).fold(0.0, f64::max);
        for explanation in hits {
            best = best.max(explanation.score.total());
            let lanes = [explanation.dense_lane, explanation.memory_lane];
            for lane in lanes.into_iter().flatten() {
                let one = measure.likeness(lane.score as f32);
                alike = Some(alike.map_or(one, |most| most.max(one)));
            }
        }
        Self { measure, best, known: question_familiarity(alike, words) }
    }

    /// How well a hit fits. One that fills the slot asked for stands as if it were the best, and well known.
    pub(crate) fn fit_of(&self, explanation: &Explanation, slot: AskedSlot, source_confidence: f64) -> f64 {
        let beside = explanation.score.total() / self.best.max(f64::MIN_POSITIVE);
        let words = self.measure.shared_word_share(explanation);
        let (beside, known) = match slot {
            AskedSlot::Filled => (1.0, 1.0),
            AskedSlot::Open => (beside, self.known),
        };
        confidence(&ConfidenceSigns { beside, known, words, source_confidence })
    }
}

/// Gives each hit its confidence: by how well it fits and by its rank, and never more than the hit before it has.
pub(crate) fn set_confidence(hits: &mut [Hit]) {
    let mut least_fit = 1.0_f64;
    for (i, hit) in hits.iter_mut().enumerate() {
        least_fit = least_fit.min(hit.fit);
        hit.confidence = answer_chance(least_fit, i + 1);
    }
}
