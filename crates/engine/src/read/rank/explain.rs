//! Where each lane had a hit, and what each word of the question brought to it.

use super::messages::RankedMessage;
use crate::read::{
    lane::{DenseFindings, KeywordFindings, QueryWord},
    question::{Question, TermShare},
};
use cairn_cognition::score::Part;
use cairn_store::KeywordIndex;
use std::collections::HashMap;

/// Says where each lane had a hit, among all hits of the answer or of the lane.
pub(crate) fn assign_lane_ranks(found: &mut [RankedMessage], dense: Option<&DenseFindings<'_>>) {
    let rank = |place: u32| dense?.nearest.iter().position(|(near, _)| *near == place);
    let scores: Vec<f64> = found.iter().filter_map(|hit| Some(hit.explanation.lexical_lane?.score)).collect();
    for hit in found {
        if let Some(lane) = hit.explanation.lexical_lane.as_mut().filter(|lane| lane.rank == 0) {
            lane.rank = 1 + scores.iter().filter(|score| **score > lane.score).count();
        }
        if let Some(lane) = hit.explanation.dense_lane.as_mut().filter(|lane| lane.rank == 0) {
            lane.rank = 1 + rank(hit.place).unwrap_or_else(|| dense.map_or(0, |dense| dense.nearest.len()));
        }
    }
}

/// Adds to each hit what each word brought: one more walk through the postings for all of them.
pub(crate) fn add_term_shares(
    index: &KeywordIndex,
    lexical: &KeywordFindings,
    question: &Question,
    found: &mut [RankedMessage],
) {
    let mut places: Vec<u32> = found.iter().map(|hit| hit.place).collect();
    places.sort_unstable();
    for word in &lexical.words {
        let (mut worth, mut wanted) = (HashMap::new(), &places[..]);
        // Both ascend.
        word.for_each(index, &question.profile, |place, brings| {
            while let [before, rest @ ..] = wanted
                && *before < place
            {
                wanted = rest;
            }
            if wanted.first() == Some(&place) {
                worth.insert(place, f64::from(brings));
            }
        });
        let QueryWord { terms, holding, idf } = word;
        for RankedMessage { place, explanation, .. } in found.iter_mut() {
            let own = f64::from(lexical.own[*place as usize]).max(f64::MIN_POSITIVE);
            let words = explanation.score.part(Part::Words);
            let share = worth.get(place).map_or(0.0, |worth| words * worth / own);
            explanation.terms.push(TermShare { term: terms[0].clone(), holding: *holding, idf: *idf, share });
        }
    }
}
