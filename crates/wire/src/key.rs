//! Keys.

use cairn_domain::{AccessKey, AgentName, Scope, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key, without what it opens with.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Key {
    /// By what it is told from others.
    pub id: String,
    /// Label for people.
    pub name: String,
    /// How much it may do.
    pub scope: Scope,
    /// For which agents; null for all.
    pub agents: Option<Vec<AgentName>>,
    /// When it was made.
    pub added_at: Time,
    /// By whom.
    pub added_by: String,
    /// When it was last used, to the minute.
    pub used_at: Option<Time>,
    /// Since when it opens nothing any more.
    pub revoked_at: Option<Time>,
    /// Who said so.
    pub revoked_by: Option<String>,
}

impl From<&AccessKey> for Key {
    fn from(key: &AccessKey) -> Self {
        let key = key.clone();
        Self {
            id: key.id,
            name: key.name,
            scope: key.scope,
            agents: key.agents,
            added_at: key.added_at,
            added_by: key.added_by,
            used_at: key.used_at,
            revoked_at: key.revoked_at,
            revoked_by: key.revoked_by,
        }
    }
}

/// A key that was just made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NewKey {
    /// The key.
    pub key: Key,
    /// The secret to present. It is stored nowhere and not shown again.
    pub secret: String,
}

/// Makes a key.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyRequest {
    /// Label for people.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// How much it may do.
    #[serde(default)]
    pub scope: Scope,
    /// For which agents; all if not said.
    #[serde(default)]
    pub agents: Option<Vec<AgentName>>,
}
