//! Phrases of time: which words of a text are one, and the values they hold.

use super::{
    meaning::{PhraseMeaning, PhraseValues},
    values::{begins_value, month_day, number, value, without_ending},
};
use crate::{
    lexicon::{BoundsClass, DatesClass, TimeClass, classed_entries},
    plain::fold,
    token::{Gap, Token},
};
use foldhash::fast::FixedState;
use std::{collections::HashMap, sync::LazyLock};

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
    OrdinalDay,
    Year,
}

struct TimePhrase {
    meaning: PhraseMeaning,
    parts: Vec<PhrasePart>,
    /// The month and the day of a feast: its words alone tell them.
    values: PhraseValues,
}

/// A phrase that stands in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchedPhrase {
    pub meaning: PhraseMeaning,
    pub values: PhraseValues,
    /// The place of the word behind its last.
    pub end: usize,
}

/// How a text is read for times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TimeReading {
    /// As what somebody says.
    #[default]
    Said,
    /// As a question: a sentence that does not say so speaks of the past.
    Asked,
    /// As what is meant for later: a weekday alone is the next such day.
    Ahead,
}

/// The phrases of time that are looked for in a text.
#[derive(Default)]
pub(super) struct TimePhrases {
    all: Vec<TimePhrase>,
    /// Phrases by their first word.
    by_word: HashMap<String, Vec<usize>, FixedState>,
    /// Those that begin with a value, by what it is a value of.
    by_value: Vec<(PhrasePart, Vec<usize>)>,
    /// How a text is read for them.
    pub(super) reading: TimeReading,
}

impl TimePhrases {
    /// The phrases of statements.
    fn said() -> Self {
        let mut phrases = Self::default();
        for entry in classed_entries() {
            let meaning = match entry.class {
                DatesClass::Feast => continue,
                DatesClass::Step => PhraseMeaning::Step(entry.argument),
                DatesClass::MonthDay => PhraseMeaning::MonthDay(entry.argument),
                DatesClass::MonthEnd => PhraseMeaning::MonthEnd(entry.argument),
                class => PhraseMeaning::Said(class),
            };
            phrases.add(meaning, parts_of(entry.text));
        }
        phrases
    }

    /// The phrases of statements and those of questions besides.
    fn asked() -> Self {
        let mut phrases = Self { reading: TimeReading::Asked, ..Self::said() };
        for entry in classed_entries() {
            phrases.add(PhraseMeaning::Asked(entry.class), parts_of(entry.text));
        }
        phrases.add_bounded();
        phrases
    }

    /// The phrases of statements, with weekdays alone and with feasts: who tells of Christmas may mean all of the holidays, who
    /// wants to be told on Christmas Eve means the day.
    fn ahead() -> Self {
        let mut phrases = Self { reading: TimeReading::Ahead, ..Self::said() };
        phrases.add(PhraseMeaning::Said(DatesClass::On), vec![PhrasePart::Weekday]);
        for feast in classed_entries::<DatesClass>().filter(|entry| entry.class == DatesClass::Feast) {
            let (month, day) = feast.argument.split_once('-').unwrap_or_default();
            let values =
                PhraseValues { month: month.parse().ok(), day: day.parse().ok(), ..Default::default() };
            phrases.add_with(values, PhraseMeaning::Said(feast.class), parts_of(feast.text));
        }
        phrases
    }

    fn add(&mut self, meaning: PhraseMeaning, parts: Vec<PhrasePart>) {
        self.add_with(PhraseValues::default(), meaning, parts);
    }

    fn add_with(&mut self, values: PhraseValues, meaning: PhraseMeaning, parts: Vec<PhrasePart>) {
        let place = self.all.len();
        match &parts[0] {
            PhrasePart::Word(word) => self.by_word.entry(word.clone()).or_default().push(place),
            value => match self.by_value.iter_mut().find(|(known, _)| known == value) {
                Some((_, places)) => places.push(place),
                None => self.by_value.push((value.clone(), vec![place])),
            },
        }
        self.all.push(TimePhrase { meaning, parts, values });
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
/// Phrases that something meant for later is read for.
pub(super) static AHEAD: LazyLock<TimePhrases> = LazyLock::new(TimePhrases::ahead);

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
        "<ordinal-day>" => PhrasePart::OrdinalDay,
        "<year>" => PhrasePart::Year,
        // A token's word leaves off what follows its apostrophe as well.
        _ => PhrasePart::Word(fold(word.split_once('\'').map_or(word, |(word, _)| word))),
    }
}

/// The longest phrase that begins with a word.
pub(super) fn longest(phrases: &TimePhrases, tokens: &[Token], at: usize) -> Option<MatchedPhrase> {
    let token = tokens.get(at)?;
    let by_word = phrases.by_word.get(&*token.fold).map_or(&[][..], Vec::as_slice);
    let said = by_word.iter().map(|place| (place, phrases.all[*place].values, at + 1, false));
    let by_value = if begins_value(token) { phrases.by_value.as_slice() } else { &[] };
    let by_value = by_value.iter().flat_map(|(part, phrases)| {
        let mut values = PhraseValues::default();
        let words = taken(part, &tokens[at..], &mut values);
        let phrases = if words.is_some() { phrases.as_slice() } else { &[] };
        phrases.iter().map(move |phrase| (phrase, values, at + words.unwrap_or(0), true))
    });
    let matches = said.chain(by_value).filter_map(|(place, values, from, later)| {
        let phrase = &phrases.all[*place];
        let (values, end) = matched(&phrase.parts[1..], values, tokens, from)?;
        Some(((end, later, *place), MatchedPhrase { meaning: phrase.meaning, values, end }))
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
        PhrasePart::Number => number(tokens).map(|said| {
            (values.number, values.vague) = (said.is, said.vague);
            said.words
        }),
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
        PhrasePart::Day | PhrasePart::OrdinalDay => {
            let (day, ordinal) = month_day(token)?;
            (values.day, values.ordinal) = (Some(day), ordinal);
            (ordinal || *part == PhrasePart::Day).then_some(1)
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
