//! The session lane: which conversations are about the question. A session that holds the question's words, at whichever
//! of its turns, lends to all of them: what was asked for is seldom far from where it was spoken of.

use super::keyword::QueryWord;
use cairn_cognition::bm25::{Bm25, inverse_document_frequency};
use cairn_store::{KeywordIndex, MessageFilter};

/// A word that more than this share of all messages hold tells no session from another.
const COMMON_WORD_SHARE: f64 = 0.05;
/// Below this many messages no word is too common.
const MIN_MESSAGES_FOR_COMMON_WORDS: u64 = 1_000;

/// The lane's findings.
#[derive(Default)]
pub(crate) struct SessionFindings {
    /// By the number of the session.
    scores: Vec<f32>,
    best: f32,
}

impl SessionFindings {
    /// Scores every session for the words of a question: BM25 over sessions, whose lengths are not held against them.
    pub(crate) fn score_sessions(index: &KeywordIndex, words: &[QueryWord], filter: &MessageFilter) -> Self {
        let (documents, session_of, hides) = (index.documents(), index.session_of(), filter.hides());
        let scale = Bm25 { b: 0.0, ..Bm25::USUAL }.scale(1.0);
        let common = COMMON_WORD_SHARE * index.messages().max(MIN_MESSAGES_FOR_COMMON_WORDS) as f64;
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
            let rarity = inverse_document_frequency(u64::from(index.sessions()), touched.len() as u64) as f32;
            for session in touched.drain(..) {
                scores[session] += rarity * scale.weight(std::mem::take(&mut times[session]), 1);
            }
        }
        let best = scores.iter().copied().fold(0.0, f32::max);
        Self { scores, best }
    }

    /// A session's share of the best session's score, 0 to 1.
    pub(crate) fn session_share(&self, session: u32) -> f64 {
        let score = self.scores.get(session as usize).copied().unwrap_or_default();
        if score > 0.0 { f64::from(score / self.best) } else { 0.0 }
    }
}
