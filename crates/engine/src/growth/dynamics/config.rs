//! The switches of cognitive dynamics.

use serde::{Deserialize, Serialize};

/// Whether turns are observed, and whether their numbers may be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DynamicsConfig {
    /// Whether turns are observed. They are only where entropy is measured as well.
    pub enabled: bool,
    /// Whether a person may export the numbers.
    pub export: bool,
}

impl Default for DynamicsConfig {
    fn default() -> Self {
        Self { enabled: true, export: false }
    }
}
