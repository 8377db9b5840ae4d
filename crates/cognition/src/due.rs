//! Due days: the day that a promise or an appointment is for. English and Turkish times are read as everywhere; of German and
//! Spanish, which have no lists of their own, dates with the name of a month.

use crate::temporal::told;
use cairn_domain::{Day, Time};
use regex::Regex;
use std::sync::LazyLock;

/// The months of a language, and how a date stands in it.
struct MonthNames {
    date: Regex,
    months: Vec<Vec<&'static str>>,
}

static MONTH_NAMES: LazyLock<Vec<MonthNames>> = LazyLock::new(|| {
    let text = include_str!("../lexicon/month_names.txt");
    let sections = text.split("\n[").skip(1);
    sections
        .map(|section| {
            let (header, months) = section.split_once("]\n").expect("a header and its months");
            let (_, shape) = header.split_once(": ").expect("a language and the shape of a date");
            let months: Vec<Vec<&str>> = months.lines().map(|line| line.split(", ").collect()).collect();
            let names = months.concat().join("|");
            let shape = shape
                .replace("DAY", r"(?<day>\d{1,2})")
                .replace("MONTH", &format!("(?<month>{names})"))
                .replace("YEAR", r"(?<year>\d{4})");
            let date = Regex::new(&format!(r"(?i)\b{shape}\b")).expect("a pattern");
            MonthNames { date, months }
        })
        .collect()
});

/// The first day that a text names and that is not over when it is said.
pub fn due_day(text: &str, said_at: Time) -> Option<Day> {
    let today = said_at.day();
    let named = told(text, said_at).into_iter().map(|time| time.span.to);
    named.filter(|day| *day >= today).chain(due_day_elsewhere(text, said_at)).min()
}

/// The same, as far as it is a date of a language that has no lists of its own.
pub fn due_day_elsewhere(text: &str, said_at: Time) -> Option<Day> {
    let today = said_at.day();
    MONTH_NAMES.iter().flat_map(|language| language.days(text, today)).filter(|day| *day >= today).min()
}

impl MonthNames {
    /// The days of its dates; without a year it is the next such day.
    fn days(&self, text: &str, today: Day) -> Vec<Day> {
        let day = |found: regex::Captures<'_>| {
            let name = found.name("month")?.as_str().to_lowercase();
            let month = self.months.iter().position(|names| names.contains(&name.as_str()))? as i64 + 1;
            let day_of_month: i64 = found.name("day")?.as_str().parse().ok()?;
            let of_year = |year: i64| Day::from_number(year * 10_000 + month * 100 + day_of_month);
            let this_year = today.number() / 10_000;
            match found.name("year") {
                Some(year) => of_year(year.as_str().parse().ok()?),
                None => of_year(this_year).filter(|day| *day >= today).or_else(|| of_year(this_year + 1)),
            }
        };
        self.date.captures_iter(text).filter_map(day).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: W-27
    #[test]
    fn the_day_of_a_promise_is_read_in_four_languages() {
        let said: Time = "2026-11-14T10:00:00Z".parse().expect("a time");
        for (text, due) in [
            ("I'll send the draft by 20 November.", Some("2026-11-20")),
            ("I will send it by November 20.", Some("2026-11-20")),
            ("Ich schicke den Entwurf bis 20. November.", Some("2026-11-20")),
            ("Spätestens am 3. März 2027 ist es fertig.", Some("2027-03-03")),
            ("Lo mando para el 20 de noviembre.", Some("2026-11-20")),
            ("Antes del 5 de enero de 2027 lo tienes.", Some("2027-01-05")),
            ("Taslağı 20 Kasım'a kadar gönderirim.", Some("2026-11-20")),
            ("Bis 3. Januar habe ich Zeit.", Some("2027-01-03")),
            ("I'll call her tomorrow.", Some("2026-11-15")),
            ("I'll call her.", None),
            ("On 3 May 2024 we signed.", None),
            ("Am 40. Mai vielleicht.", None),
        ] {
            assert_eq!(due_day(text, said), due.map(|day| day.parse().expect("a day")), "{text}");
        }
    }
}
