//! What waits for an operator, and what an operator decides: the key that a request shows is the grant.

use crate::{
    access::{Asked, Reading, shown_key},
    app::{App, Here},
    body::{Body, Parameters},
    failure::Failed,
    lists::limit,
};
use axum::{
    Extension, Json,
    extract::Path,
    http::{HeaderMap, StatusCode},
};
use cairn_domain::{BeliefId, ReviewDecision};
use cairn_operator::{Grant, OperatorError, Outcome, Verdict, decide, roll_back, sign_in_with_key};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;

/// Which beliefs are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Queue {
    /// Also those that were put off or verified.
    #[serde(default)]
    all: bool,
    /// At most so many, 50 if nothing is said.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

/// What waits, by what its evidence looks like.
pub(crate) async fn queue(
    Reading(kept): Reading,
    Parameters(queue): Parameters<Queue>,
) -> Result<Json<wire::ReviewQueue>, Failed> {
    let waiting = kept.agent.to_review(queue.all, limit(queue.limit)?).await?;
    Ok(Json(wire::ReviewQueue::new(kept.agent.provenance_mode().await?, &waiting)))
}

/// A belief with what its sources say now.
pub(crate) async fn page(
    Reading(kept): Reading,
    Path((_, belief)): Path<(String, String)>,
) -> Result<Json<wire::ReviewPage>, Failed> {
    let belief: BeliefId = belief.parse()?;
    Ok(Json((&kept.agent.review(belief).await?).into()))
}

/// Does what an operator decided, with a receipt.
pub(crate) async fn verdict(
    Extension(app): Here,
    Extension(Asked(agent)): Extension<Asked>,
    Path((_, belief)): Path<(String, String)>,
    headers: HeaderMap,
    Body { value: request, .. }: Body<wire::DecideRequest>,
) -> Result<Json<wire::Decided>, Failed> {
    let wire::DecideRequest { decision, reason, confirm, until, consumers } = request;
    if decision == ReviewDecision::AcceptVerified && confirm.is_none() {
        return Err(Failed::bad_request(
            "nothing says that the text and its sources were seen",
            "GET …/review/{ref} and send its `confirms` as `confirm`",
        ));
    }
    let verdict = Verdict { belief: belief.parse()?, decision, reason, confirm, until, consumers };
    let grant = grant(&app, &headers).await?;
    Ok(Json(decided(&decide(&grant, &app.home, &agent, verdict).await?)))
}

/// Undoes what a receipt tells of.
pub(crate) async fn undo(
    Extension(app): Here,
    Extension(Asked(agent)): Extension<Asked>,
    Path((_, receipt)): Path<(String, String)>,
    headers: HeaderMap,
    Body { value: request, .. }: Body<wire::UndoRequest>,
) -> Result<Json<wire::Decided>, Failed> {
    let receipt: u64 = receipt.parse().map_err(|_| {
        let hint = "a receipt has a number: `GET …/review/{ref}` tells it";
        Failed::bad_request(format!("`{receipt}` is no number of a receipt"), hint)
    })?;
    let grant = grant(&app, &headers).await?;
    Ok(Json(decided(&roll_back(&grant, &app.home, &agent, receipt, &request.reason).await?)))
}

async fn grant(app: &App, headers: &HeaderMap) -> Result<Grant, Failed> {
    Ok(sign_in_with_key(&app.keys, shown_key(headers).unwrap_or_default()).await?)
}

fn decided(outcome: &Outcome) -> wire::Decided {
    wire::Decided {
        receipt: (&outcome.receipt).into(),
        belief: outcome.belief,
        confirms: outcome.confirms.clone(),
    }
}

impl From<OperatorError> for Failed {
    fn from(error: OperatorError) -> Self {
        let (detail, hint) = (error.to_string(), error.hint());
        match error {
            OperatorError::Invalid(invalid) => invalid.into(),
            OperatorError::Engine(error) => error.into(),
            OperatorError::Refused { .. } => Self::new(StatusCode::CONFLICT, detail, hint),
            OperatorError::NotLetIn(_) | OperatorError::NoKey => {
                Self::new(StatusCode::FORBIDDEN, detail, hint)
            }
            OperatorError::Store(_) | OperatorError::File { .. } => {
                tracing::error!(error = %detail, "what an operator asked for failed");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail, hint)
            }
        }
    }
}
