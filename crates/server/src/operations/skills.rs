//! Skills: how work with tools went.

use crate::{
    failure::RequestFailure,
    request::{access::ExistingAgent, body::Parameters},
};
use axum::Json;
use cairn_engine::limits::{MAX_PAGE_ITEMS, page_size};
use cairn_wire as wire;
use schemars::JsonSchema;
use serde::Deserialize;

/// Which skills.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SkillParameters {
    /// Only those of this project.
    thread: Option<String>,
    /// Maximum number of skills, and of procedures, of each project; 50 if not given.
    #[schemars(range(min = 1, max = MAX_PAGE_ITEMS))]
    limit: Option<u32>,
}

pub(crate) async fn skills(
    ExistingAgent(open_agent): ExistingAgent,
    Parameters(SkillParameters { thread, limit }): Parameters<SkillParameters>,
) -> Result<Json<wire::Skills>, RequestFailure> {
    let limit = page_size(limit)? as usize;
    Ok(Json(wire::Skills::new(&open_agent.agent.skills(thread.as_deref()).await?, limit)))
}
