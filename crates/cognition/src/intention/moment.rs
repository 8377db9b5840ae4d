//! Moments: a time of day that is named ("at 5 pm", "saat 17'de"), and a length of time from now ("in half an hour", "üç saat
//! sonra").

use cairn_domain::{Day, MILLIS_PER_DAY, MILLIS_PER_MINUTE, Time};
use regex::{Captures, Regex};
use std::sync::LazyLock;

const MINUTES_PER_DAY: u32 = 1_440;
const NOON_MINUTE: u32 = 720;

/// A time of day behind the words that announce one.
static TIME_OF_DAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:at|(saat))\s+(\d{1,2})(?:[:.](\d{2}))?(?:\s*(am|pm))?\b(\s*$|\s*[,.;!?]|\s+(?:to|that|about|for)\b)?")
        .expect("a pattern")
});
/// A length of time from now.
static FROM_NOW: LazyLock<Regex> = LazyLock::new(|| {
    let english = r"\b(?:in|after|timer for|alarm for)\s+(?:about\s+|around\s+)?(?:(half)\s+an?\s+hour|(?:a\s+)?([\p{L}\d]+)(?:\s+of)?\s+(?:(hours?|hrs?)|minutes?|mins?))\b";
    let turkish = r"\b(?:(yarım)|([\p{L}\d]+))\s+(?:(saat)|(?:dakika|dk))(?:e|ye|ya|lik)?\s*(?:sonra|içinde)";
    Regex::new(&format!("(?i)(?:{english}|{turkish})")).expect("a pattern")
});
/// Numbers as words, in the order of their values, from one on.
const NUMBER_WORDS: [&[&str]; 12] = [
    &["a", "an", "one", "bir"],
    &["two", "couple", "iki"],
    &["three", "few", "üç", "birkaç"],
    &["four", "dört"],
    &["five", "beş"],
    &["six", "altı"],
    &["seven", "yedi"],
    &["eight", "sekiz"],
    &["nine", "dokuz"],
    &["ten", "on"],
    &["eleven"],
    &["twelve"],
];

/// The minute of a day that some words name, counted from midnight.
pub(super) fn minute_of(sentence: &str) -> Option<u32> {
    minute(&TIME_OF_DAY.captures(sentence)?)
}

/// The day and the minute that a sentence without a day names: a length of time from now, or the next time that a clock shows what
/// is said; "at 5" is in the morning or in the afternoon.
pub(super) fn moment_of(sentence: &str, said_at: Time) -> Option<(Day, u32)> {
    if let Some(minutes) = FROM_NOW.captures(sentence).and_then(|found| minutes_from_now(&found)) {
        let then = Time::from_millis(said_at.millis() + minutes * MILLIS_PER_MINUTE);
        return Some((then.day(), minute_at(then)));
    }
    let is_told = |found: &Captures<'_>| [1, 3, 4, 5].iter().any(|part| found.get(*part).is_some());
    let found = TIME_OF_DAY.captures_iter(sentence).find(is_told)?;
    let named = minute(&found)?;
    let either = found.get(4).is_none() && (1..NOON_MINUTE).contains(&named);
    let now = minute_at(said_at);
    let today = [Some(named), either.then_some(named + NOON_MINUTE)].into_iter().flatten();
    match today.into_iter().find(|minute| *minute > now) {
        Some(minute) => Some((said_at.day(), minute)),
        None => Some((Time::from_millis(said_at.millis() + MILLIS_PER_DAY).day(), named)),
    }
}

fn minute_at(time: Time) -> u32 {
    (time.millis().rem_euclid(MILLIS_PER_DAY) / MILLIS_PER_MINUTE) as u32
}

fn minute(found: &Captures<'_>) -> Option<u32> {
    let hour: u32 = found[2].parse().ok()?;
    let minute: u32 = found.get(3).map_or(Some(0), |minute| minute.as_str().parse().ok())?;
    let hour = match found.get(4).map(|half| half.as_str().to_lowercase()) {
        Some(half) if half == "pm" && hour < 12 => hour + 12,
        Some(half) if half == "am" && hour == 12 => 0,
        _ => hour,
    };
    Some(hour * 60 + minute).filter(|all| minute < 60 && *all < MINUTES_PER_DAY)
}

fn minutes_from_now(found: &Captures<'_>) -> Option<i64> {
    let part = |english: usize| found.get(english).or_else(|| found.get(english + 3));
    let Some(number) = part(2) else { return part(1).map(|_| 30) };
    let number = number_of(number.as_str())?;
    let minutes = if part(3).is_some() { number * 60 } else { number };
    (1..=7 * i64::from(MINUTES_PER_DAY)).contains(&minutes).then_some(minutes)
}

/// A small number in digits or as a word.
pub(super) fn number_of(written: &str) -> Option<i64> {
    let written = written.to_lowercase();
    let word = NUMBER_WORDS.iter().position(|words| words.contains(&written.as_str()));
    word.map_or_else(|| written.parse().ok(), |at| Some(at as i64 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: C-261
    #[test]
    fn the_minute_of_a_day_is_read() {
        for (text, minute) in
            [("at 9", Some(540)), ("at 3:30 pm", Some(930)), ("saat 15.45", Some(945)), ("at 99", None)]
        {
            assert_eq!(minute_of(text), minute, "{text}");
        }
    }

    /// covers: C-261
    #[test]
    fn a_moment_without_a_day_is_the_next_one() {
        let (today, tomorrow) = ("2026-11-18", "2026-11-19");
        for (text, moment) in [
            ("Remind me in half an hour to stretch.", Some((today, 810))),
            ("Remind me in 3 hours to check the oven.", Some((today, 960))),
            ("I'll ask in a couple of hours.", Some((today, 900))),
            ("Birkaç saat sonra sorarım.", Some((today, 960))),
            ("Remind me in twelve hours.", Some((tomorrow, 60))),
            ("Yarım saat sonra hatırlat.", Some((today, 810))),
            ("Yirmi dakika sonra hatırlat.", None),
            ("20 dakika sonra hatırlat.", Some((today, 800))),
            ("Remind me at 5 to call Deniz.", Some((today, 1_020))),
            ("Remind me at 9 am to call Deniz.", Some((tomorrow, 540))),
            ("Saat 17'de hatırlat.", Some((today, 1_020))),
            ("Remind me to look at 3 files.", None),
            ("Remind me in a quiet hour.", None),
        ] {
            let found = moment_of(text, "2026-11-18T13:00:00Z".parse().expect("a time"));
            let found = found.map(|(day, minute)| (day.to_string(), minute));
            assert_eq!(found, moment.map(|(day, minute)| (day.to_owned(), minute)), "{text}");
        }
    }
}
