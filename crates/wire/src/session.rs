//! Who is asking, and an operator's sign-in from a browser.

use cairn_domain::{AgentName, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who is asking, and whom they reached.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CallerSession {
    /// The agent that the server was started with.
    pub agent: AgentName,
    /// The version of the server.
    pub version: &'static str,
    /// The server's time.
    pub now: Time,
    /// Whether the caller is an operator.
    pub operator: bool,
    /// When an operator's sign-in ends; missing for a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Time>,
    /// Has to be sent as `X-Cairn-Csrf` with every write under the cookie of a sign-in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csrf: Option<String>,
}

/// Signs an operator in.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// The passphrase of the operator's key.
    #[schemars(length(min = 1, max = 1_000))]
    pub passphrase: String,
}
