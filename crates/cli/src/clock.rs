//! The machine's clock, or the moment `CAIRN_NOW` names.

use cairn_domain::{Invalid, Time};
use cairn_engine::Clock;
use std::{
    sync::Arc,
    time::{Instant, SystemTime},
};

/// The machine's clock.
struct SystemClock;

/// One moment, for as long as a command runs.
struct FrozenClock(Time);

/// A moment, and the time that has passed since the process began.
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

/// The clock every part uses. A moment that was named stands still for a command, and runs on for one that stays.
pub(crate) fn clock(stays: bool) -> Result<Arc<dyn Clock>, Invalid> {
    match std::env::var("CAIRN_NOW") {
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Invalid::new("CAIRN_NOW is not text", "write it as 2026-11-15T10:00:00Z, or unset it"))
        }
        Ok(text) if !text.trim().is_empty() => {
            let moment = text.parse().map_err(|invalid: Invalid| {
                Invalid::new(format!("CAIRN_NOW: {}", invalid.problem), invalid.hint)
            })?;
            let begun = Instant::now();
            Ok(if stays {
                Arc::new(RunningClock { from: moment, begun })
            } else {
                Arc::new(FrozenClock(moment))
            })
        }
        _ => Ok(Arc::new(SystemClock)),
    }
}
