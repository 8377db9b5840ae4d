//! The keyword lane: BM25 over the messages, and what a message's neighbours in its session add to it. A turn is
//! understood with the turns around it: the answer often stands beside the words that were asked for.

use super::{Profile, question::Scope};
use cairn_cognition::{bm25::idf, fusion::part_in_neighbourhood};
use cairn_store::{Filter, KeywordIndex};

/// A word of the question as the index knows it.
#[derive(Clone)]
pub(super) struct QueryWord {
    /// The terms it may stand as; the best counts.
    pub(super) terms: Vec<String>,
    /// How many messages hold the most frequent of them.
    pub(super) holding: u64,
    pub(super) idf: f64,
}

impl QueryWord {
    /// Terms that no message holds are left out, unless the word has no other. All of them are as rare as the most
    /// frequent: they are one word.
    fn known(index: &KeywordIndex, terms: Vec<String>) -> Self {
        let mut held: Vec<(u64, String)> =
            terms.into_iter().map(|term| (index.holding(&term), term)).collect();
        held.sort_by_key(|(holding, _)| std::cmp::Reverse(*holding));
        let some = held.iter().filter(|(holding, _)| *holding > 0).count();
        held.truncate(some.max(1));
        let holding = held.first().map_or(0, |(holding, _)| *holding);
        let idf = idf(index.messages(), holding);
        Self { terms: held.into_iter().map(|(_, term)| term).collect(), holding, idf }
    }

    /// Visits every message that holds the word, with what the word is worth there.
    pub(super) fn for_each(&self, index: &KeywordIndex, profile: &Profile, mut visit: impl FnMut(u32, f32)) {
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
pub(super) struct Lexical {
    pub(super) words: Vec<QueryWord>,
    /// What each message scores by itself.
    pub(super) own: Vec<f32>,
    /// The messages whose own score is not zero.
    touched: Vec<u32>,
    /// The most that the words of any message could score.
    pub(super) ceiling: f64,
}

/// A term that more than this share of all messages hold is common.
const COMMON_SHARE: f64 = 0.05;
/// Messages that rarer words must have found before common ones stop finding more.
const ENOUGH: usize = 400;
/// The best messages by their own words whose neighbourhoods are looked at, for each hit asked for and at least.
const BEST_PER_HIT: usize = 40;
const BEST_AT_LEAST: usize = 1_000;
/// Those whose neighbourhoods are brought from a server.
const BRING_PER_HIT: usize = 10;
const BRING_AT_LEAST: usize = 200;

impl Lexical {
    /// Scores every visible message for the words of a question, rare words first. Once those have found enough,
    /// common words only add to what they found: a message that shares nothing but common words with the question
    /// would not be among the best.
    pub(super) fn score(
        index: &KeywordIndex,
        words: Vec<Vec<String>>,
        profile: &Profile,
        filter: &Filter,
    ) -> Self {
        let mut words: Vec<QueryWord> =
            words.into_iter().map(|terms| QueryWord::known(index, terms)).collect();
        words.sort_by_key(|word| word.holding);
        let mut lexical = Self {
            words: Vec::new(),
            own: vec![0.0; index.documents().len()],
            touched: Vec::new(),
            ceiling: 0.0,
        };
        for word in &words {
            let common = word.holding as f64 > COMMON_SHARE * index.messages() as f64;
            let finds = !common || lexical.touched.len() < ENOUGH;
            lexical.add_word(index, word, finds, profile, filter);
        }
        let ceiling = words.iter().map(|word| word.idf).sum::<f64>() * profile.bm25.ceiling();
        Self { words, ceiling, ..lexical }
    }

    /// Adds what one word brings; without `finds` only to messages that another word found.
    fn add_word(
        &mut self,
        index: &KeywordIndex,
        word: &QueryWord,
        finds: bool,
        profile: &Profile,
        filter: &Filter,
    ) {
        let (documents, hides) = (index.documents(), filter.hides());
        let (own, touched) = (&mut self.own, &mut self.touched);
        word.for_each(index, profile, |place, worth| {
            let score = &mut own[place as usize];
            if *score == 0.0 {
                if !finds || (hides && !filter.sees(&documents[place as usize])) {
                    return;
                }
                touched.push(place);
            }
            *score += worth;
        });
    }

    /// The best messages by their own words, as many as are worth looking around for `k` hits. A message that may be no
    /// hit itself stays if one beside it may; without knowing what is beside it, it stays.
    pub(super) fn best_for(
        &self,
        index: &KeywordIndex,
        k: usize,
        profile: &Profile,
        scope: &Scope,
        knows_neighbours: bool,
    ) -> Vec<u32> {
        let filter = &scope.filter;
        let admits = |place: u32| filter.admits(&index.documents()[place as usize]);
        let near = |place: &u32| admits(*place) || around(index, *place).into_iter().flatten().any(admits);
        let all = !filter.filters() || !knows_neighbours;
        let boost = |place: u32| scope.boost(&index.documents()[place as usize], profile) as f32;
        let scored = |place: &u32| (self.own[*place as usize] * boost(*place), *place);
        let mut best: Vec<(f32, u32)> = Vec::with_capacity(self.touched.len());
        best.extend(self.touched.iter().filter(|place| all || near(place)).map(scored));
        let most = if knows_neighbours {
            BEST_AT_LEAST.max(k * BEST_PER_HIT)
        } else {
            BRING_AT_LEAST.max(k * BRING_PER_HIT)
        };
        if most < best.len() {
            best.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            best.truncate(most);
        }
        best.into_iter().map(|(_, place)| place).collect()
    }

    /// The messages in the running for `k` hits: the best by their own words, and those around them.
    pub(super) fn candidates(
        &self,
        index: &KeywordIndex,
        k: usize,
        profile: &Profile,
        scope: &Scope,
    ) -> Vec<u32> {
        let mut candidates = self.best_for(index, k, profile, scope, true);
        for at in 0..candidates.len() {
            candidates.extend(around(index, candidates[at]).into_iter().flatten());
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|place| scope.filter.admits(&index.documents()[*place as usize]));
        candidates
    }

    /// The best that any message scores by itself.
    pub(super) fn best(&self) -> f32 {
        self.touched.iter().map(|place| self.own[*place as usize]).fold(0.0, f32::max)
    }

    /// What a message's neighbours lend it. Hidden messages score nothing and so lend nothing.
    pub(super) fn lent(&self, index: &KeywordIndex, profile: &Profile, place: u32) -> f32 {
        let part = |place: u32| {
            let length = f64::from(index.lengths()[place as usize]);
            part_in_neighbourhood(length, profile.neighbour_terms) as f32
        };
        let lends = |place: Option<u32>| match place.map(|place| (place, self.own[place as usize])) {
            Some((place, own)) if own > 0.0 => part(place) * own,
            _ => 0.0,
        };
        let [before, after, second_before, second_after] = around(index, place).map(lends);
        let (first, second) = (before + after, second_before + second_after);
        if first + second == 0.0 {
            return 0.0;
        }
        part(place) * (profile.neighbour as f32 * first + profile.second_neighbour as f32 * second)
    }
}

/// The message before and after one in its session, and those two away.
fn around(index: &KeywordIndex, place: u32) -> [Option<u32>; 4] {
    let previous = |place: u32| index.documents()[place as usize].previous;
    let (before, after) = (previous(place), index.next(place));
    [before, after, before.and_then(previous), after.and_then(|place| index.next(place))]
}
