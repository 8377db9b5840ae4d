//! When a rhythm is due. A schedule is a cron expression in a time zone; what counts is its last moment up to now, so that
//! however many were missed, it runs once; and a moment is carried out once, whatever the clock does.

use cairn_domain::{MILLIS_PER_HOUR, Time};
use croner::Cron;
use jiff::{Timestamp, Zoned, civil, tz::TimeZone};
use std::str::FromStr;

/// If the last run lies further ahead than this, the clock was wrong when it was recorded, and the schedule starts
/// over.
const MAX_CLOCK_LEAD_MS: i64 = MILLIS_PER_HOUR;

/// A schedule.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    pub(crate) text: String,
    cron: Cron,
    zone: TimeZone,
}

/// Whether a schedule has something to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScheduleDue {
    /// This moment of it is to be carried out.
    Now(Time),
    /// Nothing before this moment.
    At(Time),
    /// The clock was ahead when it was last carried out: count from now on.
    Anew,
    /// It never comes again.
    Never,
}

/// A cron expression.
pub(crate) fn parse_cron(text: &str) -> Result<Cron, String> {
    Cron::from_str(text).map_err(|error| format!("`{text}` is no cron expression: {error}"))
}

/// A time zone by its name.
pub(crate) fn time_zone(name: &str) -> Result<TimeZone, String> {
    if name == "UTC" {
        return Ok(TimeZone::UTC);
    }
    TimeZone::get(name).map_err(|_| format!("`{name}` is no time zone; write one as Europe/Istanbul"))
}

fn zoned(time: Time, zone: &TimeZone) -> Zoned {
    let moment = Timestamp::from_millisecond(time.millis()).unwrap_or(Timestamp::UNIX_EPOCH);
    moment.to_zoned(zone.clone())
}

impl Schedule {
    pub(crate) fn new(text: &str, zone: &str) -> Result<Self, String> {
        Ok(Self { text: text.to_owned(), cron: parse_cron(text)?, zone: time_zone(zone)? })
    }

    /// Decides whether a run is due, given the last one. Each is delayed by `jitter_ms` so that agents do not all start
    /// at once.
    pub(crate) fn due(&self, reached: Time, now: Time, jitter_ms: i64) -> ScheduleDue {
        if reached.millis() > now.millis() + MAX_CLOCK_LEAD_MS {
            return ScheduleDue::Anew;
        }
        match self.last(now) {
            Some(last) if last > reached && last.millis() + jitter_ms <= now.millis() => {
                ScheduleDue::Now(last)
            }
            Some(last) if last > reached => ScheduleDue::At(Time::from_millis(last.millis() + jitter_ms)),
            _ => self.next(now.max(reached)).map_or(ScheduleDue::Never, |next| {
                ScheduleDue::At(Time::from_millis(next.millis() + jitter_ms))
            }),
        }
    }

    /// The last moment up to `now`.
    pub(crate) fn last(&self, now: Time) -> Option<Time> {
        let found = self.cron.find_previous_occurrence(&zoned(now, &self.zone), true).ok()?;
        Some(Time::from_millis(found.timestamp().as_millisecond())).filter(|found| *found <= now)
    }

    /// The next moment after `now`.
    pub(crate) fn next(&self, now: Time) -> Option<Time> {
        let found = self.cron.find_next_occurrence(&zoned(now, &self.zone), false).ok()?;
        Some(Time::from_millis(found.timestamp().as_millisecond())).filter(|found| *found > now)
    }
}

/// Hours of the day, such as `22:00-07:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HoursOfDay {
    from: civil::Time,
    to: civil::Time,
}

impl HoursOfDay {
    /// The hours that a text names; `None` if it is empty.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let time = |text: &str| civil::Time::strptime("%H:%M", text.trim()).ok();
        let hours =
            text.split_once('-').and_then(|(from, to)| Some(Self { from: time(from)?, to: time(to)? }));
        hours.map(Some).ok_or_else(|| format!("`{text}` is no span of hours; write it as 22:00-07:00"))
    }

    /// Whether a moment lies in them; they may go over midnight.
    pub(crate) fn hold(&self, now: Time, zone: &TimeZone) -> bool {
        let at = zoned(now, zone).time();
        if self.from <= self.to { self.from <= at && at < self.to } else { at >= self.from || at < self.to }
    }
}

/// How long the run of a rhythm of an agent waits after a moment: the same each time it is asked, another for each agent.
pub(crate) fn jitter_ms(agent: &str, rhythm: &str, most_seconds: u64) -> i64 {
    let hash = blake3::hash(format!("{agent}/{rhythm}").as_bytes());
    let number = u64::from_le_bytes(hash.as_bytes()[..8].try_into().unwrap_or_default());
    (number % (most_seconds * 1_000 + 1)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Time {
        text.parse().expect("a time")
    }

    fn due(cron: &str, zone: &str, reached: &str, now: &str) -> ScheduleDue {
        Schedule::new(cron, zone).expect("a schedule").due(time(reached), time(now), 0)
    }

    /// covers: L-17, L-18
    #[test]
    fn what_was_missed_is_caught_up_once() {
        let nightly = "30 3 * * *";
        for (reached, now, expected) in [
            ("2026-11-10T00:00:00Z", "2026-11-10T03:29:59Z", ScheduleDue::At(time("2026-11-10T03:30:00Z"))),
            ("2026-11-10T00:00:00Z", "2026-11-10T03:30:00Z", ScheduleDue::Now(time("2026-11-10T03:30:00Z"))),
            ("2026-11-10T03:30:00Z", "2026-11-10T09:00:00Z", ScheduleDue::At(time("2026-11-11T03:30:00Z"))),
            ("2026-11-10T03:30:00Z", "2026-11-15T09:00:00Z", ScheduleDue::Now(time("2026-11-15T03:30:00Z"))),
            ("2026-11-10T03:30:00Z", "2027-11-15T09:00:00Z", ScheduleDue::Now(time("2027-11-15T03:30:00Z"))),
        ] {
            assert_eq!(due(nightly, "UTC", reached, now), expected, "{reached} at {now}");
        }
    }

    /// covers: L-18, I8
    #[test]
    fn a_clock_that_jumps_runs_nothing_twice_and_stops_nothing() {
        let hourly = "0 * * * *";
        let back = due(hourly, "UTC", "2026-11-10T10:00:00Z", "2026-11-10T09:10:00Z");
        assert_eq!(
            back,
            ScheduleDue::At(time("2026-11-10T11:00:00Z")),
            "an hour back: what was done stays done"
        );
        let ahead = due(hourly, "UTC", "2027-11-10T10:00:00Z", "2026-11-10T09:10:00Z");
        assert_eq!(ahead, ScheduleDue::Anew, "a year back: the clock was wrong before");
    }

    /// In Berlin 02:30 does not exist on 29 March 2026 and exists twice on 25 October 2026.
    ///
    /// covers: L-18
    #[test]
    fn daylight_saving_takes_no_night_away_and_adds_none() {
        let nightly = Schedule::new("30 2 * * *", "Europe/Berlin").expect("a schedule");
        for (from, nights) in [("2026-03-27T12:00:00Z", 5), ("2026-10-23T12:00:00Z", 5)] {
            let (mut reached, mut ran) = (time(from), 0);
            for hour in 0..24 * nights {
                let now = Time::from_millis(time(from).millis() + hour * MILLIS_PER_HOUR);
                if let ScheduleDue::Now(moment) = nightly.due(reached, now, 0) {
                    (reached, ran) = (moment, ran + 1);
                }
            }
            assert_eq!(ran, nights, "from {from}");
        }
    }

    #[test]
    fn hours_go_over_midnight_and_every_agent_waits_its_own_time() {
        let night = HoursOfDay::parse("22:00-07:00").expect("hours").expect("some");
        for (at, holds) in
            [("21:59", false), ("22:00", true), ("03:00", true), ("07:00", false), ("12:00", false)]
        {
            assert_eq!(night.hold(time(&format!("2026-11-10T{at}:00Z")), &TimeZone::UTC), holds, "{at}");
        }
        assert!(HoursOfDay::parse("night").is_err() && HoursOfDay::parse("").expect("none").is_none());
        let waits: Vec<i64> = ["a", "b", "c"].iter().map(|agent| jitter_ms(agent, "dream", 60)).collect();
        assert!(waits.iter().all(|ms| (0..=60_000).contains(ms)) && waits[0] != waits[1]);
        assert_eq!(jitter_ms("a", "dream", 60), waits[0]);
    }

    #[test]
    fn what_is_no_schedule_is_refused_with_the_reason() {
        assert!(parse_cron("every night").expect_err("refused").contains("no cron expression"));
        assert!(time_zone("Mars/Olympus").expect_err("refused").contains("Europe/Istanbul"));
    }
}
