//! How what is no message is scored beside messages: memories, beliefs and digests share the units of the messages' ranking.

use super::keyword::QueryWord;
use crate::read::question::Explanation;
use cairn_cognition::{
    bm25::{LengthScale, inverse_document_frequency},
    fusion::similarity_above_unrelated,
    keywords::terms,
    score::Part,
};

/// A best likeness below this is a poor best: its lane counts less.
pub(crate) const GOOD_BEST_LIKENESS: f64 = 0.5;
/// Fewer messages than this say little about how rare a word is.
const MIN_MESSAGES_FOR_RARITY: u64 = 1_000;

/// How a text that is no message is scored beside messages.
pub(crate) struct RecordScorer {
    pub(crate) words: Vec<QueryWord>,
    pub(crate) scale: LengthScale,
    pub(crate) per_word_score: f64,
    pub(crate) per_likeness: f64,
    pub(crate) unrelated: f64,
    /// Score of a weight of 1.
    pub(crate) unit: f64,
    pub(crate) messages: u64,
}

impl RecordScorer {
    /// Score of a cosine.
    pub(crate) fn meaning_score(&self, cosine: f32) -> f64 {
        self.likeness(cosine) * self.per_likeness
    }

    /// How alike a cosine says two texts are, 0 to 1.
    pub(crate) fn likeness(&self, cosine: f32) -> f64 {
        similarity_above_unrelated(f64::from(cosine), self.unrelated)
    }

    /// The share of the question's words that a hit and what was said around it hold, the rare counting more; about, because
    /// a word that is said again counts again.
    pub(crate) fn shared_word_share(&self, explanation: &Explanation) -> f64 {
        let own = explanation.score.part(Part::Words) / self.per_word_score.max(f64::MIN_POSITIVE);
        let score = explanation.lexical_lane.map_or(own, |lane| lane.score);
        let all: f64 = self.words.iter().map(|word| word.idf).sum();
        (score / all.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
    }

    /// The share of the question's words that a text holds, the rare counting more: a word that nobody has said as much as
    /// one that was said once. Among few messages a word that was said is not frequent for that.
    pub(crate) fn held_word_share(&self, text: &str) -> f64 {
        let found = terms(text);
        let holds = |term: &String| found.counts.binary_search_by(|(known, _)| known.cmp(term)).is_ok();
        let rarity = |word: &QueryWord| {
            inverse_document_frequency(self.messages.max(MIN_MESSAGES_FOR_RARITY), word.holding.max(1))
        };
        let held = self.words.iter().filter(|word| word.terms.iter().any(holds));
        let all: f64 = self.words.iter().map(rarity).sum();
        held.map(rarity).sum::<f64>() / all.max(f64::MIN_POSITIVE)
    }

    /// The terms that the words of the question may stand as.
    pub(crate) fn query_terms(&self) -> Vec<&str> {
        self.words.iter().flat_map(|word| word.terms.iter().map(String::as_str)).collect()
    }

    /// Score of the words of a text.
    pub(crate) fn word_score(&self, text: &str) -> f64 {
        self.scaled_word_score(text, &self.scale)
    }

    /// The same of a text that is long or short beside others than messages.
    pub(crate) fn scaled_word_score(&self, text: &str, scale: &LengthScale) -> f64 {
        let found = terms(text);
        let times = |term: &String| {
            let at = found.counts.binary_search_by(|(known, _)| known.cmp(term)).ok()?;
            Some(found.counts[at].1)
        };
        let worth = |word: &QueryWord| {
            let times = word.terms.iter().filter_map(times).max()?;
            Some(word.idf * f64::from(scale.weight(times, found.length)))
        };
        self.words.iter().filter_map(worth).sum::<f64>() * self.per_word_score
    }
}
