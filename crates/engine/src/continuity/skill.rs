//! Skills: how work with tools went in each project, and the procedures that worked there. Read out of the messages of tools whenever
//! somebody asks: nothing is stored, so what is erased is in no skill.

use crate::{
    Agent, Result,
    limits::{MAX_ASKED_SKILL_MESSAGES, MAX_SKILL_MESSAGES, MAX_TOLD_PROCEDURES},
    quote,
    write::stored_name,
};
use cairn_cognition::{
    keywords::query_terms,
    skill::{
        Procedure, ProcedureStep, ToolFailure, ToolMessage, ToolOutcome, ToolSkill, ToolStep, failure_line,
        mined_procedures, tool_skills, tool_steps,
    },
};
use cairn_domain::{MessageId, Ref, Time};
use cairn_store::{ToolMessageQuery, ToolMessageRecord, View};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

/// Characters of a line that tells how a step failed, and of a command that fixed it.
const MAX_TOLD_CHARS: usize = 160;
/// Characters of one step of a procedure.
const MAX_STEP_CHARS: usize = 80;
/// The times that it worked that are given as evidence, the newest.
const MAX_EVIDENCE: usize = 5;
/// Requests for a procedure that must share a word, so that the word speaks for it, unless there are fewer.
const MIN_SHARED_REQUESTS: usize = 2;
/// Messages among which those of tools are looked for when something is asked, as a multiple of those.
const ASKED_AMONG: u32 = 10;

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

impl Agent {
    /// How work with tools went: of one project, or of each, the most worked in first.
    pub async fn skills(&self, thread: Option<&str>) -> Result<Vec<ProjectSkills>> {
        self.skills_of(thread, MAX_SKILL_MESSAGES, u32::MAX).await
    }

    /// The parts of the work with tools in a project, or in all, that teach something for a request.
    pub(crate) async fn fitting_skills(&self, thread: Option<&str>, request: &str) -> Result<FittingSkills> {
        let among = MAX_ASKED_SKILL_MESSAGES * ASKED_AMONG;
        let projects = self.skills_of(thread, MAX_ASKED_SKILL_MESSAGES, among).await?;
        let asked: HashSet<String> = query_terms(request).into_iter().collect();
        let (mut procedures, mut skills) = (Vec::new(), Vec::new());
        for project in projects {
            procedures.extend(project.procedures.into_iter().filter(|it| it.failed_since == 0));
            skills.extend(project.skills.into_iter().filter(|skill| is_named_failure(skill, &asked)));
        }
        let numbers: Vec<u32> = procedures.iter().flat_map(|it| it.requests.iter().copied()).collect();
        let requests = self.store.read(move |view| view.messages_at(&numbers)).await?;
        let terms: HashMap<u32, HashSet<String>> = requests
            .iter()
            .map(|record| (record.seq, query_terms(&record.message.text).into_iter().collect()))
            .collect();
        let mut fitting: Vec<(usize, SeenProcedure)> =
            procedures.into_iter().map(|it| (procedure_fit(&it, &terms, &asked), it)).collect();
        fitting.retain(|(fit, _)| *fit > 0);
        fitting.sort_by_key(|(fit, _)| Reverse(*fit));
        fitting.truncate(MAX_TOLD_PROCEDURES);
        skills.truncate(MAX_TOLD_PROCEDURES);
        Ok(FittingSkills { procedures: fitting.into_iter().map(|(_, it)| it).collect(), skills })
    }

    async fn skills_of(&self, thread: Option<&str>, newest: u32, among: u32) -> Result<Vec<ProjectSkills>> {
        let thread = thread.map(stored_name);
        let read = move |view: &mut View<'_>| {
            view.tool_messages(ToolMessageQuery { thread: thread.as_deref(), newest, among })
        };
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

/// The parts of work with tools that teach something for a request.
#[derive(Debug, Default)]
pub(crate) struct FittingSkills {
    /// The procedures that were followed for such requests and have not failed since.
    pub(crate) procedures: Vec<SeenProcedure>,
    /// The things done with tools that it names and that have failed.
    pub(crate) skills: Vec<SeenSkill>,
}

/// Whether a request names something that has failed.
fn is_named_failure(skill: &SeenSkill, asked: &HashSet<String>) -> bool {
    let named = query_terms(&skill.kind);
    skill.failure.is_some() && !named.is_empty() && named.iter().all(|term| asked.contains(term))
}

/// How many words of a request speak for a procedure: words that requests for it share, and words of its steps. None if it is one
/// word alone, unless the requests share no other.
fn procedure_fit(
    procedure: &SeenProcedure,
    terms: &HashMap<u32, HashSet<String>>,
    asked: &HashSet<String>,
) -> usize {
    let mut shared: HashMap<&str, usize> = HashMap::new();
    for term in procedure.requests.iter().filter_map(|number| terms.get(number)).flatten() {
        *shared.entry(term).or_default() += 1;
    }
    let least = MIN_SHARED_REQUESTS.min(procedure.requests.len());
    shared.retain(|_, times| *times >= least);
    let steps: HashSet<String> = procedure.steps.iter().flat_map(|step| query_terms(&step.label)).collect();
    let fit = asked.iter().filter(|term| shared.contains_key(term.as_str()) || steps.contains(*term)).count();
    let is_whole = shared.len() == 1 && shared.keys().all(|term| asked.contains(*term));
    if fit > 1 || is_whole { fit } else { 0 }
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
