//! Belief review for operators. Every decision takes the grant that the caller was admitted with.

use crate::{
    failure::RequestFailure,
    request::{
        access::{Caller, ExistingAgent, RequestedAgent},
        body::{Body, Parameters},
    },
    state::SharedState,
};
use axum::{Extension, Json, extract::Path};
use cairn_domain::{BeliefId, BeliefKind, ReviewDecision};
use cairn_engine::{
    BeliefFilter, ReviewScope,
    limits::{MAX_PAGE_ITEMS, page_size},
};
use cairn_operator::{ReviewOutcome, ReviewVerdict, decide, roll_back};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;

/// Which beliefs are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewQueueParameters {
    /// Include beliefs that were postponed or verified, and proposals that were decided.
    #[serde(default)]
    all: bool,
    /// Maximum number of beliefs; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

/// Which beliefs are shown.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BeliefParameters {
    /// Only beliefs of this kind.
    kind: Option<BeliefKind>,
    /// Only beliefs about this: the type of a subject, its id, or both (`project:atlas`).
    subject: Option<String>,
    /// Include beliefs that no longer stand.
    all: bool,
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

/// How many receipts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReceiptParameters {
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

/// The beliefs that wait for review, grouped by their evidence.
pub(crate) async fn queue(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(queue): Parameters<ReviewQueueParameters>,
) -> Result<Json<wire::ReviewQueue>, RequestFailure> {
    let scope = if queue.all { ReviewScope::All } else { ReviewScope::Waiting };
    let limit = page_size(queue.limit)?;
    let waiting = open_agent.agent.to_review(scope, limit).await?;
    let proposals = open_agent.agent.proposals_to_review(scope, limit).await?;
    Ok(Json(wire::ReviewQueue::new(open_agent.agent.provenance_mode().await?, &waiting, &proposals)))
}

/// Beliefs, verified or not.
pub(crate) async fn beliefs(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<BeliefParameters>,
) -> Result<Json<wire::Beliefs>, RequestFailure> {
    let BeliefParameters { kind, subject, all, limit } = asked;
    let filter = BeliefFilter { kind, subject, all, ..BeliefFilter::default() };
    Ok(Json(open_agent.agent.beliefs(filter, page_size(limit)?).await?.iter().collect()))
}

/// The newest entries of the ledger.
pub(crate) async fn receipts(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<ReceiptParameters>,
) -> Result<Json<wire::Receipts>, RequestFailure> {
    Ok(Json(open_agent.agent.receipts(page_size(asked.limit)?).await?.iter().collect()))
}

/// One belief with what its sources say now.
pub(crate) async fn page(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, belief)): Path<(String, String)>,
) -> Result<Json<wire::ReviewPage>, RequestFailure> {
    let belief: BeliefId = belief.parse()?;
    Ok(Json((&open_agent.agent.review(belief).await?).into()))
}

/// Carries out an operator's decision and leaves a receipt.
pub(crate) async fn record_decision(
    Extension(app): SharedState,
    Extension(RequestedAgent(agent)): Extension<RequestedAgent>,
    Path((_, belief)): Path<(String, String)>,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::DecideRequest>,
) -> Result<Json<wire::Decided>, RequestFailure> {
    let wire::DecideRequest { decision, reason, confirm, until, consumers } = request;
    if decision == ReviewDecision::AcceptVerified && confirm.is_none() {
        return Err(RequestFailure::bad_request(
            "the request does not confirm that the text and its sources were seen",
            "GET …/review/{ref} and send its `confirms` as `confirm`",
        ));
    }
    let verdict = ReviewVerdict { belief: belief.parse()?, decision, reason, confirm, until, consumers };
    Ok(Json(decision_answer(&decide(caller.grant()?, &app.home, &agent, verdict).await?)))
}

/// Shows what a decision would change for a model; nothing is decided.
pub(crate) async fn preview(
    Extension(app): SharedState,
    Extension(RequestedAgent(agent)): Extension<RequestedAgent>,
    Path((_, belief)): Path<(String, String)>,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::PreviewRequest>,
) -> Result<Json<wire::DecisionPreview>, RequestFailure> {
    let verdict = ReviewVerdict {
        belief: belief.parse()?,
        decision: request.decision,
        reason: String::new(),
        confirm: None,
        until: None,
        consumers: request.consumers.clone(),
    };
    let (grant, briefing) = (caller.grant()?, request.briefing());
    let seen = cairn_operator::preview(grant, &app.home, &agent, &verdict, request.mode, &briefing).await?;
    Ok(Json(wire::DecisionPreview {
        mode: seen.mode,
        before: (&seen.before).into(),
        after: (&seen.after).into(),
    }))
}

/// Undoes the change that a receipt records.
pub(crate) async fn roll_back_receipt(
    Extension(app): SharedState,
    Extension(RequestedAgent(agent)): Extension<RequestedAgent>,
    Path((_, receipt)): Path<(String, String)>,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::UndoRequest>,
) -> Result<Json<wire::Decided>, RequestFailure> {
    let receipt: u64 = receipt.parse().map_err(|_| {
        let hint = "`GET …/review/{ref}` shows the numbers of its receipts";
        RequestFailure::bad_request(format!("`{receipt}` is not the number of a receipt"), hint)
    })?;
    Ok(Json(decision_answer(&roll_back(caller.grant()?, &app.home, &agent, receipt, &request.reason).await?)))
}

fn decision_answer(outcome: &ReviewOutcome) -> wire::Decided {
    wire::Decided {
        receipt: (&outcome.receipt).into(),
        belief: outcome.belief,
        confirms: outcome.confirms.clone(),
    }
}
