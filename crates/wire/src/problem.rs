//! What went wrong, as RFC 9457 puts it, with what to do next.

use schemars::JsonSchema;
use serde::Serialize;

/// `application/problem+json`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Problem {
    /// What kind of problem, `about:blank` if the status says it all.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What was wrong here.
    pub detail: String,
    /// What to do next.
    pub hint: String,
    /// The request it was about, as the log names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}
