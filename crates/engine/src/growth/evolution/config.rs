//! The switch of code evolution.

use serde::{Deserialize, Serialize};

/// Whether work with tools is looked through for friction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvolutionConfig {
    /// Whether friction is looked for, proposed and shown at all.
    pub enabled: bool,
}

impl Default for EvolutionConfig {
    fn default() -> Self {
        Self { enabled: true }
    }
}
