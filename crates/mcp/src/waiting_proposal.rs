//! The answer of `propose`.

use crate::rendering::rendered;
use cairn_engine::StoredProposal;
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of `propose`: a change that waits for an operator.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Proposed")]
pub(crate) struct WaitingProposal {
    /// The proposal.
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// The file it is about.
    pub(crate) file: String,
    /// Where it stands.
    pub(crate) status: String,
    /// When it is closed if nobody decides.
    pub(crate) expires_at: String,
}

impl WaitingProposal {
    pub(crate) fn of(stored: &StoredProposal) -> Self {
        let record = &stored.record;
        Self {
            reference: record.id.to_string(),
            file: record.file.clone(),
            status: stored.status.to_string(),
            expires_at: record.expires_at.to_string(),
        }
    }

    pub(crate) fn rendered(&self) -> CallToolResult {
        let Self { reference, file, expires_at, .. } = self;
        let line = format!("{reference} waits for an operator until {expires_at}; {file} is as it was");
        rendered(self, &[line])
    }
}
