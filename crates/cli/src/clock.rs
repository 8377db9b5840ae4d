//! The machine's clock, or the moment `CAIRN_NOW` names.

use cairn_domain::{Invalid, Time};
use cairn_engine::Clock;
use std::{sync::Arc, time::SystemTime};

/// The machine's clock.
struct SystemClock;

/// One moment, for as long as a command runs.
struct FrozenClock(Time);

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

/// The clock every part uses.
pub(crate) fn clock() -> Result<Arc<dyn Clock>, Invalid> {
    match std::env::var("CAIRN_NOW") {
        Err(std::env::VarError::NotUnicode(_)) => {
            Err(Invalid::new("CAIRN_NOW is not text", "write it as 2026-11-15T10:00:00Z, or unset it"))
        }
        Ok(text) if !text.trim().is_empty() => {
            let moment = text.parse().map_err(|invalid: Invalid| {
                Invalid::new(format!("CAIRN_NOW: {}", invalid.problem), invalid.hint)
            })?;
            Ok(Arc::new(FrozenClock(moment)))
        }
        _ => Ok(Arc::new(SystemClock)),
    }
}
