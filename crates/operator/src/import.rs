//! Imports an agent with its operator's decisions: lanes, modes, postponed reviews. The operator who signs in is responsible for
//! that; a bundle alone proves nothing about who wrote it.

use crate::{error::Result, grant::Grant, reason::required_reason};
use cairn_engine::{Agent, Home, ImportReport};
use cairn_store::protected::{self, Authority};
use std::path::Path;

/// Imports a bundle with the decisions made at its source, and leaves a receipt.
pub async fn import(
    grant: &Grant,
    home: &Home,
    agent: &Agent,
    bundle: &Path,
    reason: &str,
) -> Result<ImportReport> {
    grant.require(agent.name())?;
    let reason = required_reason(reason, "importing decisions", "imported")?;
    let (mut report, rows) = agent.import_messages(bundle).await?;
    if rows.is_empty() {
        return Ok(report);
    }
    let by = Authority { actor: grant.authority().to_owned(), reason };
    let store = home.protected_store(agent.name()).await?;
    let taken = protected::take_rows(&store, rows, by, home.now()).await?;
    (report.memories, report.taken_over) = (taken.is_some(), taken.is_some());
    report.decided = taken.unwrap_or_default();
    Ok(report)
}
