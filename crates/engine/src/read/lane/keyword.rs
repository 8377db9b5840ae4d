//! The keyword lane: BM25 over the messages, and what a message's neighbours in its session add to it. A turn is
//! understood with the turns around it: the answer often stands beside the words that were asked for.

use crate::read::question::{Profile, SearchScope};
use cairn_cognition::{bm25::inverse_document_frequency, fusion::neighborhood_share};
use cairn_store::{KeywordIndex, MessageFilter};

/// A word of the question as the index knows it.
#[derive(Clone)]
pub(crate) struct QueryWord {
    /// The terms it may stand as; the best counts.
    pub(crate) terms: Vec<String>,
    /// How many messages hold the most frequent of them.
    pub(crate) holding: u64,
    pub(crate) idf: f64,
}

impl QueryWord {
    /// Terms that no message holds are left out, unless the word has no other. All of them are as rare as the most
    /// frequent: they are one word.
    fn from_terms(index: &KeywordIndex, terms: Vec<String>) -> Self {
        let mut held: Vec<(u64, String)> =
            terms.into_iter().map(|term| (index.document_frequency(&term), term)).collect();
        held.sort_by_key(|(holding, _)| std::cmp::Reverse(*holding));
        let some = held.iter().filter(|(holding, _)| *holding > 0).count();
        held.truncate(some.max(1));
        let holding = held.first().map_or(0, |(holding, _)| *holding);
        let idf = inverse_document_frequency(index.messages(), holding);
        Self { terms: held.into_iter().map(|(_, term)| term).collect(), holding, idf }
    }

    /// Visits every message that holds the word, with what the word is worth there.
    pub(crate) fn for_each(&self, index: &KeywordIndex, profile: &Profile, mut visit: impl FnMut(u32, f32)) {
        let (lengths, scale) = (index.lengths(), profile.bm25.scale(index.average_length()));
        let worth =
            |place: u32, frequency| self.idf as f32 * scale.weight(frequency, lengths[place as usize]);
        if let [only] = &self.terms[..] {
            return index.for_each(only, |place, frequency| visit(place, worth(place, frequency)));
        }
        let mut found: Vec<(u32, f32)> = Vec::new();
        for term in &self.terms {
            index.for_each(term, |place, frequency| found.push((place, worth(place, frequency))));
        }
        // One ascending run a term, which a stable sort only has to merge.
        found.sort_by_key(|(place, _)| *place);
        for same in found.chunk_by(|a, b| a.0 == b.0) {
            visit(same[0].0, same.iter().map(|(_, worth)| *worth).fold(0.0, f32::max));
        }
    }
}

/// The lane's scores: one for every message, zero for most.
pub(crate) struct KeywordFindings {
    pub(crate) words: Vec<QueryWord>,
    /// The score of each message by its own words.
    pub(crate) own: Vec<f32>,
    /// The messages whose own score is not zero.
    touched: Vec<u32>,
    /// Upper bound of the score of any message.
    pub(crate) ceiling: f64,
}

/// Whether a word brings messages in, or only adds to those that other words found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordRole {
    FindsMessages,
    AddsToFound,
}

/// Whether the messages around a message are known already, or have to be brought from a server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Neighbors {
    InIndex,
    OnServer,
}

/// A term that more than this share of all messages hold is common.
const COMMON_TERM_SHARE: f64 = 0.05;
/// Messages that rarer words must have found before common ones stop finding more.
const ENOUGH_CANDIDATES: usize = 400;
/// The best messages by their own words whose neighbourhoods are looked at, however many hits are asked for.
const NEIGHBORHOODS: usize = 1_000;
/// Those whose neighbourhoods are brought from a server; whoever asks for more hits gets as many of them.
const SERVER_NEIGHBORHOODS: usize = 200;

impl KeywordFindings {
    /// Scores every visible message for the words of a question, rare words first. Once those have found enough,
    /// common words only add to what they found: a message that shares nothing but common words with the question
    /// would not be among the best.
    pub(crate) fn score_messages(
        index: &KeywordIndex,
        words: Vec<Vec<String>>,
        profile: &Profile,
        filter: &MessageFilter,
    ) -> Self {
        let mut words: Vec<QueryWord> =
            words.into_iter().map(|terms| QueryWord::from_terms(index, terms)).collect();
        words.sort_by_key(|word| word.holding);
        let mut lexical = Self {
            words: Vec::new(),
            own: vec![0.0; index.documents().len()],
            touched: Vec::new(),
            ceiling: 0.0,
        };
        for word in &words {
            let common = word.holding as f64 > COMMON_TERM_SHARE * index.messages() as f64;
            let may_find = !common || lexical.touched.len() < ENOUGH_CANDIDATES;
            let role = if may_find { WordRole::FindsMessages } else { WordRole::AddsToFound };
            lexical.add_word(index, word, role, profile, filter);
        }
        let ceiling = words.iter().map(|word| word.idf).sum::<f64>() * profile.bm25.ceiling();
        Self { words, ceiling, ..lexical }
    }

    /// Adds the score of one word.
    fn add_word(
        &mut self,
        index: &KeywordIndex,
        word: &QueryWord,
        role: WordRole,
        profile: &Profile,
        filter: &MessageFilter,
    ) {
        let (documents, hides) = (index.documents(), filter.hides());
        let (own, touched) = (&mut self.own, &mut self.touched);
        word.for_each(index, profile, |place, worth| {
            let score = &mut own[place as usize];
            if *score == 0.0 {
                if role == WordRole::AddsToFound || (hides && !filter.sees(&documents[place as usize])) {
                    return;
                }
                touched.push(place);
            }
            *score += worth;
        });
    }

    /// The best messages by their own words, as many as are worth looking around for `k` hits. A message that may be no
    /// hit itself stays if one beside it may; without knowing what is beside it, it stays.
    pub(crate) fn best_for(
        &self,
        index: &KeywordIndex,
        k: usize,
        profile: &Profile,
        scope: &SearchScope,
        neighbors: Neighbors,
    ) -> Vec<u32> {
        let filter = &scope.filter;
        let admits = |place: u32| filter.admits(&index.documents()[place as usize]);
        let near = |place: &u32| {
            admits(*place) || session_neighbors(index, *place).into_iter().flatten().any(admits)
        };
        let all = !filter.filters() || neighbors == Neighbors::OnServer;
        let boost = |place: u32| scope.thread_boost(&index.documents()[place as usize], profile) as f32;
        let scored = |place: &u32| (self.own[*place as usize] * boost(*place), *place);
        let mut best: Vec<(f32, u32)> = Vec::with_capacity(self.touched.len());
        best.extend(self.touched.iter().filter(|place| all || near(place)).map(scored));
        let most = match neighbors {
            Neighbors::InIndex => NEIGHBORHOODS,
            Neighbors::OnServer => SERVER_NEIGHBORHOODS.max(k),
        };
        if most < best.len() {
            best.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            best.truncate(most);
        }
        best.into_iter().map(|(_, place)| place).collect()
    }

    /// The messages in the running for `k` hits: the best by their own words, and those around them.
    pub(crate) fn candidates(
        &self,
        index: &KeywordIndex,
        k: usize,
        profile: &Profile,
        scope: &SearchScope,
    ) -> Vec<u32> {
        let mut candidates = self.best_for(index, k, profile, scope, Neighbors::InIndex);
        for at in 0..candidates.len() {
            candidates.extend(session_neighbors(index, candidates[at]).into_iter().flatten());
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|place| scope.filter.admits(&index.documents()[*place as usize]));
        candidates
    }

    /// The best that any message scores by itself.
    pub(crate) fn best(&self) -> f32 {
        self.touched.iter().map(|place| self.own[*place as usize]).fold(0.0, f32::max)
    }

    /// Score that a message gets from its neighbors. Hidden messages score nothing and so lend nothing.
    pub(crate) fn neighbor_score(&self, index: &KeywordIndex, profile: &Profile, place: u32) -> f32 {
        let part = |place: u32| {
            let length = f64::from(index.lengths()[place as usize]);
            neighborhood_share(length, profile.neighbour_terms) as f32
        };
        let lends = |place: Option<u32>| match place.map(|place| (place, self.own[place as usize])) {
            Some((place, own)) if own > 0.0 => part(place) * own,
            _ => 0.0,
        };
        let [before, after, second_before, second_after] = session_neighbors(index, place).map(lends);
        let (first, second) = (before + after, second_before + second_after);
        if first + second == 0.0 {
            return 0.0;
        }
        part(place) * (profile.neighbour as f32 * first + profile.second_neighbour as f32 * second)
    }
}

/// The message before and after one in its session, and those two away.
fn session_neighbors(index: &KeywordIndex, place: u32) -> [Option<u32>; 4] {
    let previous = |place: u32| index.documents()[place as usize].previous;
    let (before, after) = (previous(place), index.next(place));
    [before, after, before.and_then(previous), after.and_then(|place| index.next(place))]
}
