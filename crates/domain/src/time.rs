//! Moments and days. Cairn keeps milliseconds since 1970 in UTC; people read and write RFC 3339.

use crate::Invalid;
use jiff::{Timestamp, civil, tz::TimeZone};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(!try_from, !into, with = "String", description = "RFC 3339: 2026-11-15T10:00:00Z")]
pub struct Time(i64);

/// Milliseconds in a minute.
pub const MILLIS_PER_MINUTE: i64 = 60_000;
/// Milliseconds in an hour.
pub const MILLIS_PER_HOUR: i64 = 60 * MILLIS_PER_MINUTE;
/// Milliseconds in a day of 24 hours.
pub const MILLIS_PER_DAY: i64 = 24 * MILLIS_PER_HOUR;

/// The first moment of the year 1 and the last that can be written in every time zone, a day before the year 10000.
const FIRST_MS: i64 = -62_135_596_800_000;
const LAST_MS: i64 = 253_402_207_199_999;

impl Time {
    /// The moment `ms` milliseconds after 1970, held inside the years 1 to 9999.
    pub fn from_millis(ms: i64) -> Self {
        Self(ms.clamp(FIRST_MS, LAST_MS))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Days from this moment to a later one; 0 if it is no later one.
    pub fn days_until(self, later: Self) -> f64 {
        ((later.0 - self.0) as f64 / MILLIS_PER_DAY as f64).max(0.0)
    }

    /// The day in UTC.
    pub fn day(self) -> Day {
        let date = self.timestamp().to_zoned(TimeZone::UTC).date();
        Day(date)
    }

    /// `2026-11-15 10:00`, for people, in UTC.
    pub fn minute(self) -> String {
        self.timestamp().to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M").to_string()
    }

    fn timestamp(self) -> Timestamp {
        Timestamp::from_millisecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

impl FromStr for Time {
    type Err = Invalid;

    /// RFC 3339 with an offset, a date with a time (read as UTC), or a bare date (its first moment, UTC).
    fn from_str(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        let civil = |at: civil::DateTime| at.to_zoned(TimeZone::UTC).ok().map(|z| z.timestamp());
        let parsed = text
            .parse::<Timestamp>()
            .ok()
            .or_else(|| text.parse::<civil::DateTime>().ok().and_then(civil))
            .or_else(|| {
                text.parse::<civil::Date>().ok().and_then(|d| civil(d.to_datetime(civil::Time::midnight())))
            });
        match parsed.map(Timestamp::as_millisecond) {
            Some(ms) if (FIRST_MS..=LAST_MS).contains(&ms) => Ok(Self(ms)),
            _ => Err(Invalid::new(
                format!("`{}` is not a time", text.chars().take(60).collect::<String>().escape_debug()),
                "write it as 2026-11-15T10:00:00Z (years 0001 to 9999); a bare date means midnight UTC",
            )),
        }
    }
}

impl TryFrom<String> for Time {
    type Error = Invalid;
    fn try_from(text: String) -> Result<Self, Invalid> {
        text.parse()
    }
}

impl From<Time> for String {
    fn from(time: Time) -> Self {
        time.to_string()
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timestamp().fmt(f)
    }
}

/// A calendar day in UTC: the name of an archive file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(civil::Date);

impl Day {
    /// 20261115 for 2026-11-15: sorts and stores as a number.
    pub fn number(self) -> i64 {
        i64::from(self.0.year()) * 10_000 + i64::from(self.0.month()) * 100 + i64::from(self.0.day())
    }

    /// Days on the calendar from this day to another; less than 0 if that is earlier. Numbers of days cannot be subtracted.
    pub fn days_until(self, other: Self) -> i64 {
        (other.0 - self.0).get_days().into()
    }

    /// The day after this one, over the ends of months and years; the last day there is stays itself.
    pub fn next(self) -> Self {
        Self(self.0.tomorrow().unwrap_or(self.0))
    }

    /// The day before this one; the first day there is stays itself.
    pub fn previous(self) -> Self {
        Self(self.0.yesterday().unwrap_or(self.0))
    }

    /// The day that [`Day::number`] wrote.
    pub fn from_number(number: i64) -> Option<Self> {
        let year = i16::try_from(number / 10_000).ok()?;
        civil::Date::new(year, (number / 100 % 100) as i8, (number % 100) as i8).ok().map(Self)
    }
}

impl FromStr for Day {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        text.parse().map(Self).map_err(|_| {
            Invalid::new(format!("`{}` is not a day", text.escape_debug()), "write it as 2026-11-15")
        })
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_the_forms_people_write() {
        for (text, ms) in [
            ("1970-01-01T00:00:01Z", 1_000),
            ("2026-11-15T10:00:00Z", 1_794_736_800_000),
            ("2026-11-15T12:00:00+02:00", 1_794_736_800_000),
            ("2026-11-15T10:00:00", 1_794_736_800_000),
            ("2026-11-15 10:00:00", 1_794_736_800_000),
            ("2026-11-15", 1_794_700_800_000),
        ] {
            assert_eq!(text.parse::<Time>().map(Time::millis), Ok(ms), "{text}");
        }
    }

    #[test]
    fn absurd_moments_are_refused_with_a_way_out() {
        for text in [
            "",
            "yesterday",
            "2026-13-45",
            "2026-02-30T00:00:00Z",
            "+123456-01-01T00:00:00Z",
            "-0044-03-15",
            "12",
        ] {
            let refused = text.parse::<Time>().expect_err(text);
            assert!(refused.hint.contains("2026-11-15T10:00:00Z"), "{text}");
        }
    }

    #[test]
    fn every_moment_reads_back_as_it_was_written() {
        for ms in [i64::MIN, FIRST_MS, -1, 0, 1, 1_794_736_800_123, LAST_MS, i64::MAX] {
            let time = Time::from_millis(ms);
            assert_eq!(time.to_string().parse(), Ok(time), "{ms}");
        }
    }

    #[test]
    fn a_day_survives_its_number() {
        let day: Day = "2026-11-15".parse().expect("a day");
        assert_eq!(day.number(), 20_261_115);
        assert_eq!(Day::from_number(20_261_115), Some(day));
        assert_eq!(Day::from_number(20_261_340), None);
        assert_eq!(day.to_string(), "2026-11-15");
    }

    #[test]
    fn days_are_counted_over_the_ends_of_months_and_years() {
        let day = |text: &str| text.parse::<Day>().expect("a day");
        for (one, other, days) in [
            ("2026-11-09", "2026-12-02", 23),
            ("2026-11-30", "2026-12-01", 1),
            ("2026-12-31", "2027-01-01", 1),
            ("2028-02-28", "2028-03-01", 2),
            ("2026-12-01", "2026-11-30", -1),
            ("2025-11-09", "2026-11-09", 365),
            ("2026-11-09", "2026-11-09", 0),
        ] {
            assert_eq!(day(one).days_until(day(other)), days, "{one} to {other}");
        }
        for (one, next) in [
            ("2026-11-14", "2026-11-15"),
            ("2026-10-31", "2026-11-01"),
            ("2026-11-30", "2026-12-01"),
            ("2026-12-31", "2027-01-01"),
            ("2026-02-28", "2026-03-01"),
        ] {
            assert_eq!((day(one).next(), day(next).previous()), (day(next), day(one)), "{one}");
        }
        assert_eq!(day("9999-12-31").next(), day("9999-12-31"));
    }
}
