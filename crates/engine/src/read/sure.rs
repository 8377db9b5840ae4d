//! How sure a hit is: by how it stands beside the best hit, how well the best is known at all, and the words it shares.

use super::{Explanation, rank::Measure};
use cairn_cognition::confidence::{Signs, confidence, known};

/// What the hits of one question have in common.
pub(super) struct Sureness<'a> {
    measure: &'a Measure,
    /// The best score.
    best: f64,
    /// How well the question is known, 0 to 1.
    known: f64,
}

impl<'a> Sureness<'a> {
    /// With the texts of the best hits: the words in them say how well the question is known.
    pub(super) fn new<'e>(
        measure: &'a Measure,
        hits: impl Iterator<Item = &'e Explanation>,
        best_texts: impl Iterator<Item = &'e str>,
    ) -> Self {
        let (mut best, mut alike) = (0.0_f64, None::<f64>);
        let words = best_texts.map(|text| measure.held(text)).fold(0.0, f64::max);
        for explanation in hits {
            best = best.max(explanation.score.total());
            let lanes = [explanation.dense_lane, explanation.memory_lane];
            for lane in lanes.into_iter().flatten() {
                let one = measure.alike(lane.score as f32);
                alike = Some(alike.map_or(one, |most| most.max(one)));
            }
        }
        Self { measure, best, known: known(alike, words) }
    }

    /// How sure it is that a hit answers, whose source can be trusted so far. One that `answers` by what it says stands as if
    /// it were the best, and well known.
    pub(super) fn of(&self, explanation: &Explanation, answers: bool, source_confidence: f64) -> f64 {
        let beside = explanation.score.total() / self.best.max(f64::MIN_POSITIVE);
        let words = self.measure.words_shared(explanation);
        let (beside, known) = if answers { (1.0, 1.0) } else { (beside, self.known) };
        confidence(&Signs { beside, known, words, source_confidence })
    }
}
