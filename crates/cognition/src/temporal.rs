//! Times: what "yesterday" and "next Tuesday" meant on the day they were said, and which statements are plans. All words
//! are data under `lexicon/`.

mod asked;
mod phrase;
mod tense;

pub use asked::{Window, windows};

use crate::{
    pattern::Patterns,
    token::{read, tokens},
};
use cairn_domain::{Day, Time};
use jiff::civil::Date;
use std::sync::LazyLock;

/// A plan without a date is kept in view for this many days.
pub const FORESIGHT_DAYS: i64 = 7;

const DAY_MS: i64 = 86_400_000;

/// The days from the first to the last, both in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first day.
    pub from: Day,
    /// The last day; the same for a single day.
    pub to: Day,
}

/// A text whose relative times have become dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    /// All words as they were, with the date in brackets behind each relative time: `yesterday (2023-05-07)`.
    pub text: String,
    /// What the times of the text mean, in their order.
    pub dates: Vec<Span>,
    /// How many words of time the text has.
    pub signals: usize,
}

/// What a text says, with the dates its relative times had when it was said. A month stands as `2023-04`, a year as
/// `2022`, a week as `2023-05-01/2023-05-07`; a time of day stays as it is. Dating a dated text changes nothing.
pub fn dated(text: &str, said_at: Time) -> Dated {
    let head = read(text);
    let tokens = tokens(head);
    let mut dated = Dated { text: String::with_capacity(text.len() + 16), dates: Vec::new(), signals: 0 };
    let mut copied = 0;
    for found in phrase::times(&phrase::SAID, head, &tokens, today(said_at)) {
        let (Some(from), Some(to)) = (day(found.from), day(found.to)) else { continue };
        dated.signals += 1;
        dated.dates.push(Span { from, to });
        if let Some(written) = found.written.filter(|_| !is_dated(&text[found.end..])) {
            dated.text.push_str(&text[copied..found.end]);
            dated.text.push_str(" (");
            dated.text.push_str(&written);
            dated.text.push(')');
            copied = found.end;
        }
    }
    dated.text.push_str(&text[copied..]);
    dated
}

/// A time that a text tells, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The words.
    pub words: String,
    /// What they mean.
    pub span: Span,
    /// Whether they mean something else on another day: `yesterday` does, `7 May 2023` does not.
    pub relative: bool,
}

/// The times that a text tells, in their order, with what they meant when it was said.
pub fn told(text: &str, said_at: Time) -> Vec<Told> {
    let head = read(text);
    let tokens = tokens(head);
    let told = |found: phrase::Found| {
        let words = head[tokens[found.words.start].start..found.end].to_owned();
        let span = Span { from: day(found.from)?, to: day(found.to)? };
        Some(Told { words, span, relative: found.written.is_some() })
    };
    phrase::times(&phrase::SAID, head, &tokens, today(said_at)).into_iter().filter_map(told).collect()
}

/// Whether a date in brackets stands next.
fn is_dated(rest: &str) -> bool {
    let inner = rest.strip_prefix(" (").and_then(|rest| rest.split_once(')'));
    inner.is_some_and(|(inner, _)| {
        inner.len() >= 4 && inner.chars().all(|c| c.is_ascii_digit() || c == '-' || c == '/')
    })
}

fn today(said_at: Time) -> Date {
    said_at.day().to_string().parse().unwrap_or(Date::constant(1970, 1, 1))
}

/// The day of a date, if it is one of the years 1 to 9999.
fn day(date: Date) -> Option<Day> {
    let number = i64::from(date.year()) * 10_000 + i64::from(date.month()) * 100 + i64::from(date.day());
    Day::from_number(number).filter(|_| date.year() > 0)
}

/// A statement about what is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foresight {
    /// The words that say so.
    pub words: String,
    /// Until when it is worth watching.
    pub until: Time,
}

static FORESIGHT: LazyLock<Patterns> = LazyLock::new(|| Patterns::read("foresight"));

/// The plan that a text tells, if it does: until the end of the last day it names that is still to come, and without one
/// for a week.
///
/// until = end of the last day named, or said + 7 days
pub fn foresight(text: &str, said_at: Time) -> Option<Foresight> {
    let head = read(text);
    let found: Vec<_> = FORESIGHT.find(head).collect();
    let no: Vec<_> =
        found.iter().filter(|found| found.label == "no").map(|found| found.range.clone()).collect();
    let plan = found.iter().find(|found| {
        found.label.is_empty()
            && no.iter().all(|no| no.end <= found.range.start || found.range.end <= no.start)
    })?;
    let last = dated(head, said_at).dates.iter().map(|span| span.to).filter(|to| *to >= said_at.day()).max();
    let week = Time::from_millis(said_at.millis() + FORESIGHT_DAYS * DAY_MS);
    let until = last.and_then(|day| day.to_string().parse::<Time>().ok());
    let until = until.map_or(week, |day| Time::from_millis(day.millis() + DAY_MS - 1));
    Some(Foresight { words: sentence_at(head, plan.range.start).to_owned(), until })
}

/// The sentence around a place.
fn sentence_at(text: &str, at: usize) -> &str {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n' | ';');
    let begin = text[..at].rfind(ends).map_or(0, |end| end + 1);
    let end = text[at..].find(ends).map_or(text.len(), |end| at + end);
    text[begin..end].trim()
}

#[cfg(test)]
mod tests;
