//! The day that an intention is for: one that is named, the day before it, the end of a month, the next morning.

use crate::temporal::{ToldTime, told_ahead};
use cairn_domain::{Day, MILLIS_PER_DAY, Time};
use regex::Regex;
use std::sync::LazyLock;

/// Before this hour the morning that is spoken of is the one of the same day.
const MORNING_HOUR: i64 = 5;
const MILLIS_PER_HOUR: i64 = MILLIS_PER_DAY / 24;
const DAYS_PER_WEEK: i64 = 7;

/// The end of a month that is named: "the last day of March", "Mart sonunda".
static END_OF_MONTH: LazyLock<Regex> = LazyLock::new(|| {
    let english = r"(?:the\s+)?(?:last day|end) of (\p{Lu}\p{L}+)";
    let turkish = r"(\p{Lu}\p{L}+?)(?:['’]?[ıiuü]n)?\s+son(?:u|una|unda)";
    Regex::new(&format!(r"\b(?:{english}|{turkish})\b")).expect("a pattern")
});
/// The weekday of the week after the next.
static AFTER_NEXT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:the )?(\p{L}+day|week) after next\b").expect("a pattern"));
/// Words of how long before a day: "a week before", "bir hafta önce".
static LONG_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let english = r"(\p{L}+|\d+)\s+(day|week)s?\s+before$";
    let turkish = r"^\s*(\p{L}+|\d+)\s+(gün|hafta)\s+önce";
    Regex::new(&format!("(?i)(?:{english})|(?:{turkish})")).expect("a pattern")
});
static MORNING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:(?:in the|every|each) morning|first thing|(?:her )?sabah(?:leyin)?)\b")
        .expect("a pattern")
});

/// The first day that is named and not over: the first of several days, the day before if it is to be done before that.
pub(super) fn due_day_of(sentence: &str, said_at: Time) -> Option<Day> {
    let today = said_at.day();
    if let Some(day) = end_of_month(sentence, said_at).or_else(|| day_after_next(sentence, said_at)) {
        return Some(day);
    }
    let due = |time: &ToldTime| {
        let day = if time.span.from >= today { time.span.from } else { time.span.to };
        if day < today {
            return None;
        }
        let start = sentence.find(time.words.as_str())?;
        let ending = |sign: char| sign.is_alphanumeric() || matches!(sign, '\'' | '’');
        let behind = sentence[start + time.words.len()..].trim_start_matches(ending);
        let days = days_before(sentence[..start].trim_end(), behind);
        let earlier = days.and_then(|days| plus_days(day, -days)).filter(|earlier| *earlier >= today);
        Some(earlier.unwrap_or(day))
    };
    told_ahead(sentence, said_at).iter().find_map(due)
}

/// The next morning, if one is spoken of that does not come again and again.
pub(super) fn next_morning(sentence: &str, said_at: Time) -> Option<Day> {
    let found = MORNING.find(sentence)?.as_str().to_lowercase();
    if found.starts_with("every") || found.starts_with("each") || found.starts_with("her ") {
        return None;
    }
    let hour = said_at.millis().rem_euclid(MILLIS_PER_DAY) / MILLIS_PER_HOUR;
    plus_days(said_at.day(), i64::from(hour >= MORNING_HOUR))
}

fn end_of_month(sentence: &str, said_at: Time) -> Option<Day> {
    let found = END_OF_MONTH.captures(sentence)?;
    let month = match (found.get(1), found.get(2)) {
        (Some(month), _) => format!("in {}", month.as_str()),
        (_, Some(month)) => format!("{} ayında", month.as_str()),
        (None, None) => return None,
    };
    let day = told_ahead(&month, said_at).first()?.span.to;
    (day >= said_at.day()).then_some(day)
}

fn day_after_next(sentence: &str, said_at: Time) -> Option<Day> {
    let next = format!("next {}", AFTER_NEXT.captures(sentence)?.get(1)?.as_str());
    plus_days(told_ahead(&next, said_at).first()?.span.from, DAYS_PER_WEEK)
}

/// How many days before a day something is to be told, by the words before and behind it; none if on that day.
fn days_before(before: &str, behind: &str) -> Option<i64> {
    let long = LONG_BEFORE.captures(before).or_else(|| LONG_BEFORE.captures(behind));
    if let Some(long) = long {
        let part = |english: usize| long.get(english).or_else(|| long.get(english + 2));
        let number = super::moment::number_of(part(1)?.as_str())?;
        let unit = part(2)?.as_str().to_lowercase();
        let days = if matches!(unit.as_str(), "week" | "hafta") { DAYS_PER_WEEK } else { 1 };
        return Some(number * days);
    }
    let earlier =
        before.to_lowercase().ends_with("before") || behind.trim_start().to_lowercase().starts_with("önce");
    earlier.then_some(1)
}

fn plus_days(day: Day, days: i64) -> Option<Day> {
    let noon: Time = format!("{day}T12:00:00Z").parse().ok()?;
    Some(Time::from_millis(noon.millis() + days * MILLIS_PER_DAY).day())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-261
    #[test]
    fn the_day_is_read_where_no_calendar_names_it() {
        let said: Time = "2027-03-10T10:00:00Z".parse().expect("a time");
        for (text, day) in [
            ("Remind me on the last day of March to file the receipts.", Some("2027-03-31")),
            ("Remind me at the end of February.", Some("2028-02-29")),
            ("Mart sonunda makbuzları hatırlat.", Some("2027-03-31")),
            ("Nisan'ın sonunda hatırlat.", Some("2027-04-30")),
            ("Remind me the Monday after next to call Ruth.", Some("2027-03-22")),
            ("Remind me the week after next.", Some("2027-03-22")),
            ("Remind me a week before 1 May to book the cabin.", Some("2027-04-24")),
            ("Remind me two days before 1 May.", Some("2027-04-29")),
            ("Remind me before Friday.", Some("2027-03-11")),
            ("1 Mayıs'tan bir hafta önce hatırlat.", Some("2027-04-24")),
            ("Remind me in a couple of days to check on the dough.", Some("2027-03-12")),
            ("Remind me tmrw about the vet.", Some("2027-03-11")),
            ("Remind me to water the plants.", None),
        ] {
            assert_eq!(due_day_of(text, said).map(|day| day.to_string()).as_deref(), day, "{text}");
        }
        for (text, day) in [
            ("Remind me in the morning to take the pills.", Some("2027-03-11")),
            ("Sabah bana ilacı hatırlat.", Some("2027-03-11")),
            ("Her sabah ilacı hatırlat.", None),
        ] {
            assert_eq!(next_morning(text, said).map(|day| day.to_string()).as_deref(), day, "{text}");
        }
        let night: Time = "2027-03-10T02:00:00Z".parse().expect("a time");
        assert_eq!(
            next_morning("Remind me in the morning.", night).map(|day| day.to_string()),
            Some("2027-03-10".to_owned())
        );
    }
}
