//! The verbs of an agent.

use crate::{
    access::{Caller, Reading, Writing},
    agents::Kept,
    body::{Body, NoBody, Parameters},
    failure::Failed,
    once::once,
};
use axum::{
    Extension, Json,
    extract::Path,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use cairn_domain::{Draft, Invalid, MemoryId, Ref, Role};
use cairn_engine::{Agent, EngineError, Outcome};
use cairn_wire as wire;
use serde_json::json;
use std::sync::Arc;

/// Keeps one message.
pub(crate) async fn remember(
    agent: Writing,
    headers: HeaderMap,
    Body { value: request, asked }: Body<wire::RememberRequest>,
) -> Result<Response, Failed> {
    let kept = agent.open().await?;
    once(&kept, &headers, asked, async |moment| {
        let (no_wait, explain) = (request.no_wait, request.explain);
        let mut draft = request.draft();
        // Said again under the same key it is the same message, whenever that is.
        draft.at = draft.at.or(moment);
        let remembered = kept.agent.remember(draft).await?;
        kept.tender.wake();
        let formed = if no_wait { None } else { Some(kept.agent.form_message(remembered.message).await?) };
        let answer = wire::Remembered::new(&remembered, formed.as_ref(), explain);
        kept.events.tell("captured", || {
            json!({"message": answer.message, "exchange": answer.exchange, "duplicate": answer.duplicate,
                   "memories": answer.decisions.iter().filter_map(|it| it.memory).collect::<Vec<_>>()})
        });
        Ok(answer)
    })
    .await
}

/// Finds what answers a question.
pub(crate) async fn recall(
    Reading(kept): Reading,
    Body { value: request, .. }: Body<wire::RecallRequest>,
) -> Result<Json<wire::Recall>, Failed> {
    let answer = wire::recall(&kept.agent, &request).await?;
    kept.events.tell("recalled", || {
        let refs: Vec<_> = answer.hits.iter().take(20).map(|hit| json!(hit.reference)).collect();
        json!({"hits": answer.hits.len(), "refs": refs, "elapsed_ms": answer.elapsed_ms})
    });
    Ok(Json(answer))
}

/// Opens records in full.
pub(crate) async fn open(
    Reading(kept): Reading,
    Extension(caller): Extension<Caller>,
    Body { value: mut request, .. }: Body<wire::OpenRequest>,
) -> Result<Json<wire::Records>, Failed> {
    for written in request.refs.iter_mut().take(wire::MOST_REFS) {
        let reference = kept.agent.resolve(written).await?;
        may_see(&caller, &kept.agent, reference).await?;
        *written = reference.to_string();
    }
    Ok(Json(wire::open(&kept.agent, &request.refs()?).await?))
}

/// What was said in the order it was said.
pub(crate) async fn timeline(
    Reading(kept): Reading,
    Parameters(mut request): Parameters<wire::TimelineRequest>,
) -> Result<Json<wire::Timeline>, Failed> {
    if let Some(written) = &mut request.reference {
        *written = kept.agent.resolve(written).await?.to_string();
    }
    let timeline = request.timeline(kept.agent.config())?;
    Ok(Json(kept.agent.timeline(timeline).await?.iter().collect()))
}

/// What a record stands on.
pub(crate) async fn why(
    Reading(kept): Reading,
    Extension(caller): Extension<Caller>,
    Path((_, reference)): Path<(String, String)>,
) -> Result<Json<wire::Why>, Failed> {
    let reference = kept.agent.resolve(&reference).await?;
    may_see(&caller, &kept.agent, reference).await?;
    Ok(Json(wire::why(&kept.agent, reference).await?))
}

/// Of beliefs an agent sees those that the gate lets through, an operator all.
async fn may_see(caller: &Caller, agent: &Agent, reference: Ref) -> Result<(), Failed> {
    let Ref::Belief(id) = reference else { return Ok(()) };
    if caller.is_operator() || agent.trusted_belief(id).await?.is_some() {
        return Ok(());
    }
    let detail = format!("{reference} is a belief that is not given to agents");
    let hint = "ask for the memories behind it with `recall`; an operator's key opens it";
    Err(Failed::new(StatusCode::FORBIDDEN, detail, hint))
}

/// What belongs into a prompt.
pub(crate) async fn context(
    Reading(kept): Reading,
    Body { value: request, .. }: Body<wire::ContextRequest>,
) -> Result<Json<wire::Context>, Failed> {
    let brief = kept.agent.brief(&request.briefing()?).await?;
    kept.agent.shown(&brief).await?;
    Ok(Json((&brief).into()))
}

/// Says what a record should say instead. Over HTTP it is the agent who speaks, never the user.
pub(crate) async fn correct(
    Reading(kept): Reading,
    headers: HeaderMap,
    Body { value: request, asked }: Body<wire::CorrectRequest>,
) -> Result<Response, Failed> {
    let reference = kept.agent.resolve(&request.reference).await?;
    once(&kept, &headers, asked, async |moment| {
        let draft = Draft { at: moment, ..Draft::new(Role::Assistant, request.text) };
        let correction = kept.agent.correct(reference, draft).await?;
        let answer = wire::Remembered::new(&correction.message, Some(&correction.formed), false);
        kept.events.tell("changed", || json!({"ref": reference.to_string(), "how": "correct"}));
        kept.tender.wake();
        Ok(answer)
    })
    .await
}

/// Says whether something recalled was of use.
pub(crate) async fn feedback(
    Reading(kept): Reading,
    headers: HeaderMap,
    Body { value: request, asked }: Body<wire::FeedbackRequest>,
) -> Result<Response, Failed> {
    let reference = kept.agent.resolve(&request.reference).await?;
    let outcome = if request.helpful { Outcome::Success } else { Outcome::Failure };
    once(&kept, &headers, asked, async |_| {
        let memories = kept.agent.feedback(reference, outcome).await?;
        kept.events.tell("changed", || json!({"ref": reference.to_string(), "how": "feedback"}));
        let memories = memories.iter().map(wire::Memory::from).collect();
        Ok(wire::Feedback { reference: reference.to_string(), memories })
    })
    .await
}

/// The memory that a path names.
pub(crate) async fn memory_id(agent: &Agent, reference: &str) -> Result<MemoryId, EngineError> {
    match agent.resolve(reference).await? {
        Ref::Memory(id) => Ok(id),
        other => Err(Invalid::new(format!("{other} is no memory"), "name one such as mem_…").into()),
    }
}

/// What changes how a memory is kept.
enum Change {
    Pin(bool),
    Rest(bool),
}

async fn change(
    kept: &Arc<Kept>,
    headers: &HeaderMap,
    asked: [u8; 32],
    reference: &str,
    change: Change,
) -> Result<Response, Failed> {
    let id = memory_id(&kept.agent, reference).await?;
    once(kept, headers, asked, async |_| {
        let agent: &Agent = &kept.agent;
        let (word, record) = match change {
            Change::Pin(pinned) => {
                (if pinned { "pin" } else { "unpin" }, agent.pin_memory(id, pinned).await?)
            }
            Change::Rest(rest) => (if rest { "forget" } else { "wake" }, agent.rest_memory(id, rest).await?),
        };
        kept.events.tell("changed", || json!({"memory": id, "how": word}));
        Ok(wire::Memory::from(&record))
    })
    .await
}

macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident = $change:expr;)+) => {$(
        $(#[$doc])*
        pub(crate) async fn $name(
            Reading(kept): Reading,
            Path((_, reference)): Path<(String, String)>,
            headers: HeaderMap,
            NoBody { asked }: NoBody,
        ) -> Result<Response, Failed> {
            change(&kept, &headers, asked, &reference, $change).await
        }
    )+};
}

changes! {
    /// Lets no rhythm ever put it to rest.
    pin = Change::Pin(true);
    /// Takes that back.
    unpin = Change::Pin(false);
    /// Puts it to rest.
    forget = Change::Rest(true);
    /// Wakes it again.
    wake = Change::Rest(false);
}
