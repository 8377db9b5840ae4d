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
        let open_agent = agent.open().await?;
        return run_once(&open_agent, &headers, request_hash, async |moment| {
            remember_into(&target, agent.name(), request, moment).await
        })
        .await;
    }
    if request.names_another_speaker() {
        caller.require_speaks_for_user("say what somebody else said")?;
    }
    let open_agent = agent.open().await?;
    run_once(&open_agent, &headers, request_hash, async |moment| {
        let (form, detail) = (request.form_memories(), wire::Detail::asked(request.explain));
        let told_by_agent = request.role.is_none() && !caller.speaks_for_user();
        let mut draft = request.draft();
        // Said again under the same key it is the same message, whenever that is.
        draft.at = draft.at.or(moment);
        let remembered = if told_by_agent {
            open_agent.agent.remember_told_by_agent(draft, form).await
        } else {
            open_agent.agent.remember_on_request(draft, form).await
        };
        open_agent.worker.wake();
        let answer = wire::Remembered::new(&remembered?, detail);
        open_agent.events.publish("captured", || {
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
    ExistingAgent(open_agent): ExistingAgent,
    Body { value: request, .. }: Body<wire::RecallRequest>,
) -> Result<Json<wire::Recall>, RequestFailure> {
    let question = request.question(open_agent.agent.config())?;
    let recall = open_agent.agent.answer(question, request.effects()).await?;
    let answer = wire::Recall::new(&recall, wire::Detail::asked(request.explain));
    open_agent.events.publish("recalled", || {
        let refs: Vec<_> = answer.hits.iter().take(20).map(|hit| json!(hit.reference)).collect();
        json!({"hits": answer.hits.len(), "refs": refs, "elapsed_ms": answer.elapsed_ms})
    });
    Ok(Json(answer))
}

/// Opens records in full.
pub(crate) async fn open(
    ExistingAgent(open_agent): ExistingAgent,
    Extension(caller): Extension<Caller>,
    Body { value: request, .. }: Body<wire::OpenRequest>,
) -> Result<Json<wire::Records>, RequestFailure> {
    Ok(Json(open_agent.agent.open_records(&request.refs, audience(&caller)).await?.iter().collect()))
}

/// Lists messages in the order they were said.
pub(crate) async fn timeline(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(request): Parameters<wire::TimelineRequest>,
) -> Result<Json<wire::Timeline>, RequestFailure> {
    Ok(Json(open_agent.agent.timeline(request.timeline()?).await?.iter().collect()))
}

/// Explains a record by its sources.
pub(crate) async fn why(
    ExistingAgent(open_agent): ExistingAgent,
    Extension(caller): Extension<Caller>,
    Path((_, reference)): Path<(String, String)>,
) -> Result<Json<wire::Why>, RequestFailure> {
    Ok(Json((&open_agent.agent.explain(&reference, audience(&caller)).await?).into()))
}

/// Of beliefs an agent sees those that the gate lets through, an operator all.
pub(super) fn audience(caller: &Caller) -> Audience {
    if caller.is_operator() { Audience::Operator } else { Audience::Agent }
}

/// Writes a block of text for a prompt.
pub(crate) async fn context(
    ExistingAgent(open_agent): ExistingAgent,
    Body { value: request, .. }: Body<wire::ContextRequest>,
) -> Result<Json<wire::Context>, RequestFailure> {
    let (explain, effects) = (request.explain, request.effects());
    let brief = open_agent.agent.context(&request.briefing(), effects).await?;
    let context = wire::Context::from(&brief);
    Ok(Json(if explain { context.explained(&brief) } else { context }))
}

/// Says what a record should say instead. Over HTTP it is the agent who speaks, never the user.
pub(crate) async fn correct(
    ExistingAgent(open_agent): ExistingAgent,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::CorrectRequest>,
) -> Result<Response, RequestFailure> {
    let (reference, audience) = (open_agent.agent.resolve(&request.reference).await?, audience(&caller));
    run_once(&open_agent, &headers, request_hash, async |moment| {
        let correction =
            open_agent.agent.correct_record(reference, request.by_agent(moment), audience).await?;
        let answer = wire::Remembered::from(&correction);
        open_agent.events.publish("changed", || json!({"ref": reference.to_string(), "how": "correct"}));
        open_agent.worker.wake();
        Ok(answer)
    })
    .await
}

/// Says whether something recalled was of use.
pub(crate) async fn feedback(
    ExistingAgent(open_agent): ExistingAgent,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body { value: request, request_hash }: Body<wire::FeedbackRequest>,
) -> Result<Response, RequestFailure> {
    let reference = open_agent.agent.resolve(&request.reference).await?;
    let (outcome, audience) = (request.outcome(), audience(&caller));
    run_once(&open_agent, &headers, request_hash, async |_| {
        let memories = open_agent.agent.rate_record(reference, outcome, audience).await?;
        open_agent.events.publish("changed", || json!({"ref": reference.to_string(), "how": "feedback"}));
        Ok(wire::Feedback::new(reference, &memories))
    })
    .await
}

/// A change of how a memory is kept.
enum MemoryVerb {
    Pin,
    Unpin,
    Forget,
    Wake,
}

async fn change(
    open_agent: &Arc<OpenAgent>,
    headers: &HeaderMap,
    request_hash: [u8; 32],
    reference: &str,
    change: MemoryVerb,
) -> Result<Response, RequestFailure> {
    let id = open_agent.agent.resolve_memory(reference).await?;
    run_once(open_agent, headers, request_hash, async |_| {
        let agent: &Agent = &open_agent.agent;
        let (word, record) = match change {
            MemoryVerb::Pin => ("pin", agent.pin_memory(id).await?),
            MemoryVerb::Unpin => ("unpin", agent.unpin_memory(id).await?),
            MemoryVerb::Forget => ("forget", agent.forget_memory(id).await?),
            MemoryVerb::Wake => ("wake", agent.wake_memory(id).await?),
        };
        open_agent.events.publish("changed", || json!({"memory": id, "how": word}));
        Ok(wire::Memory::from(&record))
    })
    .await
}

macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident = $change:expr;)+) => {$(
        $(#[$doc])*
        pub(crate) async fn $name(
            ExistingAgent(open_agent): ExistingAgent,
            Path((_, reference)): Path<(String, String)>,
            headers: HeaderMap,
            NoBody { request_hash }: NoBody,
        ) -> Result<Response, RequestFailure> {
            change(&open_agent, &headers, request_hash, &reference, $change).await
        }
    )+};
}

changes! {
    /// Pins a memory, so that it never becomes dormant.
    pin = MemoryVerb::Pin;
    /// Unpins a memory.
    unpin = MemoryVerb::Unpin;
    /// Makes a memory dormant.
    forget = MemoryVerb::Forget;
    /// Wakes a dormant memory.
    wake = MemoryVerb::Wake;
}

/// Takes back the last decision about a memory. The memory then says that a person wanted it, so an agent may not ask for it.
pub(crate) async fn undo(
    ExistingAgent(open_agent): ExistingAgent,
    Path((_, reference)): Path<(String, String)>,
    headers: HeaderMap,
    NoBody { request_hash }: NoBody,
) -> Result<Response, RequestFailure> {
    let id = open_agent.agent.resolve_memory(&reference).await?;
    run_once(&open_agent, &headers, request_hash, async |_| {
        let changed = open_agent.agent.undo_decision(id).await?;
        for record in &changed {
            open_agent.events.publish("changed", || json!({"memory": record.memory.id, "how": "undo"}));
        }
        Ok(changed.iter().collect::<wire::Memories>())
    })
    .await
}
