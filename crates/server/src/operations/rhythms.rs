//! Rhythms, what their runs did, and the digests that some of them write.

use super::lists::PageParameters;
use crate::{
    failure::RequestFailure,
    request::{access::ExistingAgent, body::Parameters},
};
use axum::{Json, extract::Path};
use cairn_domain::{DigestKind, Invalid};
use cairn_engine::limits::{MAX_PAGE_ITEMS, page_size};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;

/// Which digests.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DigestParameters {
    /// The kind of scope that they condense.
    kind: DigestKind,
    /// Only those about this: a name, a thread, a session.
    about: Option<String>,
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

/// How every rhythm stands.
pub(crate) async fn standing(
    ExistingAgent(open_agent): ExistingAgent,
) -> Result<Json<wire::Rhythms>, RequestFailure> {
    Ok(Json(open_agent.agent.rhythms().await?.iter().collect()))
}

/// Runs of all rhythms with their steps.
pub(crate) async fn runs(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(page): Parameters<PageParameters>,
) -> Result<Json<wire::PastRuns>, RequestFailure> {
    let limit = page_size(page.limit)?;
    let before = page.cursor.as_deref().map(run_number).transpose()?;
    let runs = open_agent.agent.rhythm_runs(before, limit).await?;
    let next = runs.last().filter(|_| runs.len() >= limit as usize).map(|last| last.run.run.to_string());
    Ok(Json(wire::PastRuns { next, ..runs.iter().collect() }))
}

/// The changes that one run made, before and after.
pub(crate) async fn changes(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, run)): Path<(String, String)>,
) -> Result<Json<wire::Changes>, RequestFailure> {
    let changes = open_agent.agent.changes_in_run(run_number(&run)?, MAX_PAGE_ITEMS).await?;
    Ok(Json(changes.iter().collect()))
}

/// The newest versions of the digests of a kind.
pub(crate) async fn digests(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<DigestParameters>,
) -> Result<Json<wire::Digests>, RequestFailure> {
    let found = open_agent.agent.digests(asked.kind, asked.about.as_deref(), page_size(asked.limit)?).await?;
    Ok(Json(found.iter().collect()))
}

fn run_number(text: &str) -> Result<u32, Invalid> {
    let hint = "GET …/rhythms/runs lists the numbers";
    text.parse().map_err(|_| Invalid::new("this is not the number of a run", hint))
}
