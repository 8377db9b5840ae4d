//! How often handoffs are written, and when a thread is to be begun anew.

use crate::config_range::check_range;
use serde::{Deserialize, Serialize};

/// How often handoffs are written, and when a thread is to be begun anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContinuityConfig {
    /// Seconds between two handoffs that ends of exchanges ask for …
    pub handoff_every_seconds: i64,
    /// … unless so many exchanges have passed.
    pub handoff_every_exchanges: u32,
    /// Compactions of a thread after which it is to be begun anew; 0: never.
    pub restart_after_compactions: u32,
}

impl Default for ContinuityConfig {
    fn default() -> Self {
        Self { handoff_every_seconds: 60, handoff_every_exchanges: 3, restart_after_compactions: 5 }
    }
}

impl ContinuityConfig {
    /// Refuses numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { handoff_every_seconds, handoff_every_exchanges, restart_after_compactions } = self;
        check_range("continuity.handoff_every_seconds", *handoff_every_seconds as f64, 0.0, 86_400.0)?;
        check_range("continuity.handoff_every_exchanges", f64::from(*handoff_every_exchanges), 1.0, 1_000.0)?;
        check_range(
            "continuity.restart_after_compactions",
            f64::from(*restart_after_compactions),
            0.0,
            1_000.0,
        )
    }
}
