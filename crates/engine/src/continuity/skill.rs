//! Skills: how work with tools went in each project. Read out of the messages of tools whenever somebody asks: nothing is stored,
//! so what is erased is in no skill.

use crate::{Agent, Result, limits::MAX_SKILL_MESSAGES, quote, write::stored_name};
use cairn_cognition::skill::{
    ToolFailure, ToolMessage, ToolOutcome, ToolSkill, ToolStep, failure_line, tool_skills, tool_steps,
};
use cairn_domain::{MessageId, Time};
use cairn_store::ToolMessageRecord;
use std::{cmp::Reverse, collections::BTreeMap};

/// Characters of a line that tells how a step failed, and of a command that fixed it.
const MAX_TOLD_CHARS: usize = 160;

/// How work with tools went in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectSkills {
    /// The project; none of messages without one.
    pub thread: Option<String>,
    /// Calls of tools that were looked at, with their results.
    pub calls: usize,
    /// When the first of them was made.
    pub since: Time,
    /// The things that were tried, the most often tried first.
    pub skills: Vec<SeenSkill>,
}

/// How one thing that is done with a tool went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenSkill {
    /// The tool that it was last done with.
    pub tool: String,
    /// The thing that is done: a command without its arguments, or the tool itself.
    pub kind: String,
    /// How often it was tried.
    pub tried: u32,
    /// How often it worked.
    pub worked: u32,
    /// How long it took when it worked, in milliseconds: the median.
    pub median_ms: Option<i64>,
    /// When it was tried last.
    pub last_at: Time,
    /// How it failed, and what fixed it.
    pub failure: Option<SeenFailure>,
}

/// How something failed, and what fixed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFailure {
    /// The line that tells it.
    pub line: String,
    /// The result that says so.
    pub result: MessageId,
    /// The steps after which it worked again in the same session.
    pub fixed_by: Vec<FixStep>,
}

/// A step after which something worked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixStep {
    /// The thing that was done: `Edit lib.rs`; the command, if it is the same that failed, written otherwise.
    pub label: String,
    /// The call.
    pub call: MessageId,
}

impl Agent {
    /// How work with tools went: of one project, or of each, the most worked in first.
    pub async fn skills(&self, thread: Option<&str>) -> Result<Vec<ProjectSkills>> {
        let wanted = thread.map(stored_name);
        let read =
            move |view: &mut cairn_store::View<'_>| view.tool_messages(wanted.as_deref(), MAX_SKILL_MESSAGES);
        let mut messages = self.store.read(read).await?;
        // Transcripts may be taken in in any order.
        messages.sort_by_key(|message| message.at);
        let mut by_thread: BTreeMap<Option<String>, Vec<ToolMessageRecord>> = BTreeMap::new();
        for message in messages {
            by_thread.entry(message.thread.clone()).or_default().push(message);
        }
        let mut projects: Vec<ProjectSkills> = by_thread
            .into_iter()
            .filter_map(|(thread, messages)| project_skills(thread, &messages))
            .collect();
        projects.sort_by_key(|project| Reverse(project.calls));
        Ok(projects)
    }
}

/// How work went in a project; nothing if no tool was called in it.
fn project_skills(thread: Option<String>, messages: &[ToolMessageRecord]) -> Option<ProjectSkills> {
    let work = ProjectWork { messages, steps: tool_steps(&messages.iter().map(as_read).collect::<Vec<_>>()) };
    // What the user did not let run tells nothing about how it goes.
    let done = work.steps.iter().filter(|step| step.outcome != ToolOutcome::Refused);
    let mut calls: Vec<usize> = done.map(|step| step.call).collect();
    calls.sort_unstable();
    calls.dedup();
    let since = messages[*calls.first()?].at;
    let skills = tool_skills(&work.steps).into_iter().map(|skill| work.seen_skill(skill)).collect();
    Some(ProjectSkills { thread, calls: calls.len(), since, skills })
}

/// A message of a tool as steps are read from it.
pub(crate) fn as_read(record: &ToolMessageRecord) -> ToolMessage<'_> {
    ToolMessage {
        exchange: i64::from(record.exchange),
        session: record.session,
        speaker: &record.speaker,
        text: &record.text,
        at: record.at,
        is_error: record.is_error,
    }
}

/// The work of one project.
struct ProjectWork<'a> {
    messages: &'a [ToolMessageRecord],
    steps: Vec<ToolStep>,
}

impl ProjectWork<'_> {
    fn seen_skill(&self, skill: ToolSkill) -> SeenSkill {
        let ToolSkill { tool, kind, tried, worked, median_ms, last, failure } = skill;
        let last_at = self.steps[last].at;
        let failure = failure.map(|failure| self.seen_failure(&failure));
        SeenSkill { tool, kind, tried, worked, median_ms, last_at, failure }
    }

    fn seen_failure(&self, failure: &ToolFailure) -> SeenFailure {
        let failed = &self.steps[failure.failed];
        let result = &self.messages[failed.result];
        let line = quote::beginning(failure_line(&result.text), MAX_TOLD_CHARS);
        let fix = |at: &usize| {
            let step = &self.steps[*at];
            let written = step.written.as_ref().filter(|_| step.kind == failed.kind);
            let label = quote::beginning(written.unwrap_or(&step.label), MAX_TOLD_CHARS);
            FixStep { label, call: self.messages[step.call].id }
        };
        SeenFailure { line, result: result.id, fixed_by: failure.fixed_by.iter().map(fix).collect() }
    }
}
