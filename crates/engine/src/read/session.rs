//! The session lane: which conversations are about the question. A session that holds the question's words, at whichever
//! of its turns, lends to all of them: what was asked for is seldom far from where it was spoken of.

use super::lexical::QueryWord;
use cairn_cognition::bm25::{Bm25, idf};
use cairn_store::{Filter, KeywordIndex};

/// A word that more than this share of all messages hold tells no session from another.
const COMMON_SHARE: f64 = 0.05;
/// Below so many messages no word is too common.
const FEW_MESSAGES: u64 = 1_000;

/// The lane's findings.
#[derive(Default)]
pub(super) struct Sessions {
    /// By the number of the session.
    scores: Vec<f32>,
    best: f32,
}

impl Sessions {
    /// Scores every session for the words of a question: BM25 over sessions, whose lengths are not held against them.
    pub(super) fn score(index: &KeywordIndex, words: &[QueryWord], filter: &Filter) -> Self {
        let (documents, session_of, hides) = (index.documents(), index.session_of(), filter.hides());
        let scale = Bm25 { b: 0.0, ..Bm25::USUAL }.scale(1.0);
        let common = COMMON_SHARE * index.messages().max(FEW_MESSAGES) as f64;
        let sessions = index.sessions() as usize;
        let (mut scores, mut times, mut touched) = (vec![0.0; sessions], vec![0; sessions], Vec::new());
        for word in words.iter().filter(|word| word.holding as f64 <= common) {
            for term in &word.terms {
                index.for_each(term, |place, frequency| {
                    if hides && !filter.sees(&documents[place as usize]) {
                        return;
                    }
                    let session = session_of[place as usize] as usize;
                    if times[session] == 0 {
                        touched.push(session);
                    }
                    times[session] += frequency;
                });
            }
            let rarity = idf(u64::from(index.sessions()), touched.len() as u64) as f32;
            for session in touched.drain(..) {
                scores[session] += rarity * scale.weight(std::mem::take(&mut times[session]), 1);
            }
        }
        let best = scores.iter().copied().fold(0.0, f32::max);
        Self { scores, best }
    }

    /// What a session scores beside the best, 0 to 1.
    pub(super) fn share(&self, session: u32) -> f64 {
        let score = self.scores.get(session as usize).copied().unwrap_or_default();
        if score > 0.0 { f64::from(score / self.best) } else { 0.0 }
    }
}
