//! The times that a text tells, and the dates they had when it was said.

use super::{
    calendar::{DaySpan, day, today},
    found::{FoundTime, times},
    phrase::{AHEAD, SAID, TimePhrases},
};
use crate::{reading::Reading, token::is_added_date};
use cairn_domain::Time;

/// A text whose relative times have become dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dated {
    /// All words as they were, with the date in square brackets behind each relative time: `yesterday [2023-05-07]`.
    pub text: String,
    /// The days that the times of the text mean, in order.
    pub dates: Vec<DaySpan>,
    /// How many words of time the text has.
    pub signals: usize,
}

/// A text with the dates its relative times had when it was said. A month stands as `2023-04`, a year as
/// `2022`, a week as `2023-05-01/2023-05-07`; a time of day stays as it is. Dating a dated text changes nothing.
pub fn dated(text: &str, said_at: Time) -> Dated {
    dated_in(&Reading::of(text), said_at)
}

/// The same of a text that is read already.
pub fn dated_in(reading: &Reading, said_at: Time) -> Dated {
    let text = reading.whole_text();
    let mut dated = Dated { text: String::with_capacity(text.len() + 16), dates: Vec::new(), signals: 0 };
    let mut copied = 0;
    for found in times(&SAID, reading.text(), reading.tokens(), today(said_at)) {
        let (Some(from), Some(to)) = (day(found.from), day(found.to)) else { continue };
        dated.signals += 1;
        dated.dates.push(DaySpan { from, to });
        if let Some(written) = found.written.filter(|_| !is_dated(&text[found.end..])) {
            dated.text.push_str(&text[copied..found.end]);
            dated.text.push_str(" [");
            dated.text.push_str(&written);
            dated.text.push(']');
            copied = found.end;
        }
    }
    dated.text.push_str(&text[copied..]);
    dated
}

/// A time that a text tells, in its own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldTime {
    /// The words.
    pub words: String,
    /// The days they mean.
    pub span: DaySpan,
    /// Whether they mean something else on another day: `yesterday` does, `7 May 2023` does not.
    pub relative: bool,
}

/// The times that a text tells, in their order, with what they meant when it was said.
pub fn told(text: &str, said_at: Time) -> Vec<ToldTime> {
    told_by(&SAID, text, said_at)
}

/// The times of something that is meant for later, in their order: each lies ahead if it can, a weekday alone is the next such
/// day, and a number of months is counted to the day.
pub fn told_ahead(text: &str, said_at: Time) -> Vec<ToldTime> {
    told_by(&AHEAD, text, said_at)
}

fn told_by(phrases: &TimePhrases, text: &str, said_at: Time) -> Vec<ToldTime> {
    let reading = Reading::of(text);
    let (head, tokens) = (reading.text(), reading.tokens());
    let told = |found: FoundTime| {
        let words = head[tokens[found.words.start].start..found.end].to_owned();
        let span = DaySpan { from: day(found.from)?, to: day(found.to)? };
        Some(ToldTime { words, span, relative: found.written.is_some() })
    };
    times(phrases, head, tokens, today(said_at)).into_iter().filter_map(told).collect()
}

/// Whether a date in brackets stands next. Memories of older versions have it in round ones.
fn is_dated(rest: &str) -> bool {
    let inner = |open, close| rest.strip_prefix(open).and_then(|rest| rest.split_once(close));
    inner(" [", ']').or_else(|| inner(" (", ')')).is_some_and(|(inner, _)| is_added_date(inner))
}
