//! The days that a phrase of time means, seen from the day it was said on. An ambiguous phrase means none.

use crate::lexicon::{AskedDatesClass, DatesClass};
use jiff::{
    Span,
    civil::{Date, Weekday},
};

/// Of two days that a date without a year may mean, the nearer is meant if the other is this many times as far …
const CLEARLY_NEARER: i32 = 2;
/// … and it is at most this many days away …
const MAX_NEAR_DAYS: i32 = 150;
/// … or fewer if it is past: who tells of a day without a word of time mostly means one to come.
const MAX_NEAR_PAST_DAYS: i32 = 60;
/// "Nine boxes, collected on 12 December": a date that was longer ago than this, as days, may be one to come.
const MAX_PAST_DAYS: i32 = 270;
/// A day of a month told by its number alone is at most this many days ahead, unless the sentence tells which.
const MAX_DAY_AHEAD: i32 = 14;

/// The meaning of a phrase, before the day it was said on is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhraseMeaning {
    Said(DatesClass),
    Asked(AskedDatesClass),
    /// So many units from today: `day-1`.
    Step(&'static str),
    /// A day of the month so many months from this one, or of the nearest if the sentence tells which.
    MonthDay(&'static str),
    /// The last day of the month so many months from this one.
    MonthEnd(&'static str),
    /// A weekday of the week so many weeks from this one.
    WeekDay(i64),
}

/// The values that a phrase found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PhraseValues {
    pub number: i64,
    /// The number is only about so many.
    pub vague: bool,
    pub unit: Option<&'static str>,
    pub weekday: Option<i64>,
    pub month: Option<i8>,
    pub day: Option<i8>,
    /// The day is said as an ordinal.
    pub ordinal: bool,
    pub year: Option<i16>,
    /// The year that words beside the phrase tell: "last year".
    pub told_year: Option<i16>,
}

/// On which side of the day a sentence speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TenseSide {
    Past,
    /// Something was, which may have been said of the time to come: "the deadline was Friday".
    WasPast,
    Future,
    /// Nothing tells.
    Either,
    /// It speaks of both, or of something that was arranged or said.
    Unsure,
}

/// Where a phrase stands: the day it was said on, and what its sentence tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhraseSetting {
    pub today: Date,
    pub side: TenseSide,
    /// It stands in a question: a date that may be one of two is the nearer.
    pub asked: bool,
    /// It is meant for later: a number of months is counted to the day.
    pub ahead: bool,
    /// The day of a month that was told just before: "on 1 November, and on the 15th".
    pub told_before: Option<Date>,
}

/// The first day, the last, and how the date is written.
type DatedSpan = (Date, Date, Option<String>);

pub(super) fn meaning(
    meaning: PhraseMeaning,
    values: &PhraseValues,
    setting: PhraseSetting,
) -> Option<DatedSpan> {
    let today = setting.today;
    let past = matches!(setting.side, TenseSide::Past | TenseSide::WasPast | TenseSide::Unsure);
    match meaning {
        PhraseMeaning::Said(DatesClass::Ago) => step(values.unit?, -values.number, today),
        // "It was done in two days" tells how long it took.
        PhraseMeaning::Said(DatesClass::Ahead | DatesClass::Beyond) if past && !setting.asked => None,
        PhraseMeaning::Said(DatesClass::Ahead) if setting.ahead => to_the_day(values, today),
        PhraseMeaning::Said(DatesClass::Ahead) => step(values.unit?, values.number, today),
        PhraseMeaning::Said(DatesClass::Beyond) => {
            let (weekday, ..) = coming(values, setting)?;
            step(values.unit?, values.number, weekday)
        }
        PhraseMeaning::Said(DatesClass::Within) => {
            let (_, to, _) = step(values.unit?, values.number, today)?;
            Some((today, to, None))
        }
        PhraseMeaning::Said(DatesClass::On | DatesClass::Feast)
        | PhraseMeaning::Asked(AskedDatesClass::On) => on(values, setting),
        PhraseMeaning::Said(DatesClass::Last) => relative(values, -1, setting),
        PhraseMeaning::Said(DatesClass::Next) => relative(values, 1, setting),
        PhraseMeaning::Said(DatesClass::This) => relative(values, 0, setting),
        PhraseMeaning::Said(DatesClass::Coming) => coming(values, setting),
        PhraseMeaning::Said(DatesClass::NextOrComing) => {
            let (next, coming) = (relative(values, 1, setting)?, coming(values, setting)?);
            (next == coming || setting.asked || setting.ahead).then_some(next)
        }
        PhraseMeaning::Asked(AskedDatesClass::Year) => {
            Some((Date::new(values.year?, 1, 1).ok()?, Date::new(values.year?, 12, 31).ok()?, None))
        }
        PhraseMeaning::Asked(AskedDatesClass::Rolling) => rolling(values.unit?, values.number.max(1), today),
        PhraseMeaning::WeekDay(steps) => {
            let (monday, ..) = week("week", steps, today)?;
            Some(one(plus(monday, values.weekday? - 1)?))
        }
        PhraseMeaning::MonthDay(of) => month_day(values.day?, of, values.weekday, setting),
        PhraseMeaning::MonthEnd(of) => {
            let steps: i64 = of.parse().ok()?;
            let (_, last, _) = step("month", steps, today)?;
            (steps != 0 || !past).then(|| one(last))
        }
        PhraseMeaning::Said(
            DatesClass::Step | DatesClass::MonthDay | DatesClass::MonthEnd | DatesClass::Part,
        ) => None,
        PhraseMeaning::Step(step_from_today) => stepped(step_from_today, setting),
    }
}

fn stepped(step_from_today: &str, setting: PhraseSetting) -> Option<DatedSpan> {
    let (unit, steps) = step_from_today.split_at(step_from_today.find(['+', '-', '~'])?);
    match (unit, steps.parse::<i64>()) {
        ("weekend", Ok(0)) => this_weekend(setting, TenseSide::Future),
        ("weekend", Err(_)) => this_weekend(setting, setting.side),
        ("week" | "weekend", Ok(steps)) => week(unit, steps, setting.today),
        (_, steps) => step(unit, steps.ok()?, setting.today),
    }
}

/// The weekend of this week, or the one just over if the sentence tells of it. `untold`: on which side one is that the
/// sentence says nothing of.
fn this_weekend(setting: PhraseSetting, untold: TenseSide) -> Option<DatedSpan> {
    let weekday = setting.today.weekday().to_monday_one_offset();
    let is_past = matches!(setting.side, TenseSide::Past | TenseSide::WasPast);
    match weekday {
        _ if setting.asked => week("weekend", 0, setting.today),
        1..=3 if is_past => week("weekend", -1, setting.today),
        4..=5 if is_past => None,
        6.. if is_past && untold == setting.side => None,
        _ if matches!(untold, TenseSide::Either | TenseSide::Unsure) => None,
        _ => week("weekend", 0, setting.today),
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
    match unit.trim_end_matches('s') {
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

/// The day so many units from today; at the end of a month the last day that it has.
fn to_the_day(values: &PhraseValues, today: Date) -> Option<DatedSpan> {
    let span = match values.unit?.trim_end_matches('s') {
        "month" => Span::new().try_months(values.number),
        "year" => Span::new().try_years(values.number),
        unit => return step(unit, values.number, today),
    };
    today.checked_add(span.ok()?).ok().map(one)
}

/// The time up to today that began so many units ago.
fn rolling(unit: &str, units: i64, today: Date) -> Option<DatedSpan> {
    let back = match unit.trim_end_matches('s') {
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

/// The first such weekday after today.
fn coming_weekday(weekday: i64, today: Date) -> Option<Date> {
    let today_is = i64::from(today.weekday().to_monday_one_offset());
    plus(today, (weekday - today_is - 1).rem_euclid(7) + 1)
}

/// The last such weekday before today.
fn last_weekday(weekday: i64, today: Date) -> Option<Date> {
    let today_is = i64::from(today.weekday().to_monday_one_offset());
    plus(today, -((today_is - weekday + 6).rem_euclid(7) + 1))
}

/// The unit, weekday or month that comes next.
fn coming(values: &PhraseValues, setting: PhraseSetting) -> Option<DatedSpan> {
    match values.weekday {
        Some(weekday) => coming_weekday(weekday, setting.today).map(one),
        None => relative(values, 1, setting),
    }
}

/// The last, this or the next unit, weekday or month. The last Friday is the one before today, next Friday that of the
/// next week, this Friday that of this week, if it is not over.
fn relative(values: &PhraseValues, steps: i64, setting: PhraseSetting) -> Option<DatedSpan> {
    let today = setting.today;
    if let Some(unit) = values.unit {
        return match unit {
            // On its last day a week that is still to come may be the next.
            "week" if steps == 0 && today.weekday() == Weekday::Sunday && setting.side != TenseSide::Past => {
                None
            }
            "week" => week(unit, steps, today),
            "month" | "year" => step(unit, steps, today),
            // "The last day", "the next years".
            _ => None,
        };
    }
    if let Some(weekday) = values.weekday {
        let this = plus(today, steps * 7 + weekday - i64::from(today.weekday().to_monday_one_offset()))?;
        return match (steps, setting.side) {
            (-1, _) => last_weekday(weekday, today).map(one),
            (0, TenseSide::Past | TenseSide::WasPast) if this > today => None,
            (0, TenseSide::Future) if this < today => coming_weekday(weekday, today).map(one),
            (0, TenseSide::Either | TenseSide::Unsure) if this < today && !setting.asked => None,
            _ => Some(one(this)),
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

/// A weekday, a day of a month or a month without more: on the side that the sentence speaks of. Without one a weekday
/// is the next, and a date the nearest if it is much nearer than the other.
fn on(values: &PhraseValues, setting: PhraseSetting) -> Option<DatedSpan> {
    let today = setting.today;
    if let (Some(weekday), None) = (values.weekday, values.month) {
        return match setting.side {
            TenseSide::Past | TenseSide::WasPast => last_weekday(weekday, today).map(one),
            TenseSide::Future | TenseSide::Either => coming_weekday(weekday, today).map(one),
            TenseSide::Unsure => None,
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
    if let Some(year) = values.told_year {
        return at(year).filter(|date| is_on(date, values.weekday));
    }
    let mut years: Vec<DatedSpan> = (-1..=1).filter_map(|step| at(today.year() + step)).collect();
    if setting.side != TenseSide::Past && setting.side != TenseSide::Future {
        // Where the tense does not tell, the weekday may.
        years.retain(|date| is_on(date, values.weekday));
    }
    side_or_nearest(&years, setting).filter(|date| is_on(date, values.weekday))
}

/// Whether a day is on a weekday, if one is said.
fn is_on(date: &DatedSpan, weekday: Option<i64>) -> bool {
    weekday.is_none_or(|weekday| i64::from(date.0.weekday().to_monday_one_offset()) == weekday)
}

/// Of days in their order the one that is meant: the last or the next if the sentence tells, else the nearest if it
/// clearly is.
fn side_or_nearest(days: &[DatedSpan], setting: PhraseSetting) -> Option<DatedSpan> {
    let today = setting.today;
    let far = |meaning: &DatedSpan| match today {
        _ if meaning.1 < today => (today - meaning.1).get_days(),
        _ if meaning.0 > today => (meaning.0 - today).get_days(),
        _ => 0,
    };
    let last = days.iter().filter(|date| date.0 <= today).max_by_key(|date| date.0);
    let next = days.iter().filter(|date| date.1 >= today).min_by_key(|date| date.0);
    let found = match setting.side {
        TenseSide::Past | TenseSide::WasPast => {
            last.filter(|date| setting.asked || date.0 < date.1 || far(date) <= MAX_PAST_DAYS)
        }
        TenseSide::Future => next,
        TenseSide::Either | TenseSide::Unsure => match (last, next) {
            (Some(last), Some(next)) => {
                let (near, other) = if far(last) < far(next) { (last, next) } else { (next, last) };
                let most = if near == last && near != next { MAX_NEAR_PAST_DAYS } else { MAX_NEAR_DAYS };
                let clear = far(near) <= most && far(near) * CLEARLY_NEARER <= far(other);
                (clear || setting.asked || near == other).then_some(near)
            }
            (one, other) => one.or(other).filter(|date| far(date) <= MAX_NEAR_DAYS || setting.asked),
        },
    };
    found.cloned()
}

/// A day of a month that is told by its number alone.
fn month_day(day: i8, of: &str, weekday: Option<i64>, setting: PhraseSetting) -> Option<DatedSpan> {
    let at = |steps: i64| {
        let (first, ..) = step("month", steps, setting.today)?;
        Date::new(first.year(), first.month(), day).ok().map(one)
    };
    if let Ok(steps) = of.parse::<i64>() {
        return at(steps).filter(|date| is_on(date, weekday));
    }
    if let Some(before) = setting.told_before.filter(|before| day > before.day()) {
        let same_month = Date::new(before.year(), before.month(), day).ok().map(one);
        if let Some(date) = same_month.filter(|date| is_on(date, weekday)) {
            return Some(date);
        }
    }
    let is_told = matches!(setting.side, TenseSide::Past | TenseSide::WasPast | TenseSide::Future);
    if of == "this" && setting.side == TenseSide::Either {
        // "Ayın 24'ü": that of this month, unless it is over.
        return at(0).filter(|date| date.0 >= setting.today && is_on(date, weekday));
    }
    if of == "told" && !is_told {
        return None;
    }
    let mut months: Vec<DatedSpan> = (-1..=1).filter_map(at).collect();
    if !is_told {
        let ahead = |date: &DatedSpan| (date.0 - setting.today).get_days();
        months.retain(|date| is_on(date, weekday));
        if months.iter().all(|date| !(0..=MAX_DAY_AHEAD).contains(&ahead(date))) && weekday.is_none() {
            return None;
        }
    }
    side_or_nearest(&months, setting).filter(|date| is_on(date, weekday))
}
