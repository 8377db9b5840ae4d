//! Attachments: files in the body of a request, and those there are.

use crate::{
    failure::RequestFailure,
    request::{
        access::{AgentOnDemand, ExistingAgent},
        body::{Parameters, UploadedFiles},
    },
};
use axum::Json;
use cairn_engine::{
    AttachmentTarget,
    limits::{MAX_PAGE_ITEMS, page_size},
};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// The turn in which files appear.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AttachParameters {
    /// The run.
    session: Option<String>,
    /// The lasting project.
    thread: Option<String>,
}

/// Which attachments.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AttachmentListParameters {
    /// Only those that appeared in this session.
    session: Option<String>,
    /// Only those that appeared in this thread.
    thread: Option<String>,
    /// Maximum number of items; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

pub(crate) async fn attach(
    agent: AgentOnDemand,
    Parameters(AttachParameters { session, thread }): Parameters<AttachParameters>,
    UploadedFiles(uploads): UploadedFiles,
) -> Result<Json<wire::AttachedFiles>, RequestFailure> {
    let open_agent = agent.open().await?;
    let outcomes = open_agent.agent.attach_uploads(uploads, &AttachmentTarget { session, thread }).await?;
    open_agent.worker.wake();
    let attached = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok());
    let refs: Vec<String> = attached.map(|attached| attached.attachment.id.to_string()).collect();
    open_agent.events.publish("attached", || json!({"refs": refs}));
    Ok(Json(outcomes.iter().collect()))
}

pub(crate) async fn attachments(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(asked): Parameters<AttachmentListParameters>,
) -> Result<Json<wire::Attachments>, RequestFailure> {
    let AttachmentListParameters { session, thread, limit } = asked;
    let seen = open_agent.agent.attachments(&AttachmentTarget { session, thread }, page_size(limit)?).await?;
    Ok(Json(seen.iter().collect()))
}
