//! Material: the messages of tools and what users said beside them, project by project.

use crate::{
    continuity::{apply_outcomes, as_read, checked_outcomes},
    limits::MAX_SKILL_MESSAGES,
};
use cairn_cognition::{
    friction::{Work, WorkRef, WorkRequest},
    skill::{ToolMessage, ToolStep, tool_steps},
};
use cairn_domain::{Mode, OutcomeEvent};
use cairn_store::{Result, ToolMessageQuery, ToolMessageRecord, View};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

/// The work of one project.
pub(super) struct ProjectMaterial {
    /// The project; none of messages without one.
    pub(super) thread: Option<String>,
    /// Calls and results, in order.
    pub(super) messages: Vec<ToolMessageRecord>,
    /// The words of the user in sessions with tools, in order.
    pub(super) requests: Vec<ToolMessageRecord>,
    /// Outcomes that were checked after calls, the newest first.
    outcomes: Arc<[OutcomeEvent]>,
}

/// How much is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct MaterialBounds {
    /// Messages of tools, the newest.
    pub(super) newest: u32,
    /// Messages among which they are looked for.
    pub(super) among: u32,
}

impl MaterialBounds {
    /// As much as is ever looked at.
    pub(super) const ALL: Self = Self { newest: MAX_SKILL_MESSAGES, among: u32::MAX };
}

/// The newest work of every project, or of one. What is said in a booth or by a robot is nobody's work with tools.
pub(super) fn material(
    view: &mut View<'_>,
    thread: Option<&str>,
    MaterialBounds { newest, among }: MaterialBounds,
) -> Result<Vec<ProjectMaterial>> {
    let is_work = |record: &ToolMessageRecord| matches!(record.mode, Mode::Code | Mode::Chat);
    let query = ToolMessageQuery { thread, newest, among };
    let mut messages = view.tool_messages(query)?;
    messages.retain(is_work);
    let sessions: HashSet<i64> = messages.iter().map(|record| record.session).collect();
    let mut requests = view.user_messages(query)?;
    requests.retain(|record| is_work(record) && sessions.contains(&record.session));
    // Transcripts may be taken in in any order.
    messages.sort_by_key(|record| record.at);
    requests.sort_by_key(|record| record.at);
    let outcomes: Arc<[OutcomeEvent]> = checked_outcomes(view)?.into();
    let mut projects: BTreeMap<Option<String>, ProjectMaterial> = BTreeMap::new();
    for record in messages {
        project(&mut projects, &record, &outcomes).messages.push(record);
    }
    for record in requests {
        project(&mut projects, &record, &outcomes).requests.push(record);
    }
    Ok(projects.into_values().collect())
}

fn project<'p>(
    projects: &'p mut BTreeMap<Option<String>, ProjectMaterial>,
    record: &ToolMessageRecord,
    outcomes: &Arc<[OutcomeEvent]>,
) -> &'p mut ProjectMaterial {
    projects.entry(record.thread.clone()).or_insert_with(|| ProjectMaterial {
        thread: record.thread.clone(),
        messages: Vec::new(),
        requests: Vec::new(),
        outcomes: Arc::clone(outcomes),
    })
}

impl ProjectMaterial {
    /// Whatever `look` finds in the work.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Work<'_>) -> T) -> T {
        let messages: Vec<ToolMessage<'_>> = self.messages.iter().map(as_read).collect();
        let mut steps: Vec<ToolStep> = tool_steps(&messages);
        apply_outcomes(&self.messages, &mut steps, &self.outcomes);
        let requests: Vec<WorkRequest<'_>> = self.requests.iter().map(request).collect();
        look(&Work { messages: &messages, steps: &steps, requests: &requests })
    }

    /// The record behind a ref.
    pub(super) fn record(&self, seen: WorkRef) -> &ToolMessageRecord {
        match seen {
            WorkRef::Result(at) => &self.messages[at],
            WorkRef::Request(at) => &self.requests[at],
        }
    }
}

fn request(record: &ToolMessageRecord) -> WorkRequest<'_> {
    WorkRequest { exchange: i64::from(record.exchange), session: record.session, text: &record.text }
}
