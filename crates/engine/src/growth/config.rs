//! How an agent may grow: which parts are on, how long inquiries settle, and who decides.

use cairn_domain::Settling;
use serde::{Deserialize, Serialize};

/// Growth. Every part can be switched off by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GrowthConfig {
    /// Whether what does not fit is thought about.
    pub inquiries: bool,
    /// Whether what came of it several times is proposed for SOUL.md.
    pub proposals: bool,
    /// Whether a session is told what was thought about.
    pub context: bool,
    /// How long an inquiry settles between its passes: `spaced` or `immediate`.
    pub settle: Settling,
    /// Who opens the last gate: always a person.
    pub gate: GrowthGate,
    /// Days between the first vector and a proposal.
    pub min_days: u32,
    /// Vectors that must say the same.
    pub min_vectors: u32,
}

/// Who opens the last gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrowthGate {
    /// An operator, who has seen the change.
    #[default]
    Human,
}

/// Maximum days and vectors that a configuration can ask for.
const MAX_DAYS: u32 = 3_650;
const MAX_VECTORS: u32 = 100;

impl Default for GrowthConfig {
    fn default() -> Self {
        Self {
            inquiries: true,
            proposals: true,
            context: true,
            settle: Settling::Spaced,
            gate: GrowthGate::Human,
            min_days: 30,
            min_vectors: 3,
        }
    }
}

impl GrowthConfig {
    /// Refuses numbers that make no sense.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.min_days > MAX_DAYS {
            return Err(format!("growth.min_days = {}, and it must be at most {MAX_DAYS}", self.min_days));
        }
        if !(1..=MAX_VECTORS).contains(&self.min_vectors) {
            let problem = "and it must lie between 1 and";
            return Err(format!("growth.min_vectors = {}, {problem} {MAX_VECTORS}", self.min_vectors));
        }
        Ok(())
    }
}
