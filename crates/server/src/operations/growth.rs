//! Growth: signals of what an agent is becoming, and the operator's decision about shards.

use super::{proposals::ProposalParameters, verbs::audience};
use crate::{
    failure::RequestFailure,
    request::{
        access::{Caller, ExistingAgent, RequestedAgent},
        body::{Body, Parameters},
        idempotency::run_once,
    },
    state::SharedState,
};
use axum::{Extension, Json, extract::Path, http::HeaderMap, response::Response};
use cairn_engine::limits::{MAX_PAGE_ITEMS, page_size};
use cairn_operator::WantedChange;
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Which exchanges.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CoherenceParameters {
    /// Only those of this session.
    session: Option<String>,
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

/// How much of the line.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StandingParameters {
    /// Weighed days of each dimension; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    days: Option<u32>,
}

/// Whose work.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct EvolutionParameters {
    /// Only this project.
    thread: Option<String>,
    /// Maximum number of exchanges; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

/// Patterns in the trail.
const TRAIL_PATTERNS: u32 = 5;

pub(crate) async fn standing(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(StandingParameters { days }): Parameters<StandingParameters>,
) -> Result<Json<wire::Standing>, RequestFailure> {
    let report = open_agent.agent.standing(page_size(days)?, TRAIL_PATTERNS).await?;
    Ok(Json(wire::Standing::from(&report)))
}

pub(crate) async fn coherence(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(CoherenceParameters { session, limit }): Parameters<CoherenceParameters>,
) -> Result<Json<wire::Coherence>, RequestFailure> {
    let exchanges = open_agent.agent.coherence(session.as_deref(), page_size(limit)?).await?;
    let state = match &session {
        Some(session) => open_agent.agent.coherence_state(session).await?,
        None => None,
    };
    Ok(Json(wire::Coherence::new(&exchanges, state.as_ref(), &open_agent.agent.config().coherence)))
}

pub(crate) async fn evolution(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(EvolutionParameters { thread, limit }): Parameters<EvolutionParameters>,
) -> Result<Json<wire::Evolution>, RequestFailure> {
    let report = open_agent.agent.evolution(thread.as_deref()).await?;
    let exchanges = open_agent.agent.worked_exchanges(thread.as_deref(), page_size(limit)? as usize).await?;
    Ok(Json(wire::Evolution::new(&report, &exchanges)))
}

pub(crate) async fn spine(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, reference)): Path<(String, String)>,
) -> Result<Json<wire::Spine>, RequestFailure> {
    Ok(Json(wire::Spine::from(&open_agent.agent.exchange_spine(&reference).await?)))
}

pub(crate) async fn shards(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(EvolutionParameters { thread, limit }): Parameters<EvolutionParameters>,
) -> Result<Json<wire::ResearchShards>, RequestFailure> {
    let shards = open_agent.agent.research_shards(thread.as_deref()).await?;
    Ok(Json(shards.iter().take(page_size(limit)? as usize).collect()))
}

/// One shard exactly as an export would write it.
pub(crate) async fn shard(
    ExistingAgent(kept): ExistingAgent,
    Path((_, shard)): Path<(String, String)>,
) -> Result<Json<wire::ExportedShard>, RequestFailure> {
    Ok(Json(wire::ExportedShard::from(&kept.agent.research_shard(&shard.parse()?).await?)))
}

/// Whatever repeats, the most often seen first.
pub(crate) async fn patterns(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(EvolutionParameters { thread, limit }): Parameters<EvolutionParameters>,
) -> Result<Json<wire::Patterns>, RequestFailure> {
    let found = open_agent.agent.patterns(thread.as_deref(), page_size(limit)? as usize).await?;
    Ok(Json(found.iter().collect()))
}

/// Keeps what the agent makes of some records.
pub(crate) async fn reflect(
    ExistingAgent(open_agent): ExistingAgent,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::ReflectRequest>,
) -> Result<Response, RequestFailure> {
    let audience = audience(&caller);
    run_once(&open_agent, &headers, request_hash, async |_| {
        let reflection = open_agent.agent.reflect(request.draft(), audience).await?;
        let message = reflection.message.message;
        open_agent.events.publish("changed", || json!({"ref": message.to_string(), "how": "reflect"}));
        open_agent.worker.wake();
        Ok(wire::Remembered::from(&reflection))
    })
    .await
}

pub(crate) async fn dynamics(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<ProposalParameters>,
) -> Result<Json<wire::Dynamics>, RequestFailure> {
    Ok(Json(wire::Dynamics::from(&open_agent.agent.dynamics(page_size(asked.limit)?).await?)))
}

/// Decides whether a shard may leave; it leaves a receipt.
pub(crate) async fn decide_shard(
    Extension(app): SharedState,
    Extension(RequestedAgent(agent)): Extension<RequestedAgent>,
    Path((_, shard)): Path<(String, String)>,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::TrainingRequest>,
) -> Result<Json<wire::TrainingDecided>, RequestFailure> {
    let wanted = WantedChange::Training(shard.parse()?, request.decision.decision());
    let applied = cairn_operator::apply(caller.grant()?, &app.home, &agent, &wanted, &request.reason).await?;
    Ok(Json(wire::TrainingDecided { receipt: applied.receipt, boundary: applied.plan.boundary }))
}
