//! What a phrase of time means as days, seen from the day it was said on.

use crate::lexicon::{AskedDatesClass, DatesClass};
use jiff::{Span, civil::Date};

/// What a phrase means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhraseMeaning {
    Said(DatesClass),
    Asked(AskedDatesClass),
    /// So many units from today: `day-1`.
    Step(&'static str),
}

/// The values that a phrase found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PhraseValues {
    pub number: i64,
    pub unit: Option<&'static str>,
    pub weekday: Option<i64>,
    pub month: Option<i8>,
    pub day: Option<i8>,
    pub year: Option<i16>,
}

/// On which side of the day a sentence speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TenseSide {
    Past,
    Future,
    Either,
    Both,
}

/// The first day, the last, and how the date is written.
type DatedSpan = (Date, Date, Option<String>);

pub(super) fn meaning(
    meaning: PhraseMeaning,
    values: &PhraseValues,
    today: Date,
    side: impl Fn() -> TenseSide,
) -> Option<DatedSpan> {
    match meaning {
        PhraseMeaning::Said(DatesClass::Ago) => step(values.unit?, -values.number, today),
        PhraseMeaning::Said(DatesClass::Ahead) => step(values.unit?, values.number, today),
        PhraseMeaning::Said(DatesClass::On) | PhraseMeaning::Asked(AskedDatesClass::On) => {
            on(values, today, side)
        }
        PhraseMeaning::Said(DatesClass::Last) => relative(values, -1, today),
        PhraseMeaning::Said(DatesClass::Next) => relative(values, 1, today),
        PhraseMeaning::Said(DatesClass::This) => relative(values, 0, today),
        PhraseMeaning::Asked(AskedDatesClass::Year) => {
            Some((Date::new(values.year?, 1, 1).ok()?, Date::new(values.year?, 12, 31).ok()?, None))
        }
        PhraseMeaning::Asked(AskedDatesClass::Rolling) => rolling(values.unit?, values.number.max(1), today),
        PhraseMeaning::Said(DatesClass::Step) => None,
        PhraseMeaning::Step(step_from_today) => {
            let (unit, steps) = step_from_today.split_at(step_from_today.find(['+', '-'])?);
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

fn one(date: Date) -> DatedSpan {
    (date, date, Some(date.to_string()))
}

/// So many units from today: days and weeks to the day, months and years as such.
fn step(unit: &str, steps: i64, today: Date) -> Option<DatedSpan> {
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
fn rolling(unit: &str, units: i64, today: Date) -> Option<DatedSpan> {
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
fn month(date: Date) -> DatedSpan {
    let written = format!("{:04}-{:02}", date.year(), date.month());
    (date.first_of_month(), date.last_of_month(), Some(written))
}

/// The week or weekend so many weeks from the one that today is in.
fn week(unit: &str, steps: i64, today: Date) -> Option<DatedSpan> {
    let monday = plus(today, steps * 7 - i64::from(today.weekday().to_monday_zero_offset()))?;
    let from = if unit == "weekend" { plus(monday, 5)? } else { monday };
    let to = plus(monday, 6)?;
    Some((from, to, Some(format!("{from}/{to}"))))
}

/// The last, this or the next unit, weekday or month. The last Friday is the one before today, next Friday that of the
/// next week, this Friday that of this week.
fn relative(values: &PhraseValues, steps: i64, today: Date) -> Option<DatedSpan> {
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
fn on(values: &PhraseValues, today: Date, side: impl Fn() -> TenseSide) -> Option<DatedSpan> {
    if let (Some(weekday), None) = (values.weekday, values.month) {
        let today_is = i64::from(today.weekday().to_monday_one_offset());
        let ahead = (weekday - today_is - 1).rem_euclid(7) + 1;
        return match side() {
            TenseSide::Past => relative(values, -1, today),
            TenseSide::Future | TenseSide::Either => Some(one(plus(today, ahead)?)),
            TenseSide::Both => None,
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
    let far = |meaning: &DatedSpan| match today {
        _ if meaning.1 < today => (today - meaning.1).get_days(),
        _ if meaning.0 > today => (meaning.0 - today).get_days(),
        _ => 0,
    };
    let side = side();
    let fits = |meaning: &DatedSpan| match side {
        TenseSide::Past => meaning.0 <= today,
        TenseSide::Future => meaning.1 >= today,
        _ => true,
    };
    years.into_iter().filter_map(at).filter(fits).min_by_key(far)
}
