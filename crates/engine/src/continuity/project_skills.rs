//! How work with tools went in one project, read out of the messages of tools and of what was checked afterward. Nothing here reads a
//! store.

use crate::quote;
use cairn_cognition::skill::{
    Procedure, ProcedureStep, ToolFailure, ToolMessage, ToolOutcome, ToolSkill, ToolStep, failure_line,
    mined_procedures, tool_skills, tool_steps,
};
use cairn_domain::{MessageId, OutcomeEvent, OutcomeVerification, Ref, Time};
use cairn_store::ToolMessageRecord;
use std::collections::{BTreeSet, HashMap};

/// Characters of a line that tells how a step failed, and of a command that fixed it.
const MAX_TOLD_CHARS: usize = 160;
/// Characters of one step of a procedure.
const MAX_STEP_CHARS: usize = 80;
/// The times that it worked that are given as evidence, the newest.
const MAX_EVIDENCE: usize = 5;

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
    /// The procedures, the surest first.
    pub procedures: Vec<SeenProcedure>,
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

/// Steps that worked in the same order again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenProcedure {
    /// The project.
    pub thread: Option<String>,
    /// The steps, in order.
    pub steps: Vec<ProcedureStep>,
    /// How often it worked.
    pub worked: u32,
    /// How often a step of it failed since it last worked.
    pub failed_since: u32,
    /// How sure it is that it works.
    pub confidence: f64,
    /// When it worked last.
    pub last_at: Time,
    /// The first call of each of the newest times that it worked, the newest first.
    pub evidence: Vec<MessageId>,
    /// The numbers of the messages that asked for it then.
    pub(crate) requests: Vec<u32>,
}

impl SeenSkill {
    /// In one line, with its evidence: `msg_0123456789 “cargo test”: 12 of 15 worked; failed as “…”, fixed by “Edit lib.rs”`.
    pub(crate) fn line(&self) -> String {
        let Self { kind, tried, worked, .. } = self;
        let evidence = self
            .failure
            .as_ref()
            .map_or_else(String::new, |failure| format!("{} ", Ref::Message(failure.result).short()));
        let failed = self.failure.as_ref().map_or_else(String::new, |failure| {
            let fixed: Vec<String> = failure.fixed_by.iter().map(|step| quote::quoted(&step.label)).collect();
            let fixed =
                if fixed.is_empty() { String::new() } else { format!(", fixed by {}", fixed.join(", ")) };
            format!("; failed as {}{fixed}", quote::quoted(&failure.line))
        });
        format!("{evidence}{}: {worked} of {tried} worked{failed}", quote::name(kind))
    }
}

impl SeenProcedure {
    /// Its steps in one line: `Edit schema.sql → sqlx migrate run → cargo test`.
    pub fn order(&self) -> String {
        let step = |step: &ProcedureStep| {
            quote::beginning(step.written.as_deref().unwrap_or(&step.label), MAX_STEP_CHARS)
        };
        self.steps.iter().map(step).collect::<Vec<_>>().join(" → ")
    }

    /// In one line, with its evidence: `msg_0123456789 “npm version → npm publish” worked 3 times, last on 2026-11-10`.
    pub fn line(&self) -> String {
        let evidence =
            self.evidence.first().map_or_else(String::new, |id| format!("{} ", Ref::Message(*id).short()));
        let order = quote::quoted(&self.order());
        format!("{evidence}{order} worked {} times, last on {}", self.worked, self.last_at.day())
    }
}

/// An action in one line, as the governor writes it, of the message that called for it.
fn action_of_call(message: &ToolMessageRecord) -> Option<String> {
    let (tool, input) = message.text.split_once(' ')?;
    let input: serde_json::Value = serde_json::from_str(input).ok()?;
    Some(format!("{tool}: {}", input.get("command")?.as_str()?))
}

/// How work went in a project; nothing if no tool was called in it. A check afterward counts more than what a tool said of itself.
pub(super) fn project_skills(
    thread: Option<String>,
    messages: &[ToolMessageRecord],
    outcomes: &[OutcomeEvent],
) -> Option<ProjectSkills> {
    let mut steps = tool_steps(&messages.iter().map(as_read).collect::<Vec<_>>());
    let effects = apply_outcomes(messages, &mut steps, outcomes);
    let work = ProjectWork { messages, steps, effects };
    // What the user did not let run tells nothing about how it goes.
    let done = work.steps.iter().filter(|step| step.outcome != ToolOutcome::Refused);
    let mut calls: Vec<usize> = done.map(|step| step.call).collect();
    calls.sort_unstable();
    calls.dedup();
    let since = messages[*calls.first()?].at;
    let skills = tool_skills(&work.steps).into_iter().map(|skill| work.seen_skill(skill)).collect();
    let procedures =
        mined_procedures(&work.steps).into_iter().map(|it| work.seen_procedure(thread.clone(), it)).collect();
    Some(ProjectSkills { thread, calls: calls.len(), since, skills, procedures })
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

/// Lets outcomes, the newest first, say of each last such call before them whether it worked, and gives the effects of calls that
/// failed, by the index of the call. A check afterward counts more than what a tool said of itself.
pub(crate) fn apply_outcomes(
    messages: &[ToolMessageRecord],
    steps: &mut [ToolStep],
    outcomes: &[OutcomeEvent],
) -> HashMap<usize, String> {
    let mut effects = HashMap::new();
    // The oldest first: the last one decides.
    for outcome in outcomes.iter().rev() {
        let is_meant = |step: &&ToolStep| {
            step.at <= outcome.at && action_of_call(&messages[step.call]).as_ref() == Some(&outcome.intent)
        };
        let Some(call) = steps.iter().filter(is_meant).map(|step| step.call).max() else { continue };
        let mut of_line = steps.iter_mut().filter(|step| step.call == call);
        if outcome.verification == OutcomeVerification::Failed {
            // Of several commands in one line the last one is taken to have failed.
            of_line.next_back().into_iter().for_each(|step| step.outcome = ToolOutcome::Failed);
            effects.insert(call, outcome.observed_effect.clone());
        } else {
            of_line.for_each(|step| step.outcome = ToolOutcome::Worked);
            effects.remove(&call);
        }
    }
    effects
}

/// The work of one project.
struct ProjectWork<'a> {
    messages: &'a [ToolMessageRecord],
    steps: Vec<ToolStep>,
    /// The effects that were seen of calls that failed, by the index of the call.
    effects: HashMap<usize, String>,
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
        let seen = self.effects.get(&failed.call).map_or_else(|| failure_line(&result.text), String::as_str);
        let line = quote::beginning(seen, MAX_TOLD_CHARS);
        let fix = |at: &usize| {
            let step = &self.steps[*at];
            let written = step.written.as_ref().filter(|_| step.kind == failed.kind);
            let label = quote::beginning(written.unwrap_or(&step.label), MAX_TOLD_CHARS);
            FixStep { label, call: self.messages[step.call].id }
        };
        SeenFailure { line, result: result.id, fixed_by: failure.fixed_by.iter().map(fix).collect() }
    }

    fn seen_procedure(&self, thread: Option<String>, procedure: Procedure) -> SeenProcedure {
        let Procedure { steps, uses, failed_since, confidence } = procedure;
        let first_call = |used: &Vec<usize>| used.first().map(|step| &self.messages[self.steps[*step].call]);
        let newest: Vec<&ToolMessageRecord> =
            uses.iter().rev().filter_map(first_call).take(MAX_EVIDENCE).collect();
        let requests: BTreeSet<u32> = newest.iter().map(|message| message.exchange).collect();
        SeenProcedure {
            thread,
            steps,
            worked: uses.len() as u32,
            failed_since,
            confidence,
            last_at: newest.first().map_or(Time::from_millis(0), |message| message.at),
            evidence: newest.iter().map(|message| message.id).collect(),
            requests: requests.into_iter().collect(),
        }
    }
}
