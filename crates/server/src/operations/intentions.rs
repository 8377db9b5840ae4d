//! Intentions: those there are, setting one, and what becomes of it.

use crate::{
    failure::RequestFailure,
    request::{
        access::{AgentOnDemand, Caller, ExistingAgent},
        body::{Body, NoBody, Parameters},
        idempotency::run_once,
    },
};
use axum::{Extension, Json, extract::Path, http::HeaderMap, response::Response};
use cairn_domain::{IntentionDecision, Role};
use cairn_engine::{
    IntentionScope,
    limits::{MAX_PAGE_ITEMS, page_size},
};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Which intentions.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct IntentionParameters {
    /// Only those that are due.
    due: bool,
    /// Also those that are done, dropped or expired.
    all: bool,
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

pub(crate) async fn intentions(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(IntentionParameters { due, all, limit }): Parameters<IntentionParameters>,
) -> Result<Json<wire::Intentions>, RequestFailure> {
    let scope = match (due, all) {
        (true, _) => IntentionScope::Due,
        (false, true) => IntentionScope::All,
        (false, false) => IntentionScope::Open,
    };
    Ok(Json(open_agent.agent.intentions(scope, page_size(limit)? as usize).await?.iter().collect()))
}

/// Sets an intention. With an agent's key it is the agent's promise.
pub(crate) async fn intend(
    agent: AgentOnDemand,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::IntendRequest>,
) -> Result<Response, RequestFailure> {
    let open_agent = agent.open().await?;
    let role = if caller.speaks_for_user() { Role::User } else { Role::Assistant };
    run_once(&open_agent, &headers, request_hash, async |_| {
        let set = open_agent.agent.intend(request.draft(role)).await?;
        open_agent.worker.wake();
        open_agent
            .events
            .publish("changed", || json!({"ref": set.record.name().to_string(), "how": "intend"}));
        Ok(wire::Intention::from(&set))
    })
    .await
}

/// Puts an intention off until a day.
pub(crate) async fn snooze(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, reference)): Path<(String, String)>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::SnoozeRequest>,
) -> Result<Response, RequestFailure> {
    run_once(&open_agent, &headers, request_hash, async |_| {
        let seen = open_agent.agent.snooze_intention(&reference, &request.until).await?;
        Ok(wire::Intention::from(&seen))
    })
    .await
}

/// Says that an intention is done.
pub(crate) async fn done(
    open_agent: ExistingAgent,
    path: Path<(String, String)>,
    headers: HeaderMap,
    body: NoBody,
) -> Result<Response, RequestFailure> {
    close(open_agent, path, headers, body, IntentionDecision::Done).await
}

/// Drops an intention.
pub(crate) async fn drop(
    open_agent: ExistingAgent,
    path: Path<(String, String)>,
    headers: HeaderMap,
    body: NoBody,
) -> Result<Response, RequestFailure> {
    close(open_agent, path, headers, body, IntentionDecision::Dropped).await
}

async fn close(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, reference)): Path<(String, String)>,
    headers: HeaderMap,
    NoBody { request_hash }: NoBody,
    decision: IntentionDecision,
) -> Result<Response, RequestFailure> {
    run_once(&open_agent, &headers, request_hash, async |_| {
        let seen = open_agent.agent.close_intention(&reference, decision).await?;
        Ok(wire::Intention::from(&seen))
    })
    .await
}
