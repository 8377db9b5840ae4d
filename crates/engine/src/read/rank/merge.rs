//! One answer out of several: of a whole question and of its parts.

use super::confidence::set_confidence;
use crate::read::{
    lane::max_digest_hits,
    question::{Explanation, Found, Hit, Question},
};
use cairn_cognition::{
    fusion::{RRF_K, reciprocal_rank},
    score::{Part, Score},
};

/// One answer out of that to a whole question and those to its parts: each hit once, by its ranks in all of them. The best
/// scores what it scored at best.
pub(crate) fn merge_answers(whole: Vec<Hit>, parts: Vec<Vec<Hit>>, question: &Question) -> Vec<Hit> {
    let best = whole.iter().chain(parts.iter().flatten()).map(|hit| hit.score).fold(0.0, f64::max);
    let mut merged: Vec<(f64, Hit)> = Vec::new();
    for hits in std::iter::once(whole).chain(parts) {
        for (i, hit) in hits.into_iter().enumerate() {
            let worth = reciprocal_rank(RRF_K, i + 1);
            let is_same = |known: &Hit| {
                known.found.reference() == hit.found.reference() && known.found.owner() == hit.found.owner()
            };
            match merged.iter_mut().find(|(_, known)| is_same(known)) {
                Some((sum, _)) => *sum += worth,
                None => merged.push((worth, hit)),
            }
        }
    }
    // Stable: of equals the one that the whole question found first.
    merged.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut digests = 0;
    merged.retain(|(_, hit)| {
        digests += usize::from(matches!(hit.found, Found::Digest(..)));
        !matches!(hit.found, Found::Digest(..)) || digests <= max_digest_hits(question)
    });
    let most = merged.first().map_or(1.0, |(sum, _)| *sum);
    let scored = |(sum, mut hit): (f64, Hit)| {
        let mut score = Score::default();
        score.add(Part::Parts, best * sum / most);
        hit.explanation = Explanation { score, terms: Vec::new(), ..hit.explanation };
        Hit { score: best * sum / most, ..hit }
    };
    let mut hits: Vec<Hit> = merged.into_iter().take(question.k).map(scored).collect();
    set_confidence(&mut hits);
    hits
}
