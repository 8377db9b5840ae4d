//! Phrases of time: what the words of a text mean as days.

use super::{
    meaning::{PhraseMeaning, PhraseValues, TenseSide, meaning},
    tense::{FORESIGHT, TENSE},
};
use crate::{
    lexicon::{BoundsClass, DatesClass, ForesightClass, TimeClass, WordList, classed_entries, plain_entries},
    plain::fold,
    token::{Gap, Token},
};
use foldhash::fast::FixedState;
use jiff::civil::Date;
use std::{collections::HashMap, ops::Range, sync::LazyLock};

/// Maximum times read in one text.
const MAX_TIMES: usize = 64;

/// Words around a time that are read to tell its tense.
const MAX_SENTENCE_WORDS: usize = 30;

/// A time that stands in a text.
pub(super) struct FoundTime {
    /// The first day that is meant.
    pub from: Date,
    /// The last.
    pub to: Date,
    /// Its words, by their places.
    pub words: Range<usize>,
    /// Where its words end.
    pub end: usize,
    /// How the date is written behind the words; nothing if the words are a whole date already.
    pub written: Option<String>,
}

/// One part of a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PhrasePart {
    Word(String),
    Number,
    Unit,
    Weekday,
    Month,
    NamedMonth,
    Day,
    Year,
}

struct TimePhrase {
    meaning: PhraseMeaning,
    parts: Vec<PhrasePart>,
}

/// A word of time and its value.
#[derive(Debug, Clone, Copy)]
struct TimeValue {
    class: TimeClass,
    is: &'static str,
    needs_capital: bool,
}

/// The phrases of time that are looked for in a text.
#[derive(Default)]
pub(super) struct TimePhrases {
    all: Vec<TimePhrase>,
    /// Phrases by their first word.
    by_word: HashMap<String, Vec<usize>, FixedState>,
    /// Those that begin with a value, by what it is a value of.
    by_value: Vec<(PhrasePart, Vec<usize>)>,
    /// Whether a sentence that does not say so speaks of the past.
    asked: bool,
}

impl TimePhrases {
    /// The phrases of statements.
    fn said() -> Self {
        let mut phrases = Self::default();
        for entry in classed_entries() {
            let meaning = match entry.class {
                DatesClass::Step => PhraseMeaning::Step(entry.argument),
                class => PhraseMeaning::Said(class),
            };
            phrases.add(meaning, parts_of(entry.text));
        }
        phrases
    }

    /// The phrases of statements and those of questions besides.
    fn asked() -> Self {
        let mut phrases = Self { asked: true, ..Self::said() };
        for entry in classed_entries() {
            phrases.add(PhraseMeaning::Asked(entry.class), parts_of(entry.text));
        }
        phrases.add_bounded();
        phrases
    }

    fn add(&mut self, meaning: PhraseMeaning, parts: Vec<PhrasePart>) {
        let place = self.all.len();
        match &parts[0] {
            PhrasePart::Word(word) => self.by_word.entry(word.clone()).or_default().push(place),
            value => match self.by_value.iter_mut().find(|(known, _)| known == value) {
                Some((_, places)) => places.push(place),
                None => self.by_value.push((value.clone(), vec![place])),
            },
        }
        self.all.push(TimePhrase { meaning, parts });
    }

    /// Every date with the words of a bound before it: "before March 7".
    fn add_bounded(&mut self) {
        let bounds = classed_entries().filter(|entry| stands_before(entry.class));
        let dates: Vec<(PhraseMeaning, Vec<PhrasePart>)> = by_value(&self.all).collect();
        for bound in bounds {
            for (meaning, date) in &dates {
                self.add(*meaning, parts_of(bound.text).into_iter().chain(date.clone()).collect());
            }
        }
    }
}

/// Whether words of a class stand before the time that they bound.
fn stands_before(class: BoundsClass) -> bool {
    match class {
        BoundsClass::BeforeUntil
        | BoundsClass::BeforeThrough
        | BoundsClass::BeforeSince
        | BoundsClass::BeforeAfter
        | BoundsClass::BeforeBetween => true,
        BoundsClass::AfterUntil
        | BoundsClass::AfterThrough
        | BoundsClass::AfterSince
        | BoundsClass::AfterAfter
        | BoundsClass::AfterBetween
        | BoundsClass::And => false,
    }
}

/// The dates that begin with a month, a day or a year.
fn by_value(phrases: &[TimePhrase]) -> impl Iterator<Item = (PhraseMeaning, Vec<PhrasePart>)> {
    let dates = phrases.iter().filter(|phrase| {
        matches!(
            phrase.parts[0],
            PhrasePart::Month | PhrasePart::NamedMonth | PhrasePart::Day | PhrasePart::Year
        )
    });
    dates.map(|date| {
        let certain = |part: &PhrasePart| {
            if *part == PhrasePart::NamedMonth { PhrasePart::Month } else { part.clone() }
        };
        (date.meaning, date.parts.iter().map(certain).collect())
    })
}

/// Phrases that statements are read for.
pub(super) static SAID: LazyLock<TimePhrases> = LazyLock::new(TimePhrases::said);
/// Phrases that questions are read for.
pub(super) static ASKED: LazyLock<TimePhrases> = LazyLock::new(TimePhrases::asked);

struct TimeLists {
    values: HashMap<String, Vec<TimeValue>, FixedState>,
    endings: Vec<String>,
}

static LISTS: LazyLock<TimeLists> = LazyLock::new(|| {
    let mut lists = TimeLists { values: HashMap::default(), endings: Vec::new() };
    for entry in classed_entries() {
        let needs_capital = entry.text.ends_with('?');
        let value = TimeValue { class: entry.class, is: entry.argument, needs_capital };
        lists.values.entry(fold(entry.text.trim_end_matches('?'))).or_default().push(value);
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

fn parts_of(phrase: &str) -> Vec<PhrasePart> {
    phrase.split_whitespace().map(part).collect()
}

fn part(word: &str) -> PhrasePart {
    match word {
        "<number>" => PhrasePart::Number,
        "<unit>" => PhrasePart::Unit,
        "<weekday>" => PhrasePart::Weekday,
        "<month>" => PhrasePart::Month,
        "<named-month>" => PhrasePart::NamedMonth,
        "<day>" => PhrasePart::Day,
        "<year>" => PhrasePart::Year,
        _ => PhrasePart::Word(fold(word)),
    }
}

/// Every time of a text, in order; of several that begin together the longest.
pub(super) fn times(
    phrases: &'static TimePhrases,
    text: &str,
    tokens: &[Token],
    today: Date,
) -> Vec<FoundTime> {
    let mut times = Vec::new();
    let mut at = 0;
    while at < tokens.len() && times.len() < MAX_TIMES {
        let phrase = longest(phrases, tokens, at).and_then(|(phrase, values, end)| {
            // A question about a month asks what happened in it; one about a day may as well ask what is planned.
            let one_day = values.day.is_some() || values.weekday.is_some();
            let side = || match side(text, tokens, at) {
                TenseSide::Either if phrases.asked && !one_day => TenseSide::Past,
                side => side,
            };
            let (from, to, written) = meaning(phrase.meaning, &values, today, side)?;
            Some((FoundTime { from, to, words: at..end, end: tokens[end - 1].whole_end, written }, end))
        });
        let found = phrase.or_else(|| Some((written_out(text, tokens, at)?, at + 1)));
        at = if let Some((found, end)) = found {
            times.push(found);
            end
        } else {
            at + 1
        };
    }
    times
}

/// A date as a calendar writes it, unless it is one that was added.
fn written_out(text: &str, tokens: &[Token], at: usize) -> Option<FoundTime> {
    let token = &tokens[at];
    if text[..token.start].ends_with(['(', '/']) {
        return None;
    }
    let date: Date = (token.text.len() == 10).then(|| token.text.parse().ok()).flatten()?;
    Some(FoundTime { from: date, to: date, words: at..at + 1, end: token.whole_end, written: None })
}

fn longest(
    phrases: &'static TimePhrases,
    tokens: &[Token],
    at: usize,
) -> Option<(&'static TimePhrase, PhraseValues, usize)> {
    let token = &tokens[at];
    let by_word = phrases.by_word.get(&*token.fold).map_or(&[][..], Vec::as_slice);
    let said = by_word.iter().map(|phrase| (phrase, PhraseValues::default(), at + 1, false));
    // The first word of every value is a value itself.
    let begins_value =
        token.text.starts_with(|c: char| c.is_ascii_digit()) || LISTS.values.contains_key(&*token.fold);
    let by_value = if begins_value { phrases.by_value.as_slice() } else { &[] };
    let by_value = by_value.iter().flat_map(|(part, phrases)| {
        let mut values = PhraseValues::default();
        let words = taken(part, &tokens[at..], &mut values);
        let phrases = if words.is_some() { phrases.as_slice() } else { &[] };
        phrases.iter().map(move |phrase| (phrase, values, at + words.unwrap_or(0), true))
    });
    let matches = said.chain(by_value).filter_map(|(place, values, from, later)| {
        let phrase = &phrases.all[*place];
        let (values, end) = matched(&phrase.parts[1..], values, tokens, from)?;
        Some(((end, later, *place), (phrase, values, end)))
    });
    matches.max_by_key(|(order, _)| *order).map(|(_, found)| found)
}

/// Goes on with a phrase whose first part was found.
fn matched(
    parts: &[PhrasePart],
    mut values: PhraseValues,
    tokens: &[Token],
    mut at: usize,
) -> Option<(PhraseValues, usize)> {
    for part in parts {
        let token = tokens.get(at)?;
        let joined = token.gap == Gap::Space || (token.gap == Gap::Comma && *part == PhrasePart::Year);
        if !joined {
            return None;
        }
        at += taken(part, &tokens[at..], &mut values)?;
    }
    Some((values, at))
}

/// How many words a part takes.
fn taken(part: &PhrasePart, tokens: &[Token], values: &mut PhraseValues) -> Option<usize> {
    let token = &tokens[0];
    match part {
        PhrasePart::Word(word) => (token.fold == *word).then_some(1),
        PhrasePart::Number => {
            let (number, words) = match token.text.parse::<i64>() {
                Ok(number) if number < 1_000 => (number, 1),
                _ => {
                    let (value, words) = value(TimeClass::Number, tokens)?;
                    (value.parse().ok()?, words)
                }
            };
            values.number = number;
            Some(words)
        }
        PhrasePart::Unit => value(TimeClass::Unit, tokens).map(|(unit, words)| {
            values.unit = Some(unit);
            words
        }),
        PhrasePart::Weekday => value(TimeClass::Weekday, tokens).map(|(day, words)| {
            values.weekday = day.parse().ok();
            words
        }),
        PhrasePart::NamedMonth if !is_named(token) => None,
        PhrasePart::Month | PhrasePart::NamedMonth => {
            value(TimeClass::Month, tokens).map(|(month, words)| {
                values.month = month.parse().ok();
                words
            })
        }
        PhrasePart::Day => {
            let digits = token.text.len() - token.text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (digits, rest) = token.text.split_at(digits);
            let ordinal = rest.is_empty()
                || LISTS.values.get(&fold(rest)).is_some_and(|all| all[0].class == TimeClass::Ordinal);
            values.day = digits.parse().ok().filter(|day| (1..=31).contains(day) && ordinal);
            values.day.map(|_| 1)
        }
        PhrasePart::Year => {
            values.year = token.text.parse().ok().filter(|year| (1900..2100).contains(year));
            values.year.map(|_| 1)
        }
    }
}

/// Whether a month is surely one: it has a capital inside a sentence, or an ending.
fn is_named(token: &Token) -> bool {
    let capital = token.is_capital() && !token.first;
    capital || !token.ending.is_empty() || without_ending(&fold(token.text)).is_some()
}

/// The value of a class that words begin with, the longest first.
fn value(class: TimeClass, tokens: &[Token]) -> Option<(&'static str, usize)> {
    (1..=tokens.len().min(3)).rev().find_map(|words| {
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
        (!value.needs_capital || tokens[0].is_capital()).then_some((value.is, words))
    })
}

fn side(text: &str, tokens: &[Token], at: usize) -> TenseSide {
    let (nearest, farthest) =
        (at.saturating_sub(MAX_SENTENCE_WORDS), (at + MAX_SENTENCE_WORDS).min(tokens.len()));
    let begin = (nearest..=at).rev().find(|place| tokens[*place].first).unwrap_or(nearest);
    let end = (at + 1..farthest).find(|place| tokens[*place].first).unwrap_or(farthest);
    let sentence = &text[tokens[begin].start..tokens[end - 1].whole_end];
    let future = FORESIGHT.find(sentence).any(|found| found.class == ForesightClass::Plan);
    match (TENSE.tells(&tokens[begin..end]), future) {
        (true, true) => TenseSide::Both,
        (true, false) => TenseSide::Past,
        (false, true) => TenseSide::Future,
        (false, false) => TenseSide::Either,
    }
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
