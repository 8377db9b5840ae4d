//! Errors as RFC 9457 wants them, each with a hint.

use schemars::JsonSchema;
use serde::Serialize;

/// `application/problem+json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Problem {
    /// The type of problem; `about:blank` if the status says it all.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// This problem, for people.
    pub detail: String,
    /// The next step, for people.
    pub hint: String,
    /// The request it was about, as the log names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}
