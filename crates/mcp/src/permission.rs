//! The answer of `may_i`, which asks the governor about an action.

use crate::rendering::rendered;
use cairn_domain::DecisionReason;
use cairn_engine::Governed;
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of `may_i`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Permission")]
pub(crate) struct PermissionAnswer {
    /// How it goes on: proceed, verify, ask, defer, approve, refuse or pause.
    mode: String,
    /// Why, each with where it stands.
    reasons: Vec<String>,
    /// A safe thing to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<String>,
    /// The number of the receipt; none if nothing stands in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<u64>,
}

impl PermissionAnswer {
    pub(crate) fn new(governed: &Governed) -> Self {
        let reason = |it: &DecisionReason| format!("{} ({})", it.reason, it.reference);
        Self {
            mode: governed.decision.mode.to_string(),
            reasons: governed.decision.reasons.iter().map(reason).collect(),
            instead: governed.decision.instead.clone(),
            receipt: governed.receipt,
        }
    }

    pub(crate) fn rendered(&self) -> CallToolResult {
        let mut lines = vec![self.mode.clone()];
        lines.extend(self.reasons.iter().map(|reason| format!("because {reason}")));
        lines.extend(self.instead.iter().map(|instead| format!("instead: {instead}")));
        rendered(self, &lines)
    }
}
