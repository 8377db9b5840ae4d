//! Proposals about identity files: an agent proposes and reads, an operator decides.

use super::verbs::audience;
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
use cairn_domain::{ProposalId, ReviewDecision};
use cairn_engine::limits::{MAX_PAGE_ITEMS, page_size};
use cairn_operator::{ProposalOutcome, ProposalVerdict, decide_proposal, roll_back_last_decision};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// How many proposals.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProposalParameters {
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    pub(crate) limit: Option<u32>,
}

/// Stores a proposal.
pub(crate) async fn propose(
    ExistingAgent(open_agent): ExistingAgent,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::ProposeRequest>,
) -> Result<Response, RequestFailure> {
    let audience = audience(&caller);
    run_once(&open_agent, &headers, request_hash, async |_| {
        let stored = open_agent.agent.propose(request.by_agent(), audience).await?;
        open_agent
            .events
            .publish("changed", || json!({"ref": stored.record.id.to_string(), "how": "propose"}));
        Ok(wire::Proposal::from(&stored))
    })
    .await
}

/// Proposals, the newest first.
pub(crate) async fn proposals(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<ProposalParameters>,
) -> Result<Json<wire::Proposals>, RequestFailure> {
    Ok(Json(open_agent.agent.proposals(page_size(asked.limit)?).await?.iter().collect()))
}

/// Inquiries, the newest first, and the patterns that came of them.
pub(crate) async fn inquiries(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<ProposalParameters>,
) -> Result<Json<wire::Inquiries>, RequestFailure> {
    let pages = open_agent.agent.inquiries(page_size(asked.limit)?).await?;
    Ok(Json(wire::Inquiries::new(&pages, &open_agent.agent.growth_patterns().await?)))
}

/// One proposal with the difference it makes and how it stands to the principles.
pub(crate) async fn proposal(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, proposal)): Path<(String, String)>,
) -> Result<Json<wire::ProposalPage>, RequestFailure> {
    let proposal: ProposalId = proposal.parse()?;
    Ok(Json((&open_agent.agent.review_proposal(proposal).await?).into()))
}

/// Carries out an operator's decision and leaves a receipt.
pub(crate) async fn record_decision(
    Extension(app): SharedState,
    Extension(RequestedAgent(agent)): Extension<RequestedAgent>,
    Path((_, proposal)): Path<(String, String)>,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::DecideRequest>,
) -> Result<Json<wire::ProposalDecided>, RequestFailure> {
    let wire::DecideRequest { decision, reason, confirm, until, .. } = request;
    if decision == ReviewDecision::AcceptVerified && confirm.is_none() {
        return Err(RequestFailure::bad_request(
            "the request does not confirm that the change and the file were seen",
            "GET …/proposals/{ref} and send its `confirms` as `confirm`",
        ));
    }
    let verdict = ProposalVerdict { proposal: proposal.parse()?, decision, reason, confirm, until };
    Ok(Json(decision_answer(&decide_proposal(caller.grant()?, &app.home, &agent, verdict).await?)))
}

/// Undoes the last decision about a proposal.
pub(crate) async fn roll_back(
    Extension(app): SharedState,
    Extension(RequestedAgent(agent)): Extension<RequestedAgent>,
    Path((_, proposal)): Path<(String, String)>,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::UndoRequest>,
) -> Result<Json<wire::ProposalDecided>, RequestFailure> {
    let (grant, id) = (caller.grant()?, proposal.parse()?);
    let outcome = roll_back_last_decision(grant, &app.home, &agent, id, &request.reason).await?;
    Ok(Json(decision_answer(&outcome)))
}

fn decision_answer(outcome: &ProposalOutcome) -> wire::ProposalDecided {
    wire::ProposalDecided {
        reference: outcome.proposal,
        status: outcome.status,
        receipt: (&outcome.receipt).into(),
    }
}
