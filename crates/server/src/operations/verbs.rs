//! The verbs of an agent.

use crate::{
    background::open_agents::OpenAgent,
    failure::RequestFailure,
    request::{
        access::{AgentOnDemand, Caller, ExistingAgent},
        body::{Body, NoBody, Parameters},
        idempotency::run_once,
    },
    state::{ServerState, SharedState},
};
use axum::{Extension, Json, extract::Path, http::HeaderMap, response::Response};
use cairn_domain::{AgentName, Time};
use cairn_engine::{Agent, Audience, EngineError, Missing};
use cairn_wire as wire;
use serde_json::json;
use std::sync::Arc;

/// Stores one message. With an agent's key it is the agent's own word, which may tell what it learned of the user.
pub(crate) async fn remember(
    Extension(app): SharedState,
    agent: AgentOnDemand,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::RememberRequest>,
) -> Result<Response, RequestFailure> {
    if let Some(owner) = request.into.clone() {
        let target = open_target(&app, agent.name(), &owner).await?;
        let kept = agent.open().await?;
        return run_once(&kept, &headers, request_hash, async |moment| {
            remember_into(&target, agent.name(), request, moment).await
        })
        .await;
    }
    if request.names_another_speaker() {
        caller.require_speaks_for_user("say what somebody else said")?;
    }
    let kept = agent.open().await?;
    run_once(&kept, &headers, request_hash, async |moment| {
        let (form, detail) = (request.form_memories(), wire::Detail::asked(request.explain));
        let told_by_agent = request.role.is_none() && !caller.speaks_for_user();
        let mut draft = request.draft();
        // Said again under the same key it is the same message, whenever that is.
        draft.at = draft.at.or(moment);
        let remembered = if told_by_agent {
            kept.agent.remember_told_by_agent(draft, form).await
        } else {
            kept.agent.remember_on_request(draft, form).await
        };
        kept.worker.wake();
        let answer = wire::Remembered::new(&remembered?, detail);
        kept.events.publish("captured", || {
            json!({"message": answer.message, "exchange": answer.exchange, "duplicate": answer.duplicate,
                   "memories": answer.decisions.iter().filter_map(|it| it.memory).collect::<Vec<_>>()})
        });
        Ok(answer)
    })
    .await
}

/// The agent into whose memory another wants to write. One that is not there is not told from one that does not let it.
async fn open_target(
    app: &ServerState,
    writer: &AgentName,
    owner: &AgentName,
) -> Result<Arc<OpenAgent>, EngineError> {
    app.agents.open(owner, Missing::Refuse).await.map_err(|error| match error {
        EngineError::NoSuchAgent { .. } => {
            EngineError::NotPermitted { writer: writer.clone(), owner: owner.clone() }
        }
        other => other,
    })
}

/// Stores one message in the memory of another agent, if an operator lets this one.
async fn remember_into(
    target: &OpenAgent,
    writer: &AgentName,
    request: wire::RememberRequest,
    moment: Option<Time>,
) -> Result<wire::Remembered, RequestFailure> {
    let (form, detail) = (request.form_memories(), wire::Detail::asked(request.explain));
    let mut draft = request.draft();
    draft.at = draft.at.or(moment);
    let remembered = target.agent.remember_from(writer, draft, form).await?;
    target.worker.wake();
    Ok(wire::Remembered::new(&remembered, detail))
}

/// Finds what answers a question.
pub(crate) async fn recall(
    ExistingAgent(kept): ExistingAgent,
    Body { value: request, .. }: Body<wire::RecallRequest>,
) -> Result<Json<wire::Recall>, RequestFailure> {
    let question = request.question(kept.agent.config())?;
    let recall = kept.agent.answer(question, request.effects()).await?;
    let answer = wire::Recall::new(&recall, wire::Detail::asked(request.explain));
    kept.events.publish("recalled", || {
        let refs: Vec<_> = answer.hits.iter().take(20).map(|hit| json!(hit.reference)).collect();
        json!({"hits": answer.hits.len(), "refs": refs, "elapsed_ms": answer.elapsed_ms})
    });
    Ok(Json(answer))
}

/// Opens records in full.
pub(crate) async fn open(
    ExistingAgent(kept): ExistingAgent,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::OpenRequest>,
) -> Result<Json<wire::Records>, RequestFailure> {
    Ok(Json(kept.agent.open_records(&request.refs, audience(&caller)).await?.iter().collect()))
}

/// Lists messages in the order they were said.
pub(crate) async fn timeline(
    ExistingAgent(kept): ExistingAgent,
    Parameters(request): Parameters<wire::TimelineRequest>,
) -> Result<Json<wire::Timeline>, RequestFailure> {
    Ok(Json(kept.agent.timeline(request.timeline()?).await?.iter().collect()))
}

/// Explains a record by its sources.
pub(crate) async fn why(
    ExistingAgent(kept): ExistingAgent,
    Extension(caller): Extension<Caller>,
    Path((_, reference)): Path<(String, String)>,
) -> Result<Json<wire::Why>, RequestFailure> {
    Ok(Json((&kept.agent.explain(&reference, audience(&caller)).await?).into()))
}

/// Of beliefs an agent sees those that the gate lets through, an operator all.
pub(super) fn audience(caller: &Caller) -> Audience {
    if caller.is_operator() { Audience::Operator } else { Audience::Agent }
}

/// Writes a block of text for a prompt.
pub(crate) async fn context(
    ExistingAgent(kept): ExistingAgent,
    Body { value: request, .. }: Body<wire::ContextRequest>,
) -> Result<Json<wire::Context>, RequestFailure> {
    let (explain, effects) = (request.explain, request.effects());
    let brief = kept.agent.context(&request.briefing(), effects).await?;
    let context = wire::Context::from(&brief);
    Ok(Json(if explain { context.explained(&brief) } else { context }))
}

/// Says what a record should say instead. Over HTTP it is the agent who speaks, never the user.
pub(crate) async fn correct(
    ExistingAgent(kept): ExistingAgent,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::CorrectRequest>,
) -> Result<Response, RequestFailure> {
    let (reference, audience) = (kept.agent.resolve(&request.reference).await?, audience(&caller));
    run_once(&kept, &headers, request_hash, async |moment| {
        let correction = kept.agent.correct_record(reference, request.by_agent(moment), audience).await?;
        let answer = wire::Remembered::from(&correction);
        kept.events.publish("changed", || json!({"ref": reference.to_string(), "how": "correct"}));
        kept.worker.wake();
        Ok(answer)
    })
    .await
}

/// Says whether something recalled was of use.
pub(crate) async fn feedback(
    ExistingAgent(kept): ExistingAgent,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::FeedbackRequest>,
) -> Result<Response, RequestFailure> {
    let reference = kept.agent.resolve(&request.reference).await?;
    let (outcome, audience) = (request.outcome(), audience(&caller));
    run_once(&kept, &headers, request_hash, async |_| {
        let memories = kept.agent.rate_record(reference, outcome, audience).await?;
        kept.events.publish("changed", || json!({"ref": reference.to_string(), "how": "feedback"}));
        Ok(wire::Feedback::new(reference, &memories))
    })
    .await
}

/// A change of how a memory is kept.
enum MemoryChange {
    Pin,
    Unpin,
    Forget,
    Wake,
}

async fn change(
    kept: &Arc<OpenAgent>,
    headers: &HeaderMap,
    request_hash: [u8; 32],
    reference: &str,
    change: MemoryChange,
) -> Result<Response, RequestFailure> {
    let id = kept.agent.resolve_memory(reference).await?;
    run_once(kept, headers, request_hash, async |_| {
        let agent: &Agent = &kept.agent;
        let (word, record) = match change {
            MemoryChange::Pin => ("pin", agent.pin_memory(id).await?),
            MemoryChange::Unpin => ("unpin", agent.unpin_memory(id).await?),
            MemoryChange::Forget => ("forget", agent.forget_memory(id).await?),
            MemoryChange::Wake => ("wake", agent.wake_memory(id).await?),
        };
        kept.events.publish("changed", || json!({"memory": id, "how": word}));
        Ok(wire::Memory::from(&record))
    })
    .await
}

macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident = $change:expr;)+) => {$(
        $(#[$doc])*
        pub(crate) async fn $name(
            ExistingAgent(kept): ExistingAgent,
            Path((_, reference)): Path<(String, String)>,
            headers: HeaderMap,
            NoBody { request_hash }: NoBody,
        ) -> Result<Response, RequestFailure> {
            change(&kept, &headers, request_hash, &reference, $change).await
        }
    )+};
}

changes! {
    /// Pins a memory, so that it never becomes dormant.
    pin = MemoryChange::Pin;
    /// Unpins a memory.
    unpin = MemoryChange::Unpin;
    /// Makes a memory dormant.
    forget = MemoryChange::Forget;
    /// Wakes a dormant memory.
    wake = MemoryChange::Wake;
}

/// Takes back the last decision about a memory. The memory then says that a person wanted it, so an agent may not ask for it.
pub(crate) async fn undo(
    ExistingAgent(kept): ExistingAgent,
    Path((_, reference)): Path<(String, String)>,
    headers: HeaderMap,
    NoBody { request_hash }: NoBody,
) -> Result<Response, RequestFailure> {
    let id = kept.agent.resolve_memory(&reference).await?;
    run_once(&kept, &headers, request_hash, async |_| {
        let changed = kept.agent.undo_decision(id).await?;
        for record in &changed {
            kept.events.publish("changed", || json!({"memory": record.memory.id, "how": "undo"}));
        }
        Ok(changed.iter().collect::<wire::Memories>())
    })
    .await
}
