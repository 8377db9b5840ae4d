//! The keyword lane: BM25 over the messages, and what a message's neighbours in its session add to it. A turn is
//! understood with the turns around it: the answer often stands beside the words that were asked for.

use super::{Profile, question::Filter};
use cairn_cognition::{bm25::idf, fusion::part_in_neighbourhood};
use cairn_store::KeywordIndex;
use std::collections::BTreeMap;

/// A word of the question as the index knows it.
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
        let idf = idf(index.documents().len() as u64, holding);
        Self { terms: held.into_iter().map(|(_, term)| term).collect(), holding, idf }
    }

    /// Visits every message that holds the word, with what the word is worth there.
    pub(super) fn for_each(&self, index: &KeywordIndex, profile: &Profile, mut visit: impl FnMut(u32, f32)) {
        let (lengths, scale) = (index.lengths(), profile.bm25.scale(index.average_length()));
        let worth = |seq: u32, frequency| self.idf as f32 * scale.weight(frequency, lengths[seq as usize]);
        if let [only] = &self.terms[..] {
            return index.for_each(only, |seq, frequency| visit(seq, worth(seq, frequency)));
        }
        let mut best: BTreeMap<u32, f32> = BTreeMap::new();
        for term in &self.terms {
            index.for_each(term, |seq, frequency| {
                let so_far = best.entry(seq).or_default();
                *so_far = so_far.max(worth(seq, frequency));
            });
        }
        for (seq, worth) in best {
            visit(seq, worth);
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
        let messages = index.documents().len();
        let mut words: Vec<QueryWord> =
            words.into_iter().map(|terms| QueryWord::known(index, terms)).collect();
        words.sort_by_key(|word| word.holding);
        let mut lexical =
            Self { words: Vec::new(), own: vec![0.0; messages], touched: Vec::new(), ceiling: 0.0 };
        for word in &words {
            let common = word.holding as f64 > COMMON_SHARE * messages as f64;
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
        word.for_each(index, profile, |seq, worth| {
            let score = &mut own[seq as usize];
            if *score == 0.0 {
                if !finds || (hides && !filter.sees(&documents[seq as usize])) {
                    return;
                }
                touched.push(seq);
            }
            *score += worth;
        });
    }

    /// The messages in the running for `k` hits: the best by their own words, and those around them. A message that
    /// may be no hit itself stays if one beside it may.
    pub(super) fn candidates(
        &self,
        index: &KeywordIndex,
        k: usize,
        profile: &Profile,
        filter: &Filter,
    ) -> Vec<u32> {
        let admits = |seq: u32| filter.admits(&index.documents()[seq as usize]);
        let near = |seq: &u32| admits(*seq) || around(index, *seq).into_iter().flatten().any(admits);
        let mut best: Vec<(f32, u32)> = Vec::with_capacity(self.touched.len());
        let boost = |seq: u32| filter.boost(&index.documents()[seq as usize], profile) as f32;
        let scored = |seq: &u32| (self.own[*seq as usize] * boost(*seq), *seq);
        best.extend(self.touched.iter().filter(|seq| !filter.filters() || near(seq)).map(scored));
        let most = BEST_AT_LEAST.max(k * BEST_PER_HIT);
        if most < best.len() {
            best.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
            best.truncate(most);
        }
        let mut candidates: Vec<u32> = best.iter().map(|(_, seq)| *seq).collect();
        for (_, seq) in &best {
            candidates.extend(around(index, *seq).into_iter().flatten());
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|seq| admits(*seq));
        candidates
    }

    /// The best that any message scores by itself.
    pub(super) fn best(&self) -> f32 {
        self.touched.iter().map(|seq| self.own[*seq as usize]).fold(0.0, f32::max)
    }

    /// What a message's neighbours lend it. Hidden messages score nothing and so lend nothing.
    pub(super) fn lent(&self, index: &KeywordIndex, profile: &Profile, seq: u32) -> f32 {
        let part = |seq: u32| {
            let length = f64::from(index.lengths()[seq as usize]);
            part_in_neighbourhood(length, profile.neighbour_terms) as f32
        };
        let lends = |seq: Option<u32>| match seq.map(|seq| (seq, self.own[seq as usize])) {
            Some((seq, own)) if own > 0.0 => part(seq) * own,
            _ => 0.0,
        };
        let [before, after, second_before, second_after] = around(index, seq).map(lends);
        let (first, second) = (before + after, second_before + second_after);
        if first + second == 0.0 {
            return 0.0;
        }
        part(seq) * (profile.neighbour as f32 * first + profile.second_neighbour as f32 * second)
    }
}

/// The message before and after one in its session, and those two away.
fn around(index: &KeywordIndex, seq: u32) -> [Option<u32>; 4] {
    let previous = |seq: u32| index.documents()[seq as usize].previous;
    let (before, after) = (previous(seq), index.next(seq));
    [before, after, before.and_then(previous), after.and_then(|seq| index.next(seq))]
}
