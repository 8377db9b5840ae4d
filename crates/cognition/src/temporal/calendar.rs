//! Days as the calendar counts them.

use cairn_domain::{Day, Time};
use jiff::civil::Date;

/// The days from the first to the last, both in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaySpan {
    /// The first day.
    pub from: Day,
    /// The last day; the same for a single day.
    pub to: Day,
}

pub(super) fn today(said_at: Time) -> Date {
    said_at.day().to_string().parse().unwrap_or(Date::constant(1970, 1, 1))
}

/// The day of a date, if it is one of the years 1 to 9999.
pub(super) fn day(date: Date) -> Option<Day> {
    let number = i64::from(date.year()) * 10_000 + i64::from(date.month()) * 100 + i64::from(date.day());
    Day::from_number(number).filter(|_| date.year() > 0)
}
