//! Bounded restarts: the key of a session, the plan, and the report.

use cairn_domain::{BoundedRestart, RestartExit, RestartPhase, RestartStep, SessionKey};
use schemars::JsonSchema;
use serde::Serialize;

/// The canonical key of a session: the same wherever the session is the same.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KeyOfSession {
    /// Agent, session and the session's first message: `main/s-17/msg_…`.
    pub key: String,
}

/// The plan of a restart.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RestartPlan {
    /// The key that the session has to have.
    pub key: String,
    /// The phases, in their order.
    pub phases: Vec<PlannedPhase>,
}

/// A phase of a restart before it begins.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PlannedPhase {
    /// The phase.
    pub phase: RestartPhase,
    /// The calls that it may take; what it does not use is no other's.
    pub calls: u32,
}

/// The report of a restart.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RestartReport {
    /// How it ended.
    pub exit: RestartExit,
    /// The key that the server told last.
    pub last_key: Option<String>,
    /// Every call that was made.
    pub steps: Vec<RestartStep>,
    /// The context in which the agent goes on.
    pub context: Option<String>,
}

impl From<SessionKey> for KeyOfSession {
    fn from(key: SessionKey) -> Self {
        Self { key: key.to_string() }
    }
}

impl RestartPlan {
    /// The plan of a restart that has not begun.
    pub fn new(key: &SessionKey, restart: &BoundedRestart) -> Self {
        let planned = |phase| PlannedPhase { phase, calls: restart.budget(phase) };
        Self { key: key.to_string(), phases: RestartPhase::ALL.into_iter().map(planned).collect() }
    }
}

impl RestartReport {
    /// The report of a restart that has ended.
    pub fn new(restart: &BoundedRestart, exit: RestartExit, context: Option<String>) -> Self {
        let last_key = restart.last_key().map(str::to_owned);
        Self { exit, last_key, steps: restart.steps().to_vec(), context }
    }
}
