//! The session lane: which conversations are about the question. A session that holds the question's words, at whichever
//! of its turns, lends to all of them: what was asked for is seldom far from where it was spoken of.

use super::lexical::QueryWord;
use cairn_cognition::bm25::{Bm25, idf};
use cairn_store::{Filter, KeywordIndex};
use std::collections::HashMap;

/// A word that more than this share of all messages hold tells no session from another.
const COMMON_SHARE: f64 = 0.05;
/// Below so many messages no word is too common.
const FEW_MESSAGES: u64 = 1_000;

/// The lane's findings.
#[derive(Default)]
pub(super) struct Sessions {
    scores: HashMap<u32, f32>,
    best: f32,
}

impl Sessions {
    /// Scores every session for the words of a question: BM25 over sessions, whose lengths are not held against them.
    pub(super) fn score(index: &KeywordIndex, words: &[QueryWord], filter: &Filter) -> Self {
        let (documents, hides) = (index.documents(), filter.hides());
        let scale = Bm25 { b: 0.0, ..Bm25::USUAL }.scale(1.0);
        let common = COMMON_SHARE * index.messages().max(FEW_MESSAGES) as f64;
        let mut scores: HashMap<u32, f32> = HashMap::new();
        let mut times: HashMap<u32, u32> = HashMap::new();
        for word in words.iter().filter(|word| word.holding as f64 <= common) {
            times.clear();
            for term in &word.terms {
                index.for_each(term, |place, frequency| {
                    let document = &documents[place as usize];
                    if !hides || filter.sees(document) {
                        *times.entry(document.session).or_default() += frequency;
                    }
                });
            }
            let rarity = idf(u64::from(index.sessions()), times.len() as u64) as f32;
            for (session, times) in &times {
                *scores.entry(*session).or_default() += rarity * scale.weight(*times, 1);
            }
        }
        let best = scores.values().copied().fold(0.0, f32::max);
        Self { scores, best }
    }

    /// What a session scores beside the best, 0 to 1.
    pub(super) fn share(&self, session: u32) -> f64 {
        let score = self.scores.get(&session).copied().unwrap_or_default();
        if score > 0.0 { f64::from(score / self.best) } else { 0.0 }
    }
}
