//! The switch of standing.

use serde::{Deserialize, Serialize};

/// Whether it is noted where the user stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StandingConfig {
    /// Whether patterns are noted, weighed and shown at all.
    pub enabled: bool,
}

impl Default for StandingConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}
