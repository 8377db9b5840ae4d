//! Wellbeing: whether it has become late, or the talk a long stretch. It is said once in a session: when it becomes so.

use cairn_domain::{MILLIS_PER_HOUR, Time};

/// A pause longer than this ends a stretch.
const MAX_PAUSE_MS: i64 = MILLIS_PER_HOUR / 2;
/// A stretch of this many hours is long.
const LONG_STRETCH_HOURS: i64 = 4;
/// It is late from midnight until this hour.
const LATE_UNTIL_HOUR: i8 = 5;

/// Something that a friend would mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strain {
    /// It is after midnight.
    LateHour,
    /// The talk has gone on for hours.
    LongStretch {
        /// For how many.
        hours: i64,
    },
}

/// The strain that is new now, after what was said in the session at these times, the earliest first; none if there was one
/// before. `local_hour` tells the hour of the day where the speaker is, if that is known.
pub fn new_strain(said: &[Time], now: Time, local_hour: &dyn Fn(Time) -> Option<i8>) -> Option<Strain> {
    let mut begun = said.first().copied().unwrap_or(now);
    let mut before = begun;
    let mut strain_at = |at: Time| {
        if at.millis() - before.millis() > MAX_PAUSE_MS {
            begun = at;
        }
        before = at;
        let hours = (at.millis() - begun.millis()) / MILLIS_PER_HOUR;
        if local_hour(at).is_some_and(|hour| (0..LATE_UNTIL_HOUR).contains(&hour)) {
            Some(Strain::LateHour)
        } else {
            (hours >= LONG_STRETCH_HOURS).then_some(Strain::LongStretch { hours })
        }
    };
    if said.iter().any(|at| strain_at(*at).is_some()) {
        return None;
    }
    strain_at(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strain(said: &[i64], now: i64, first_hour: Option<i8>) -> Option<Strain> {
        let at = |minutes: &i64| Time::from_millis(minutes * 60_000);
        let said: Vec<Time> = said.iter().map(at).collect();
        let hour =
            |at: Time| first_hour.map(|first| (i64::from(first) + at.millis() / MILLIS_PER_HOUR) as i8 % 24);
        new_strain(&said, at(&now), &hour)
    }

    /// covers: W-112
    #[test]
    fn a_long_stretch_or_a_late_hour_is_told_when_it_becomes_so_and_only_then() {
        let every_20: Vec<i64> = (0..12).map(|count| count * 20).collect();
        assert_eq!(strain(&every_20, 239, None), None);
        assert_eq!(strain(&every_20, 240, None), Some(Strain::LongStretch { hours: 4 }));
        let longer: Vec<i64> = (0..14).map(|count| count * 20).collect();
        assert_eq!(strain(&longer, 270, None), None, "it was told before");
        assert_eq!(strain(&[0, 20, 40], 240, None), None, "there was a pause");
        assert_eq!(strain(&[0, 20], 60, Some(23)), Some(Strain::LateHour));
        assert_eq!(strain(&[0, 60], 80, Some(23)), None, "it was told before");
        assert_eq!(strain(&[0, 20], 60, Some(9)), None);
    }
}
