//! Keys: what a program shows a server to be let in, and what it may do then.

use crate::{AgentName, Time, word::words};
use serde::{Deserialize, Serialize};

words!(
    /// How much a key may do.
    #[derive(Default)]
    Scope, "a scope" {
        /// Use the memory of the agents that the key is for.
        #[default]
        Agent = "agent",
        /// The same, and hand in what the user said: for a program that captures conversations.
        Capture = "capture",
        /// The same, and manage agents, keys and beliefs.
        Operator = "operator",
    }
);

/// A key as it is kept: everything but what it opens with, of which only a keyed hash is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessKey {
    /// By what it is told from others, `key_…`.
    pub id: String,
    /// Label for people.
    pub name: String,
    /// How much it may do.
    pub scope: Scope,
    /// For which agents; all, if none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<Vec<AgentName>>,
    /// The keyed hash of what it opens with, in hexadecimal digits.
    pub hash: String,
    /// An operator's key only: the operator's own key, encrypted with what this one opens with. Nobody else can make it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// When it was made.
    pub added_at: Time,
    /// By whom.
    pub added_by: String,
    /// When it was last used, to the minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Time>,
    /// Since when it opens nothing any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Time>,
    /// Who said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_by: Option<String>,
}

impl AccessKey {
    /// Whether it is for this agent.
    pub fn admits(&self, agent: &AgentName) -> bool {
        self.agents.as_ref().is_none_or(|agents| agents.contains(agent))
    }

    /// Whether it still opens something.
    pub fn is_live(&self) -> bool {
        self.revoked_at.is_none()
    }
}

/// Whether one limit to some agents is the same as another or narrower; `None` is no limit.
pub fn is_within(agents: Option<&[AgentName]>, limit: Option<&[AgentName]>) -> bool {
    match (agents, limit) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(agents), Some(limit)) => agents.iter().all(|agent| limit.contains(agent)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: I3, I10
    #[test]
    fn a_limit_contains_itself_and_what_is_narrower() {
        let names = |all: &str| -> Option<Vec<AgentName>> {
            (all != "all").then(|| all.split_whitespace().map(|name| name.parse().expect("a name")).collect())
        };
        for (agents, limit, expected) in [
            ("all", "all", true),
            ("one", "all", true),
            ("all", "one", false),
            ("one", "one", true),
            ("one", "one two", true),
            ("one two", "one", false),
            ("two", "one", false),
        ] {
            let within = is_within(names(agents).as_deref(), names(limit).as_deref());
            assert_eq!(within, expected, "{agents} within {limit}");
        }
    }
}
