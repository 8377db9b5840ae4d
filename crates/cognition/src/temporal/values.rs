//! Words of time and their values: numbers, units, weekdays and months, as the list `time` of every language has them.

use crate::{
    language::LANGUAGES,
    lexicon::{TimeClass, WordList, plain_entries},
    plain::fold,
    token::{Gap, Token},
};
use foldhash::fast::FixedState;
use std::{collections::HashMap, sync::LazyLock};

/// Maximum words of one value.
const MAX_VALUE_WORDS: usize = 3;
/// Before the value of a number that is only about so many: `a couple of`.
const VAGUE: &str = "about ";

/// A word of time and its value.
#[derive(Debug, Clone, Copy)]
struct TimeValue {
    class: TimeClass,
    is: &'static str,
    needs_capital: bool,
    /// The place of its language.
    language: usize,
}

struct TimeLists {
    values: HashMap<String, Vec<TimeValue>, FixedState>,
    endings: Vec<String>,
}

static LISTS: LazyLock<TimeLists> = LazyLock::new(|| {
    let mut lists = TimeLists { values: HashMap::default(), endings: Vec::new() };
    for language in &LANGUAGES {
        for entry in language.classed_entries() {
            let needs_capital = entry.text.ends_with('?');
            let value =
                TimeValue { class: entry.class, is: entry.argument, needs_capital, language: language.place };
            lists.values.entry(fold(entry.text.trim_end_matches('?'))).or_default().push(value);
        }
    }
    lists.endings = plain_entries(WordList::TimeEndings).map(fold).collect();
    lists
});

/// A unit, a weekday or a month without the ending it bears, if it bears one.
pub(super) fn without_ending(word: &str) -> Option<&str> {
    let is_time = |stem: &&str| {
        let known = (stem.len() > 1).then(|| LISTS.values.get(*stem)).flatten();
        let bears = |class| matches!(class, TimeClass::Unit | TimeClass::Weekday | TimeClass::Month);
        known.is_some_and(|all| all.iter().any(|value| bears(value.class)))
    };
    LISTS.endings.iter().filter_map(|ending| word.strip_suffix(ending.as_str())).find(is_time)
}

/// Whether a value may begin with this word: the first word of every value is a value itself.
pub(super) fn begins_value(token: &Token) -> bool {
    token.text.starts_with(|c: char| c.is_ascii_digit())
        || LISTS.values.contains_key(&*token.fold)
        || token.fold.split_once('-').is_some_and(|(tens, _)| LISTS.values.contains_key(tens))
}

/// The value of a class that words begin with, the longest first, and how many words it takes.
pub(super) fn value(class: TimeClass, tokens: &[Token]) -> Option<(&'static str, usize)> {
    found(class, tokens).map(|(value, words)| (value.is, words))
}

fn found(class: TimeClass, tokens: &[Token]) -> Option<(TimeValue, usize)> {
    (1..=tokens.len().min(MAX_VALUE_WORDS)).rev().find_map(|words| {
        let tokens = &tokens[..words];
        if tokens[1..].iter().any(|token| token.gap != Gap::Space) {
            return None;
        }
        let known = if let [token] = tokens {
            LISTS.values.get(&*token.fold)
        } else {
            let words: Vec<&str> = tokens.iter().map(|token| &*token.fold).collect();
            LISTS.values.get(&words.join(" "))
        }?;
        let value = known.iter().find(|value| value.class == class)?;
        (!value.needs_capital || tokens[0].is_capital()).then_some((*value, words))
    })
}

/// A number that words begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SaidNumber {
    pub is: i64,
    /// Only about so many.
    pub vague: bool,
    /// How many words say it.
    pub words: usize,
}

/// The number that words begin with: `12`, `twelve`, `twenty five`, `on iki`, `a couple of`.
pub(super) fn number(tokens: &[Token]) -> Option<SaidNumber> {
    let token = tokens.first()?;
    if let Ok(number) = token.text.parse::<i64>() {
        return (number < 1_000).then_some(SaidNumber { is: number, vague: false, words: 1 });
    }
    if let Some((tens, ones)) = token.fold.split_once('-') {
        let is = |word: &str| {
            let value = LISTS.values.get(word)?.iter().find(|value| value.class == TimeClass::Number)?;
            value.is.parse::<i64>().ok()
        };
        let (tens, ones) = (is(tens)?, is(ones)?);
        return (tens >= 20 && ones < 10).then_some(SaidNumber { is: tens + ones, vague: false, words: 1 });
    }
    let (number, words) = found(TimeClass::Number, tokens)?;
    let (plain, vague) = number.is.strip_prefix(VAGUE).map_or((number.is, false), |plain| (plain, true));
    let is: i64 = plain.parse().ok()?;
    let next = tokens.get(words..).filter(|rest| rest.first().is_some_and(|token| token.gap == Gap::Space));
    let ones = next.and_then(|rest| found(TimeClass::Number, rest)).filter(|(ones, _)| {
        ones.language == number.language && is % 10 == 0 && ones.is.parse::<i64>().is_ok_and(|ones| ones < 10)
    });
    let Some((ones, more)) = ones else { return Some(SaidNumber { is, vague, words }) };
    Some(SaidNumber { is: is + ones.is.parse::<i64>().ok()?, vague, words: words + more })
}

/// The day of a month that a word says, and whether it says so as an ordinal: `7`, `7th`, `24'ünde`.
pub(super) fn month_day(token: &Token) -> Option<(i8, bool)> {
    let digits = token.text.len() - token.text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (digits, rest) = token.text.split_at(digits);
    let suffixed = !rest.is_empty();
    let is_ordinal =
        |rest: &str| LISTS.values.get(&fold(rest)).is_some_and(|all| all[0].class == TimeClass::Ordinal);
    if suffixed && !is_ordinal(rest) {
        return None;
    }
    let day = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    Some((day, suffixed || !token.ending.is_empty()))
}

/// Whether a word is a unit of time, with an ending or without.
pub(super) fn is_unit(token: &Token) -> bool {
    let is_unit = |word: &str| {
        LISTS.values.get(word).is_some_and(|all| all.iter().any(|value| value.class == TimeClass::Unit))
    };
    is_unit(&token.fold) || without_ending(&token.fold).is_some_and(is_unit)
}

/// Whether a word is a month and an ordinary word too, unless it has a capital.
pub(super) fn is_doubtful_month(token: &Token) -> bool {
    let known = LISTS.values.get(&*token.fold);
    known.is_some_and(|all| all.iter().any(|value| value.class == TimeClass::Month && value.needs_capital))
}

#[cfg(test)]
mod tests {
    use super::LISTS;

    #[test]
    fn the_first_word_of_every_value_is_a_value() {
        for value in LISTS.values.keys() {
            let first = value.split(' ').next().unwrap_or_default();
            assert!(LISTS.values.contains_key(first), "{value}");
        }
    }
}
