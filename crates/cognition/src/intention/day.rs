//! The day that an intention is for: one that is named, the day before it, the end of a month, its first Monday, the next
//! morning.

use crate::temporal::{ToldTime, told_ahead};
use cairn_domain::{Day, MILLIS_PER_DAY, Time};
use regex::{Captures, Regex};
use std::{borrow::Cow, sync::LazyLock};

/// Before this hour the morning that is spoken of is the one of the same day.
const MORNING_HOUR: i64 = 5;
const MILLIS_PER_HOUR: i64 = MILLIS_PER_DAY / 24;
const DAYS_PER_WEEK: i64 = 7;

/// Numbers of a weekday in its month, in their order.
const NUMBERS: [&[&str]; 4] = [
    &["first", "1st", "ilk"],
    &["second", "2nd", "ikinci"],
    &["third", "3rd", "üçüncü"],
    &["fourth", "4th", "dördüncü"],
];

/// The end of a month that is named: "the last day of March", "Mart sonunda".
static END_OF_MONTH: LazyLock<Regex> = LazyLock::new(|| {
    let english = r"(?:the\s+)?(?:last day|end) of (\p{Lu}\p{L}+)";
    let turkish = r"(\p{Lu}\p{L}+?)(?:['’]?[ıiuü]n)?\s+son(?:u|una|unda)";
    Regex::new(&format!(r"\b(?:{english}|{turkish})\b")).expect("a pattern")
});
/// The last day of a month that is not named.
static LAST_DAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\blast day of (the|this|next) month\b|\bmonth[- ]end\b|\b(?:(bu|gelecek|önümüzdeki) )?ay[ıi]n son g[üu]n")
        .expect("a pattern")
});
/// A weekday of a month by its number: "the first Monday in September", "eylülün ilk pazartesisi".
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    let english = r"(first|second|third|fourth|last|1st|2nd|3rd|4th)\s+(\p{L}+day)\s+(?:in|of)\s+((?:the|this|next)\s+month|\p{L}+)";
    let turkish =
        r"(\p{L}+?)(?:['’]?[ıiuü]n)\s+(ilk|ikinci|üçüncü|dördüncü|son)\s+(\p{L}+?)(?:s[ıi])?(?:n?[dt][ae])?";
    Regex::new(&format!(r"(?i)\b(?:{english}|{turkish})\b")).expect("a pattern")
});
/// A weekday of the week after, or today's in some weeks: "Thursday week", "a week on Thursday", "three weeks today".
static WEEK_ON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:(\p{L}+day) week|a week (?:on|from) (\p{L}+day)|(\p{L}+|\d+) weeks? today)\b")
        .expect("a pattern")
});
/// The end of the days of work.
static BEFORE_WEEKEND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bbefore the weekend\b|\bhafta ?sonu(?:ndan|na)? [öo]nce\b").expect("a pattern")
});
/// A day of a month told by a word.
static DAY_BY_WORD: LazyLock<Regex> = LazyLock::new(|| {
    let turkish = r"(?:ay[ıi]n )?(\d{1,2})['’]?(s?[ıiuü]nd[ea])";
    Regex::new(&format!(r"(?i)\b(?:({}) of|{turkish})\b", ORDINALS.join("|"))).expect("a pattern")
});
const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];
/// Words of a day before another, wherever that is told: "the night before", "bir gün önceden".
static EARLIER: LazyLock<Regex> = LazyLock::new(|| {
    let english = r"\b(?:(the|an?|\p{L}+|\d+)\s+(?:(weeks?)|(hours?|minutes?|mins?)|days?|nights?|evenings?)\s+(?:before(?:hand)?|earlier|ahead|in advance))\b";
    let turkish = r"\b(?:(\p{L}+|\d+)\s+(?:(hafta)|(saat|dakika)|g[üu]n|gece|akşam)\s+(?:[öo]nce(?:den|sinden)?|kala)|([öo]nceki (?:g[üu]n|gece|akşam)))";
    Regex::new(&format!("(?i)(?:{english}|{turkish})")).expect("a pattern")
});
/// Words that lean on a day that was told before.
static THAT_DAY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:(?:that|the same) (?:day|morning|evening|night)|(?:o|aynı) (?:gün|akşam|sabah))\b")
        .expect("a pattern")
});
/// A week after the weekday that comes next: "the Sunday after next", "öbür pazar".
static AFTER_NEXT: LazyLock<Regex> = LazyLock::new(|| {
    let turkish = r"öbür\s+(?:hafta\s+)?(pazar(?:tesi)?|salı|çarşamba|perşembe|cuma(?:rtesi)?)";
    Regex::new(&format!(r"(?i)\b(?:(?:(?:the )?(\p{{L}}+day|week) after next)|{turkish})\b"))
        .expect("a pattern")
});
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
    let sentence = &*with_days(sentence);
    let reckoned = [end_of_month, last_day, numbered, day_after_next, week_on, before_weekend];
    if let Some(day) = reckoned.iter().find_map(|read| read(sentence, said_at)) {
        return Some(day);
    }
    let is_past = EARLIER.find(sentence).is_some_and(|it| it.as_str().contains("yesterday"));
    let ahead = EARLIER.captures(sentence).filter(|_| !is_past).and_then(|found| days_earlier(&found));
    let due = |time: &ToldTime| {
        let day = if time.span.from >= today { time.span.from } else { time.span.to };
        if day < today {
            return None;
        }
        let start = sentence.find(time.words.as_str())?;
        let ending = |sign: char| sign.is_alphanumeric() || matches!(sign, '\'' | '’');
        let behind = sentence[start + time.words.len()..].trim_start_matches(ending);
        let days = days_before(sentence[..start].trim_end(), behind);
        let days = days.or(ahead);
        let earlier = days.and_then(|days| plus_days(day, -days)).filter(|earlier| *earlier >= today);
        Some(earlier.unwrap_or(day))
    };
    told_ahead(sentence, said_at).iter().find_map(due)
}

/// Whether a sentence says when by a day that was told before it: "the night before", "that day".
pub(super) fn leans_on_a_day(sentence: &str) -> bool {
    EARLIER.is_match(sentence) || THAT_DAY.is_match(sentence)
}

/// Whether a sentence ends with "then": on the day that was told before it.
pub(super) fn ends_with_then(sentence: &str) -> bool {
    let words = sentence.trim_end_matches(|sign: char| !sign.is_alphanumeric());
    words.rsplit(char::is_whitespace).next().is_some_and(|word| word.eq_ignore_ascii_case("then"))
}

/// "The first of June" as "the 1st of June", "27'sinde" as "ayın 27'sinde".
fn with_days(sentence: &str) -> Cow<'_, str> {
    DAY_BY_WORD.replace_all(sentence, |found: &Captures<'_>| {
        if let (Some(day), Some(ending)) = (found.get(2), found.get(3)) {
            return format!("ayın {}'{}", day.as_str(), ending.as_str());
        }
        let word = found[1].to_lowercase();
        let day = ORDINALS.iter().position(|it| *it == word).map_or(1, |at| at + 1);
        let ending = ["st", "nd", "rd"].get(day - 1).unwrap_or(&"th");
        format!("{day}{ending} of")
    })
}

fn last_day(sentence: &str, said_at: Time) -> Option<Day> {
    let found = LAST_DAY.captures(sentence)?;
    let month = found.get(1).or_else(|| found.get(2)).map(|it| it.as_str().to_lowercase());
    let of = match month.as_deref() {
        Some("next" | "gelecek" | "önümüzdeki") => "the end of next month",
        _ => "the end of the month",
    };
    Some(told_ahead(of, said_at).first()?.span.to)
}

fn numbered(sentence: &str, said_at: Time) -> Option<Day> {
    let found = NUMBERED.captures(sentence)?;
    let part = |place: usize| found.get(place).map(|it| it.as_str().to_lowercase());
    let (number, weekday, month) = match part(1) {
        Some(number) => (number, format!("on {}", part(2)?), part(3)?),
        None => (part(5)?, format!("{} günü", part(6)?), format!("{} ayında", part(4)?)),
    };
    let month = match month.as_str() {
        "ay ayında" => "bu ay".to_owned(),
        month if month.ends_with("ayında") => month.to_owned(),
        month if month.ends_with("month") => month.replacen("the", "this", 1),
        // "March" is a month only with its capital.
        month => format!("in {}", capital(month)?),
    };
    let some = told_ahead(&weekday, said_at).first()?.span.from;
    let span = told_ahead(&month, said_at).first()?.span;
    let last = matches!(number.as_str(), "last" | "son");
    let place = NUMBERS.iter().position(|words| words.contains(&number.as_str()));
    let from = if last { plus_days(span.to, 1 - DAYS_PER_WEEK)? } else { span.from };
    let to_weekday = (days_between(from, some)?).rem_euclid(DAYS_PER_WEEK);
    let weeks = if last { 0 } else { place? as i64 };
    plus_days(from, to_weekday + weeks * DAYS_PER_WEEK).filter(|day| *day >= said_at.day())
}

fn capital(word: &str) -> Option<String> {
    let first = word.chars().next()?;
    Some(first.to_uppercase().chain(word[first.len_utf8()..].chars()).collect())
}

fn week_on(sentence: &str, said_at: Time) -> Option<Day> {
    let found = WEEK_ON.captures(sentence)?;
    if let Some(number) = found.get(3) {
        let weeks = super::moment::number_of(&number.as_str().to_lowercase())?;
        return plus_days(said_at.day(), weeks * DAYS_PER_WEEK);
    }
    let weekday = found.get(1).or_else(|| found.get(2))?.as_str();
    plus_days(told_ahead(&format!("on {weekday}"), said_at).first()?.span.from, DAYS_PER_WEEK)
}

fn before_weekend(sentence: &str, said_at: Time) -> Option<Day> {
    BEFORE_WEEKEND.find(sentence)?;
    let friday = plus_days(told_ahead("this weekend", said_at).first()?.span.from, -1)?;
    Some(friday.max(said_at.day()))
}

/// How many days earlier than the day that is told something is wanted.
fn days_earlier(found: &Captures<'_>) -> Option<i64> {
    let either = |english: usize| found.get(english).or_else(|| found.get(english + 3));
    if either(3).is_some() {
        return Some(0);
    }
    let number = either(1).map(|it| it.as_str().to_lowercase());
    let number = match number.as_deref() {
        None | Some("the") => 1,
        Some(word) => super::moment::number_of(word)?,
    };
    Some(if either(2).is_some() { number * DAYS_PER_WEEK } else { number })
}

fn days_between(from: Day, to: Day) -> Option<i64> {
    let noon = |day: Day| format!("{day}T12:00:00Z").parse::<Time>().ok();
    Some((noon(to)?.millis() - noon(from)?.millis()) / MILLIS_PER_DAY)
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
    let found = AFTER_NEXT.captures(sentence)?;
    let next = match (found.get(1), found.get(2)) {
        (Some(week), _) if week.as_str().eq_ignore_ascii_case("week") => "next week".to_owned(),
        (Some(weekday), _) => format!("on {}", weekday.as_str()),
        (None, weekday) => format!("{} günü", weekday?.as_str()),
    };
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
            ("raise it again the first monday in april", Some("2027-04-05")),
            ("Remind me on the last Friday of March.", Some("2027-03-26")),
            ("Nisanın ilk pazartesisi hatırlat.", Some("2027-04-05")),
            ("Remind me on the last day of the month.", Some("2027-03-31")),
            ("Ayın son günü hatırlat.", Some("2027-03-31")),
            ("The exam is on 20 March, remind me the night before.", Some("2027-03-19")),
            ("Sınav 20 Mart'ta, bir gün önceden hatırlat.", Some("2027-03-19")),
            ("Remind me thursday week about the vet.", Some("2027-03-18")),
            ("27'sinde sana hatırlatırım.", Some("2027-03-27")),
            ("Remind me before the weekend.", Some("2027-03-12")),
            ("Remind me on the first of June.", Some("2027-06-01")),
            ("Remind me the Sunday after next.", Some("2027-03-21")),
            ("Öbür pazar hatırlat.", Some("2027-03-21")),
            ("Remind me three weeks today.", Some("2027-03-31")),
            ("Remind me a week from Monday.", Some("2027-03-22")),
            ("Remind me on New Year's Eve to call her.", Some("2027-12-31")),
            ("Remind me on Valentine's Day.", Some("2028-02-14")),
            ("Yarından sonraki gün bana hatırlat.", Some("2027-03-12")),
            ("Yılbaşı gecesi bana hatırlat.", Some("2027-12-31")),
            ("Düğün 24 Mart'ta, bir hafta kala hatırlat.", Some("2027-03-17")),
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
