//! The governor over HTTP: it answers and records, and never acts. Rules and leases are the operator's, written elsewhere.

use crate::{
    failure::RequestFailure,
    request::{
        access::{Caller, ExistingAgent},
        body::{Body, Parameters},
    },
    state::SharedState,
};
use axum::{Extension, Json};
use cairn_domain::{SharedRef, WhoseWord};
use cairn_engine::{
    ActionDraft, DraftPath, GovernRequest, GovernRules, PathAccess,
    limits::{MAX_PAGE_ITEMS, page_size},
};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;

/// Which records, and how many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StateRecordParameters {
    /// One record by its ref; without it, some of each kind.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// Maximum number of items of each kind; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

/// How many of them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GovernListParameters {
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

/// Asks the governor about an action.
pub(crate) async fn decide(
    Extension(app): SharedState,
    ExistingAgent(open_agent): ExistingAgent,
    Body { value: asked, .. }: Body<wire::GovernDecideRequest>,
) -> Result<Json<wire::NumberedDecision>, RequestFailure> {
    let user_home = std::env::home_dir();
    let rules = GovernRules::read(app.home.path(), user_home.as_deref())?.unwrap_or_default();
    let paths = asked.paths.into_iter().map(|text| DraftPath { text, access: PathAccess::Write });
    let action = ActionDraft {
        tool: asked.tool,
        command: asked.command,
        paths: paths.collect(),
        folder: asked.folder.map_or_else(|| PathBuf::from("/"), PathBuf::from),
        user_home,
    };
    let request = GovernRequest { action, authority: asked.authority, ..GovernRequest::default() };
    Ok(Json(open_agent.agent.govern(&rules, &request).await?.into()))
}

/// The newest decisions.
pub(crate) async fn decisions(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<GovernListParameters>,
) -> Result<Json<wire::GovernorDecisions>, RequestFailure> {
    Ok(Json(open_agent.agent.decisions(page_size(asked.limit)?).await?.into_iter().collect()))
}

/// The memories that the agent shares with others, and they with it.
pub(crate) async fn sharing(
    ExistingAgent(open_agent): ExistingAgent,
) -> Result<Json<wire::Sharing>, RequestFailure> {
    Ok(Json(open_agent.agent.sharing().await?.into()))
}

/// Notes how a memory of another agent turned out. An agent's word lowers trust and never raises it.
pub(crate) async fn judge(
    ExistingAgent(open_agent): ExistingAgent,
    Extension(caller): Extension<Caller>,
    Body { value: asked, .. }: Body<wire::TrustRequest>,
) -> Result<Json<wire::SourceTrust>, RequestFailure> {
    let reference: SharedRef = asked.reference.parse()?;
    let by = if caller.speaks_for_user() { WhoseWord::User } else { WhoseWord::Agent };
    let trust = open_agent.agent.judge_shared(&reference, asked.verdict, by).await?;
    Ok(Json(wire::SourceTrust { owner: reference.owner, trust }))
}

/// Records that may shape behavior.
pub(crate) async fn records(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<StateRecordParameters>,
) -> Result<Json<wire::StateRecords>, RequestFailure> {
    let records = match &asked.reference {
        Some(reference) => vec![open_agent.agent.state_record(reference).await?],
        None => open_agent.agent.state_records(page_size(asked.limit)?).await?,
    };
    Ok(Json(wire::StateRecords { records }))
}

/// Candidates for a change.
pub(crate) async fn candidates(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<GovernListParameters>,
) -> Result<Json<wire::MaturationCandidates>, RequestFailure> {
    let candidates = open_agent.agent.maturation_candidates(page_size(asked.limit)?).await?;
    Ok(Json(wire::MaturationCandidates { candidates }))
}

/// The leases of the agent.
pub(crate) async fn leases(
    ExistingAgent(open_agent): ExistingAgent,
) -> Result<Json<wire::Leases>, RequestFailure> {
    Ok(Json(open_agent.agent.leases().await?.into_iter().collect()))
}

/// The newest outcomes.
pub(crate) async fn outcomes(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<GovernListParameters>,
) -> Result<Json<wire::Outcomes>, RequestFailure> {
    Ok(Json(open_agent.agent.outcomes(page_size(asked.limit)?).await?.into_iter().collect()))
}

/// Records an outcome.
pub(crate) async fn record_outcome(
    ExistingAgent(open_agent): ExistingAgent,
    Body { value: observed, .. }: Body<wire::OutcomeRequest>,
) -> Result<Json<wire::OutcomeReceipt>, RequestFailure> {
    let receipt = open_agent.agent.record_outcome(&observed.into()).await?;
    Ok(Json(wire::OutcomeReceipt { receipt }))
}

/// The contracts of consumers.
pub(crate) async fn consumers(ExistingAgent(_): ExistingAgent) -> Json<wire::Consumers> {
    Json(wire::Consumers::table())
}
