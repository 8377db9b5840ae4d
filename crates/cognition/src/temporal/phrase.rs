//! Phrases of time: what the words of a text mean as days.

use super::{FORESIGHT, tense::TENSE};
use crate::{
    language::LANGUAGES,
    plain::fold,
    token::{Gap, Token},
};
use foldhash::fast::FixedState;
use jiff::{Span, civil::Date};
use std::{collections::HashMap, ops::Range, sync::LazyLock};

/// At most this many times are read in one text.
const MOST_TIMES: usize = 64;

/// A sentence is looked at this many words around a time.
const SENTENCE_WORDS: usize = 30;

/// A time that stands in a text.
pub(super) struct Found {
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
enum Part {
    Word(String),
    Number,
    Unit,
    Weekday,
    Month,
    NamedMonth,
    Day,
    Year,
}

struct Phrase {
    meaning: &'static str,
    parts: Vec<Part>,
}

/// A word of time and its value.
#[derive(Debug, Clone, Copy)]
struct Value {
    class: &'static str,
    is: &'static str,
    needs_capital: bool,
}

/// What a text is read for.
#[derive(Default)]
pub(super) struct Phrases {
    all: Vec<Phrase>,
    /// Phrases by their first word.
    by_word: HashMap<String, Vec<usize>, FixedState>,
    /// Those that begin with a value, by what it is a value of.
    by_value: Vec<(Part, Vec<usize>)>,
    /// Whether a sentence that does not say so speaks of the past.
    asked: bool,
}

impl Phrases {
    fn read(lists: &[&'static str]) -> Self {
        let mut phrases = Self { asked: lists.len() > 1, ..Self::default() };
        for (meaning, entry) in lists.iter().flat_map(|list| entries(list)) {
            phrases.add(meaning, entry.split_whitespace().map(part).collect());
        }
        if phrases.asked {
            phrases.add_bounded();
        }
        phrases
    }

    fn add(&mut self, meaning: &'static str, parts: Vec<Part>) {
        let place = self.all.len();
        match &parts[0] {
            Part::Word(word) => self.by_word.entry(word.clone()).or_default().push(place),
            value => match self.by_value.iter_mut().find(|(known, _)| known == value) {
                Some((_, places)) => places.push(place),
                None => self.by_value.push((value.clone(), vec![place])),
            },
        }
        self.all.push(Phrase { meaning, parts });
    }

    /// Every date with the words of a bound before it: "before March 7".
    fn add_bounded(&mut self) {
        let bounds = entries("bounds").filter(|(label, _)| label.starts_with("before-"));
        let dates: Vec<(&str, Vec<Part>)> = by_value(&self.all).collect();
        for (_, bound) in bounds {
            for (meaning, date) in &dates {
                self.add(meaning, bound.split_whitespace().map(part).chain(date.clone()).collect());
            }
        }
    }
}

/// The dates that begin with a month, a day or a year.
fn by_value(phrases: &[Phrase]) -> impl Iterator<Item = (&'static str, Vec<Part>)> {
    let dates = phrases
        .iter()
        .filter(|phrase| matches!(phrase.parts[0], Part::Month | Part::NamedMonth | Part::Day | Part::Year));
    dates.map(|date| {
        let certain = |part: &Part| if *part == Part::NamedMonth { Part::Month } else { part.clone() };
        (date.meaning, date.parts.iter().map(certain).collect())
    })
}

/// What a statement is read for.
pub(super) static SAID: LazyLock<Phrases> = LazyLock::new(|| Phrases::read(&["dates"]));
/// What a question is read for.
pub(super) static ASKED: LazyLock<Phrases> = LazyLock::new(|| Phrases::read(&["dates", "asked_dates"]));

struct Lists {
    values: HashMap<String, Vec<Value>, FixedState>,
    endings: Vec<String>,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let mut lists = Lists { values: HashMap::default(), endings: Vec::new() };
    for (label, entry) in entries("time") {
        let (class, value) = label.split_once('-').expect("a class and a value");
        let needs_capital = entry.ends_with('?');
        let value = Value { class, is: value, needs_capital };
        lists.values.entry(fold(entry.trim_end_matches('?'))).or_default().push(value);
    }
    let endings = LANGUAGES.iter().flat_map(|language| language.lines("time_endings"));
    lists.endings = endings.flat_map(str::split_whitespace).map(fold).collect();
    lists
});

/// A unit, a weekday or a month without the ending it bears, if it bears one.
pub(super) fn without_ending(word: &str) -> Option<&str> {
    let is_time = |stem: &&str| {
        let known = (stem.len() > 1).then(|| LISTS.values.get(*stem)).flatten();
        known.is_some_and(|all| all.iter().any(|value| matches!(value.class, "unit" | "weekday" | "month")))
    };
    LISTS.endings.iter().filter_map(|ending| word.strip_suffix(ending.as_str())).find(is_time)
}

/// The labels of a list with their entries, in every language.
pub(super) fn entries(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    LANGUAGES.iter().flat_map(move |language| language.lines(list)).flat_map(|line| {
        let (label, entries) = line.split_once(": ").expect("a label and its entries");
        entries.split(';').map(move |entry| (label, entry.trim()))
    })
}

fn part(word: &str) -> Part {
    match word {
        "<number>" => Part::Number,
        "<unit>" => Part::Unit,
        "<weekday>" => Part::Weekday,
        "<month>" => Part::Month,
        "<named-month>" => Part::NamedMonth,
        "<day>" => Part::Day,
        "<year>" => Part::Year,
        _ => Part::Word(fold(word)),
    }
}

/// The values that a phrase found.
#[derive(Debug, Clone, Copy, Default)]
struct Values {
    number: i64,
    unit: Option<&'static str>,
    weekday: Option<i64>,
    month: Option<i8>,
    day: Option<i8>,
    year: Option<i16>,
}

/// Every time of a text, in order; of several that begin together the longest.
pub(super) fn times(phrases: &'static Phrases, text: &str, tokens: &[Token], today: Date) -> Vec<Found> {
    let mut times = Vec::new();
    let mut at = 0;
    while at < tokens.len() && times.len() < MOST_TIMES {
        let phrase = longest(phrases, tokens, at).and_then(|(phrase, values, end)| {
            // A question about a month asks what happened in it; one about a day may as well ask what is planned.
            let one_day = values.day.is_some() || values.weekday.is_some();
            let side = || match side(text, tokens, at) {
                Side::Either if phrases.asked && !one_day => Side::Past,
                side => side,
            };
            let (from, to, written) = meaning(phrase.meaning, &values, today, side)?;
            Some((Found { from, to, words: at..end, end: tokens[end - 1].whole_end, written }, end))
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
fn written_out(text: &str, tokens: &[Token], at: usize) -> Option<Found> {
    let token = &tokens[at];
    if text[..token.start].ends_with(['(', '/']) {
        return None;
    }
    let date: Date = (token.text.len() == 10).then(|| token.text.parse().ok()).flatten()?;
    Some(Found { from: date, to: date, words: at..at + 1, end: token.whole_end, written: None })
}

fn longest(
    phrases: &'static Phrases,
    tokens: &[Token],
    at: usize,
) -> Option<(&'static Phrase, Values, usize)> {
    let token = &tokens[at];
    let by_word = phrases.by_word.get(&token.fold).map_or(&[][..], Vec::as_slice);
    let said = by_word.iter().map(|phrase| (phrase, Values::default(), at + 1, false));
    // The first word of every value is a value itself.
    let begins_value =
        token.text.starts_with(|c: char| c.is_ascii_digit()) || LISTS.values.contains_key(&token.fold);
    let by_value = if begins_value { phrases.by_value.as_slice() } else { &[] };
    let by_value = by_value.iter().flat_map(|(part, phrases)| {
        let mut values = Values::default();
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
fn matched(parts: &[Part], mut values: Values, tokens: &[Token], mut at: usize) -> Option<(Values, usize)> {
    for part in parts {
        let token = tokens.get(at)?;
        let joined = token.gap == Gap::Space || (token.gap == Gap::Comma && *part == Part::Year);
        if !joined {
            return None;
        }
        at += taken(part, &tokens[at..], &mut values)?;
    }
    Some((values, at))
}

/// How many words a part takes.
fn taken(part: &Part, tokens: &[Token], values: &mut Values) -> Option<usize> {
    let token = &tokens[0];
    match part {
        Part::Word(word) => (token.fold == *word).then_some(1),
        Part::Number => {
            let (number, words) = match token.text.parse::<i64>() {
                Ok(number) if number < 1_000 => (number, 1),
                _ => {
                    let (value, words) = value("number", tokens)?;
                    (value.parse().ok()?, words)
                }
            };
            values.number = number;
            Some(words)
        }
        Part::Unit => value("unit", tokens).map(|(unit, words)| {
            values.unit = Some(unit);
            words
        }),
        Part::Weekday => value("weekday", tokens).map(|(day, words)| {
            values.weekday = day.parse().ok();
            words
        }),
        Part::NamedMonth if !is_named(token) => None,
        Part::Month | Part::NamedMonth => value("month", tokens).map(|(month, words)| {
            values.month = month.parse().ok();
            words
        }),
        Part::Day => {
            let digits = token.text.len() - token.text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (digits, rest) = token.text.split_at(digits);
            let ordinal =
                rest.is_empty() || LISTS.values.get(&fold(rest)).is_some_and(|all| all[0].class == "ordinal");
            values.day = digits.parse().ok().filter(|day| (1..=31).contains(day) && ordinal);
            values.day.map(|_| 1)
        }
        Part::Year => {
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
fn value(class: &str, tokens: &[Token]) -> Option<(&'static str, usize)> {
    (1..=tokens.len().min(3)).rev().find_map(|words| {
        let tokens = &tokens[..words];
        if tokens[1..].iter().any(|token| token.gap != Gap::Space) {
            return None;
        }
        let known = if let [token] = tokens {
            LISTS.values.get(&token.fold)
        } else {
            let words: Vec<&str> = tokens.iter().map(|token| token.fold.as_str()).collect();
            LISTS.values.get(&words.join(" "))
        }?;
        let value = known.iter().find(|value| value.class == class)?;
        (!value.needs_capital || tokens[0].is_capital()).then_some((value.is, words))
    })
}

/// On which side of the day a sentence speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Past,
    Future,
    Either,
    Both,
}

fn side(text: &str, tokens: &[Token], at: usize) -> Side {
    let (nearest, farthest) = (at.saturating_sub(SENTENCE_WORDS), (at + SENTENCE_WORDS).min(tokens.len()));
    let begin = (nearest..=at).rev().find(|place| tokens[*place].first).unwrap_or(nearest);
    let end = (at + 1..farthest).find(|place| tokens[*place].first).unwrap_or(farthest);
    let sentence = &text[tokens[begin].start..tokens[end - 1].whole_end];
    let future = FORESIGHT.find(sentence).any(|found| found.label.is_empty());
    match (TENSE.tells(&tokens[begin..end]), future) {
        (true, true) => Side::Both,
        (true, false) => Side::Past,
        (false, true) => Side::Future,
        (false, false) => Side::Either,
    }
}

type Meaning = (Date, Date, Option<String>);

fn meaning(label: &str, values: &Values, today: Date, side: impl Fn() -> Side) -> Option<Meaning> {
    match (label, values) {
        ("ago", Values { number, unit: Some(unit), .. }) => step(unit, -number, today),
        ("ahead", Values { number, unit: Some(unit), .. }) => step(unit, *number, today),
        ("on", _) => on(values, today, side),
        ("year", Values { year: Some(year), .. }) => {
            Some((Date::new(*year, 1, 1).ok()?, Date::new(*year, 12, 31).ok()?, None))
        }
        ("rolling", Values { number, unit: Some(unit), .. }) => rolling(unit, (*number).max(1), today),
        ("last" | "next" | "this", _) => {
            let steps = i64::from(label == "next") - i64::from(label == "last");
            relative(values, steps, today)
        }
        _ => {
            let sign = label.find(['+', '-'])?;
            let (unit, steps) = label.split_at(sign);
            let steps: i64 = steps.parse().ok()?;
            match unit {
                "week" | "weekend" => week(unit, steps, today),
                _ => step(unit, steps, today),
            }
        }
    }
}

fn plus(date: Date, days: i64) -> Option<Date> {
    date.checked_add(Span::new().try_days(days).ok()?).ok()
}

fn one(date: Date) -> Meaning {
    (date, date, Some(date.to_string()))
}

/// So many units from today: days and weeks to the day, months and years as such.
fn step(unit: &str, steps: i64, today: Date) -> Option<Meaning> {
    match unit {
        "day" => Some(one(plus(today, steps)?)),
        "week" => Some(one(plus(today, steps * 7)?)),
        "month" => {
            let date = today.first_of_month().checked_add(Span::new().try_months(steps).ok()?).ok()?;
            Some(month(date))
        }
        "year" => {
            let year = i16::try_from(i64::from(today.year()) + steps).ok()?;
            let (from, to) = (Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?);
            Some((from, to, Some(format!("{year:04}"))))
        }
        _ => None,
    }
}

/// The time up to today that began so many units ago.
fn rolling(unit: &str, units: i64, today: Date) -> Option<Meaning> {
    let back = match unit {
        "day" => Span::new().try_days(units),
        "week" => Span::new().try_weeks(units),
        "month" => Span::new().try_months(units),
        "year" => Span::new().try_years(units),
        _ => return None,
    };
    let from = today.checked_sub(back.ok()?).ok()?;
    Some((from, today, Some(format!("{from}/{today}"))))
}

/// The whole month that a day is in.
fn month(date: Date) -> Meaning {
    let written = format!("{:04}-{:02}", date.year(), date.month());
    (date.first_of_month(), date.last_of_month(), Some(written))
}

/// The week or weekend so many weeks from the one that today is in.
fn week(unit: &str, steps: i64, today: Date) -> Option<Meaning> {
    let monday = plus(today, steps * 7 - i64::from(today.weekday().to_monday_zero_offset()))?;
    let from = if unit == "weekend" { plus(monday, 5)? } else { monday };
    let to = plus(monday, 6)?;
    Some((from, to, Some(format!("{from}/{to}"))))
}

/// The last, this or the next unit, weekday or month. The last Friday is the one before today, next Friday that of the
/// next week, this Friday that of this week.
fn relative(values: &Values, steps: i64, today: Date) -> Option<Meaning> {
    if let Some(unit) = values.unit {
        return if unit == "week" { week(unit, steps, today) } else { step(unit, steps, today) };
    }
    if let Some(weekday) = values.weekday {
        let today_is = i64::from(today.weekday().to_monday_one_offset());
        return match steps {
            -1 => Some(one(plus(today, -((today_is - weekday + 6).rem_euclid(7) + 1))?)),
            _ => Some(one(plus(today, steps * 7 + weekday - today_is)?)),
        };
    }
    let named = values.month?;
    let year = match steps {
        -1 if named >= today.month() => today.year() - 1,
        1 if named <= today.month() => today.year() + 1,
        _ => today.year(),
    };
    Some(month(Date::new(year, named, 1).ok()?))
}

/// A weekday, a day of a month or a month without more: on the side that the sentence speaks of, else the nearest.
fn on(values: &Values, today: Date, side: impl Fn() -> Side) -> Option<Meaning> {
    if let (Some(weekday), None) = (values.weekday, values.month) {
        let today_is = i64::from(today.weekday().to_monday_one_offset());
        let ahead = (weekday - today_is - 1).rem_euclid(7) + 1;
        return match side() {
            Side::Past => relative(values, -1, today),
            Side::Future | Side::Either => Some(one(plus(today, ahead)?)),
            Side::Both => None,
        };
    }
    let named = values.month?;
    let at = |year: i16| match values.day {
        Some(day) => Date::new(year, named, day).ok().map(one),
        None => Date::new(year, named, 1).ok().map(month),
    };
    if let Some(year) = values.year {
        return at(year).map(|(from, to, _)| (from, to, None));
    }
    let years = [today.year() - 1, today.year(), today.year() + 1];
    let far = |meaning: &Meaning| match today {
        _ if meaning.1 < today => (today - meaning.1).get_days(),
        _ if meaning.0 > today => (meaning.0 - today).get_days(),
        _ => 0,
    };
    let side = side();
    let fits = |meaning: &Meaning| match side {
        Side::Past => meaning.0 <= today,
        Side::Future => meaning.1 >= today,
        _ => true,
    };
    years.into_iter().filter_map(at).filter(fits).min_by_key(far)
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
