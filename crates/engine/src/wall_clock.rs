//! The clock on the wall where the user is, as far as the configuration says.

use crate::agent::Agent;
use cairn_domain::Time;
use jiff::{Timestamp, tz::TimeZone};

impl Agent {
    /// A time as the clock on the wall shows it: its day and its minute are those there.
    pub(crate) fn wall_time(&self, at: Time) -> Time {
        let zone = TimeZone::get(&self.config.rhythms.time_zone).unwrap_or(TimeZone::UTC);
        wall_time(at, &zone)
    }
}

fn wall_time(at: Time, zone: &TimeZone) -> Time {
    let instant = Timestamp::from_millisecond(at.millis()).unwrap_or(Timestamp::UNIX_EPOCH);
    Time::from_millis(at.millis() + i64::from(zone.to_offset(instant).seconds()) * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_is_the_one_on_the_wall_on_both_sides_of_a_change_of_clocks() {
        for (zone, at, wall) in [
            ("Europe/Lisbon", "2026-03-29T00:30:00Z", "2026-03-29T00:30:00Z"),
            ("Europe/Lisbon", "2026-03-29T01:30:00Z", "2026-03-29T02:30:00Z"),
            ("Europe/Istanbul", "2026-11-18T22:30:00Z", "2026-11-19T01:30:00Z"),
            ("America/New_York", "2026-11-01T03:30:00Z", "2026-10-31T23:30:00Z"),
            ("America/New_York", "2026-11-02T04:30:00Z", "2026-11-01T23:30:00Z"),
        ] {
            let zone = TimeZone::get(zone).expect("a zone");
            let time = |text: &str| text.parse::<Time>().expect("a time");
            assert_eq!(wall_time(time(at), &zone), time(wall), "{at}");
        }
    }
}
