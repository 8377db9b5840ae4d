//! Plans: statements about the time to come.

use super::{dated::dated_in, tense::FORESIGHT};
use crate::{lexicon::ForesightClass, reading::Reading};
use cairn_domain::{MILLIS_PER_DAY, Time};

/// A plan without a date is kept in view for this many days.
pub const FORESIGHT_DAYS: i64 = 7;

/// A statement about what is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foresight {
    /// The words that say so.
    pub words: String,
    /// Until when it is worth watching.
    pub until: Time,
    /// Whether something begins then that lasts: that day is no end.
    pub begins: bool,
}

/// The plan that a text tells, if it does: until the end of the last day it names that is still to come, and without one
/// for a week.
///
/// until = end of the last day named, or said + 7 days
pub fn foresight(text: &str, said_at: Time) -> Option<Foresight> {
    foresight_in(&Reading::of(text), said_at)
}

/// The same of a text that is read already.
pub fn foresight_in(reading: &Reading, said_at: Time) -> Option<Foresight> {
    let head = reading.text();
    let found: Vec<_> = FORESIGHT.find(head).collect();
    let no = found.iter().filter(|found| found.class == ForesightClass::NotAPlan);
    let no: Vec<_> = no.map(|found| found.range.clone()).collect();
    let plan = found.iter().find(|found| {
        found.class == ForesightClass::Plan
            && no.iter().all(|no| no.end <= found.range.start || found.range.end <= no.start)
    })?;
    let last =
        dated_in(reading, said_at).dates.iter().map(|span| span.to).filter(|to| *to >= said_at.day()).max();
    let week = Time::from_millis(said_at.millis() + FORESIGHT_DAYS * MILLIS_PER_DAY);
    let until = last.and_then(|day| day.to_string().parse::<Time>().ok());
    let until = until.map_or(week, |day| Time::from_millis(day.millis() + MILLIS_PER_DAY - 1));
    let begins = found.iter().any(|found| found.class == ForesightClass::Begins);
    Some(Foresight { words: sentence_at(head, plan.range.start).to_owned(), until, begins })
}

/// The sentence around a place.
fn sentence_at(text: &str, at: usize) -> &str {
    let ends = |c: char| matches!(c, '.' | '!' | '?' | '\n' | ';');
    let begin = text[..at].rfind(ends).map_or(0, |end| end + 1);
    let end = text[at..].find(ends).map_or(text.len(), |end| at + end);
    text[begin..end].trim()
}
