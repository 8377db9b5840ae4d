//! Tense: what tells that a clause speaks of the past, or of the time to come.

use super::meaning::TenseSide;
use crate::{
    lexicon::{ForesightClass, TenseClass, classed_entries},
    pattern::Patterns,
    plain::fold,
    token::{Gap, Token},
};
use foldhash::fast::FixedState;
use std::{collections::HashSet, ops::Range, sync::LazyLock};

/// Words around a time that are read to tell its tense.
const MAX_SENTENCE_WORDS: usize = 30;

/// Words that announce a plan.
pub(super) static FORESIGHT: LazyLock<Patterns<ForesightClass>> = LazyLock::new(Patterns::read);

type TenseWords = HashSet<String, FixedState>;

/// The list `tense` of every language.
#[derive(Default)]
struct Tense {
    words: TenseWords,
    was: TenseWords,
    arranging: TenseWords,
    endings: Vec<String>,
    /// Endings of verbs that stand last in their clause.
    final_endings: Vec<String>,
    /// Words that may follow such a verb.
    after_final: TenseWords,
    /// Words that have such an ending and tell nothing …
    only_alike: TenseWords,
    /// … and those behind which no ending does: "is planned".
    before: TenseWords,
    /// Words that begin another clause.
    joins: TenseWords,
}

static TENSE: LazyLock<Tense> = LazyLock::new(|| {
    let mut tense = Tense::default();
    classed_entries().for_each(|entry| tense.add(entry.class, fold(entry.text)));
    tense
});

/// How surely words tell of the past, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PastEvidence {
    Told,
    Was,
    /// Something was said or arranged: "booked", "told".
    Arranged,
}

impl Tense {
    fn add(&mut self, class: TenseClass, word: String) {
        match class {
            TenseClass::Ending => self.endings.push(word),
            TenseClass::FinalEnding => self.final_endings.push(word),
            TenseClass::AfterFinal => drop(self.after_final.insert(word)),
            TenseClass::NotPast => drop(self.only_alike.insert(word)),
            TenseClass::Passive => drop(self.before.insert(word)),
            TenseClass::Past => drop(self.words.insert(word)),
            TenseClass::Was => drop(self.was.insert(word)),
            TenseClass::Arranging => drop(self.arranging.insert(word)),
            TenseClass::Joins => drop(self.joins.insert(word)),
        }
    }

    /// How these words tell of the past, if they do. `time`: the place of the time among them.
    fn past(&self, words: &[Token], time: usize) -> Option<PastEvidence> {
        (0..words.len()).filter_map(|at| self.past_of(words, at, time)).min()
    }

    fn past_of(&self, words: &[Token], at: usize, time: usize) -> Option<PastEvidence> {
        let word = &*words[at].fold;
        let ends = |endings: &[String]| {
            endings.iter().any(|ending| word.len() > ending.len() + 1 && word.ends_with(ending.as_str()))
        };
        let before = at.checked_sub(1).map(|before| &*words[before].fold);
        let passive = || before.is_some_and(|before| self.before.contains(before));
        let last = || words[at + 1..].iter().all(|next| self.after_final.contains(&*next.fold));
        if self.arranging.contains(word) {
            // "In January I said so" was said in January; "I said January" was not.
            let then = at > time && at + 1 < words.len();
            let evidence = if then { PastEvidence::Told } else { PastEvidence::Arranged };
            return (!passive()).then_some(evidence);
        }
        if self.was.contains(word) {
            return Some(PastEvidence::Was);
        }
        let tells = self.words.contains(word)
            || !self.only_alike.contains(word)
                && (ends(&self.endings) && !passive() || ends(&self.final_endings) && last());
        tells.then_some(PastEvidence::Told)
    }
}

/// On which side of the day the words around a time speak: its clause, if that tells; else the one behind a time that is a
/// clause by itself ("On 3 March, we moved"). What is told elsewhere in the sentence is less sure.
pub(super) fn side(text: &str, tokens: &[Token], time: Range<usize>) -> TenseSide {
    let sentence = sentence(tokens, time.start);
    let own = clause(text, tokens, &sentence, time.clone());
    let alone = own.len() <= time.len() + 1 && own.end < sentence.end;
    let behind = || own.start..clause(text, tokens, &sentence, own.end..own.end + 1).end;
    let near = if alone { behind() } else { own };
    match side_of(text, tokens, near, time.start) {
        TenseSide::Either => match side_of(text, tokens, sentence, time.start) {
            TenseSide::Past | TenseSide::WasPast => TenseSide::Unsure,
            side => side,
        },
        side => side,
    }
}

/// On which side of the day the sentence around a time speaks.
pub(super) fn sentence_side(text: &str, tokens: &[Token], time: usize) -> TenseSide {
    side_of(text, tokens, sentence(tokens, time), time)
}

/// The sentence that a word stands in, as far as it is read.
pub(super) fn sentence(tokens: &[Token], at: usize) -> Range<usize> {
    let (nearest, farthest) =
        (at.saturating_sub(MAX_SENTENCE_WORDS), (at + MAX_SENTENCE_WORDS).min(tokens.len()));
    let begin = (nearest..=at).rev().find(|place| tokens[*place].first).unwrap_or(nearest);
    let end = (at + 1..farthest).find(|place| tokens[*place].first).unwrap_or(farthest);
    begin..end.max(at + 1)
}

/// The words around a time up to a comma or a word that begins another clause.
pub(super) fn clause(
    text: &str,
    tokens: &[Token],
    sentence: &Range<usize>,
    time: Range<usize>,
) -> Range<usize> {
    let apart = |place: usize| {
        let before = place.checked_sub(1).map_or(0, |before| tokens[before].whole_end);
        let between = text[before..tokens[place].start].trim();
        tokens[place].gap != Gap::Space && !matches!(between, "[" | "]" | "")
    };
    let begins = |place: usize| apart(place) || TENSE.joins.contains(&*tokens[place].fold);
    let begin = (sentence.start..=time.start).rev().find(|place| begins(*place)).unwrap_or(sentence.start);
    let end = (time.end..sentence.end).find(|place| begins(*place)).unwrap_or(sentence.end);
    begin..end.max(time.end).min(sentence.end.max(time.end))
}

fn side_of(text: &str, tokens: &[Token], range: Range<usize>, time: usize) -> TenseSide {
    let (begin, words) = (range.start, &tokens[range]);
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return TenseSide::Either };
    let past = TENSE.past(words, time.saturating_sub(begin));
    match (past, is_planned(&text[first.start..last.whole_end])) {
        (None | Some(PastEvidence::Arranged), true) => TenseSide::Future,
        (Some(_), true) | (Some(PastEvidence::Arranged), false) => TenseSide::Unsure,
        (Some(PastEvidence::Told), false) => TenseSide::Past,
        (Some(PastEvidence::Was), false) => TenseSide::WasPast,
        (None, false) => TenseSide::Either,
    }
}

/// Whether a text tells of the time to come.
fn is_planned(text: &str) -> bool {
    let found: Vec<_> = FORESIGHT.find(text).collect();
    let (plans, others): (Vec<_>, Vec<_>) =
        found.iter().partition(|found| found.class == ForesightClass::Plan);
    let apart = |plan: &Range<usize>, no: &Range<usize>| no.end <= plan.start || plan.end <= no.start;
    plans.iter().any(|plan| others.iter().all(|no| apart(&plan.range, &no.range)))
}
