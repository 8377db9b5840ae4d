//! The machine's clock, or the time in `CAIRN_NOW`; and the machine's time zone.

use cairn_domain::{Invalid, Time};
use cairn_engine::Clock;
use jiff::tz::TimeZone;
use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicI64, Ordering},
    },
    time::{Instant, SystemTime},
};

/// The machine's clock.
struct SystemClock;

/// A clock that stands still.
struct FrozenClock(Time);

/// A clock that starts at a given time when the process starts.
struct RunningClock {
    from: Time,
    begun: Instant,
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> Time {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Time::from_millis(since_1970.as_millis() as i64)
    }
}

impl Clock for FrozenClock {
    fn now(&self) -> Time {
        self.0
    }
}

impl Clock for RunningClock {
    fn now(&self) -> Time {
        Time::from_millis(self.from.millis() + self.begun.elapsed().as_millis() as i64)
    }
}

/// A clock that is set while a life is lived, and runs on from the last time it was set to.
pub(crate) struct LifeClock {
    at_ms: AtomicI64,
    running_since: OnceLock<Instant>,
}

impl LifeClock {
    pub(crate) fn at(time: Time) -> Self {
        Self { at_ms: AtomicI64::new(time.millis()), running_since: OnceLock::new() }
    }

    /// Goes on to `time`; never back.
    pub(crate) fn set(&self, time: Time) {
        self.at_ms.fetch_max(time.millis(), Ordering::Relaxed);
    }

    /// Lets it run from now on.
    pub(crate) fn run_on(&self) {
        self.running_since.get_or_init(Instant::now);
    }
}

impl Clock for LifeClock {
    fn now(&self) -> Time {
        let passed_ms = self.running_since.get().map_or(0, |since| since.elapsed().as_millis() as i64);
        Time::from_millis(self.at_ms.load(Ordering::Relaxed) + passed_ms)
    }
}

/// How the clock goes on from the time that `CAIRN_NOW` names.
#[derive(Clone, Copy)]
pub(crate) enum NamedTime {
    /// It stands still: for a command that ends by itself.
    Frozen,
    /// It runs on from there: for a command that runs until it is stopped.
    Running,
}

/// The clock that every part uses.
pub(crate) fn clock(named: NamedTime) -> Result<Arc<dyn Clock>, Invalid> {
    match std::env::var("CAIRN_NOW") {
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Invalid::new("CAIRN_NOW is not text", "write it as 2026-11-15T10:00:00Z, or unset it"))
        }
        Ok(text) if !text.trim().is_empty() => {
            let moment = text.parse().map_err(|invalid: Invalid| {
                Invalid::new(format!("CAIRN_NOW: {}", invalid.problem), invalid.hint)
            })?;
            let begun = Instant::now();
            Ok(match named {
                NamedTime::Running => Arc::new(RunningClock { from: moment, begun }),
                NamedTime::Frozen => Arc::new(FrozenClock(moment)),
            })
        }
        _ => Ok(Arc::new(SystemClock)),
    }
}

/// The machine's time zone: that of `TZ`, else the system's, else UTC.
pub(crate) fn machine_zone() -> TimeZone {
    let named = std::env::var("TZ").ok();
    let system = || {
        let linked = std::fs::canonicalize("/etc/localtime").ok()?;
        let (_, name) = linked.to_str()?.split_once("zoneinfo/")?;
        Some(name.to_owned())
    };
    let name = named.filter(|name| !name.is_empty()).or_else(system);
    name.and_then(|name| TimeZone::get(name.trim_start_matches(':')).ok()).unwrap_or(TimeZone::UTC)
}
