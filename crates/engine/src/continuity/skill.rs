//! Skills: how work with tools went in each project, and the procedures that worked there. Read out of the messages whenever
//! somebody asks: nothing is stored.

use crate::{
    Agent, Result,
    limits::{MAX_CONTEXT_PROCEDURES, MAX_SKILL_MESSAGES},
    quote,
};
use cairn_cognition::{
    keywords::query_terms,
    skill::{
        Procedure, ProcedureStep, ToolFailure, ToolMessage, ToolSkill, ToolStep, failure_line, mined_procedures,
        tool_skills, tool_steps,
    },
};
use cairn_domain::{MessageId, Role, Time};
use cairn_store::ToolMessageRecord;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

/// Characters of a line that tells how a step failed.
const MAX_FAILURE_CHARS: usize = 160;
/// Requests for which a procedure was followed that must share a word, so that it belongs to the procedure.
const MIN_SHARED_REQUESTS: usize = 2;
/// Exchanges that are given as evidence, the newest.
const MAX_EVIDENCE: usize = 5;
/// A procedure that is less sure is not shown to a model.
const MIN_SHOWN_CONFIDENCE: f64 = 0.5;

/// How work with tools went in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectSkills {
    /// The project; none of messages without one.
    pub thread: Option<String>,
    /// What was tried, the most often tried first.
    pub skills: Vec<SeenSkill>,
    /// The procedures, the surest first.
    pub procedures: Vec<SeenProcedure>,
}

/// How one thing that is done with a tool went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenSkill {
    /// The tool.
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
    /// The steps after which it worked again; none if it did not in that session.
    pub fixed_by: Vec<FixStep>,
}

/// A step after which something worked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixStep {
    /// The thing that was done.
    pub label: String,
    /// The call.
    pub call: MessageId,
}

/// Steps that worked in the same order again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenProcedure {
    /// The steps, in order.
    pub steps: Vec<ProcedureStep>,
    /// In how many exchanges it worked.
    pub worked: u32,
    /// In how many a step of it failed since it last worked.
    pub failed_since: u32,
    /// How sure it is that it works.
    pub confidence: f64,
    /// When it worked last.
    pub last_at: Time,
    /// The first call of each of the newest exchanges in which it worked, the newest first.
    pub evidence: Vec<MessageId>,
    /// The words that requests for it share.
    pub asked_for: Vec<String>,
}

impl SeenSkill {
    /// In one line: `cargo test: 12 of 15 worked, 4 s; failed as “…”, fixed by Edit lib.rs`.
    pub fn line(&self) -> String {
        let Self { kind, tried, worked, .. } = self;
        let took = self.median_ms.map_or_else(String::new, |ms| format!(", {}", shown_time(ms)));
        let failed = self.failure.as_ref().map_or_else(String::new, |failure| {
            let fixed: Vec<&str> = failure.fixed_by.iter().map(|step| step.label.as_str()).collect();
            let fixed = if fixed.is_empty() { String::new() } else { format!(", fixed by {}", fixed.join(", ")) };
            format!("; failed as {}{fixed}", quote::quoted(&failure.line))
        });
        format!("{kind}: {worked} of {tried} worked{took}{failed}")
    }
}

impl SeenProcedure {
    /// In one line: `Edit schema.sql → sqlx migrate run → cargo test: worked 4 times, last on 2026-11-15`.
    pub fn line(&self) -> String {
        let steps: Vec<&str> =
            self.steps.iter().map(|step| step.written.as_deref().unwrap_or(&step.label)).collect();
        let failed = match self.failed_since {
            0 => String::new(),
            times => format!(", failed {times} times since"),
        };
        let (steps, last) = (quote::quoted(&steps.join(" → ")), self.last_at.day());
        format!("{steps} worked {} times, last on {last}{failed}", self.worked)
    }

    /// How well it fits what is asked: the words it shares with the requests for it, and with its steps.
    fn fit(&self, asked: &[String]) -> usize {
        let steps: Vec<String> = self.steps.iter().flat_map(|step| query_terms(&step.label)).collect();
        asked.iter().filter(|term| self.asked_for.contains(term) || steps.contains(term)).count()
    }
}

/// A length of time: `850 ms`, `4 s`, `3 min`.
pub fn shown_time(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..120_000 => format!("{} s", ms / 1_000),
        _ => format!("{} min", ms / 60_000),
    }
}

impl Agent {
    /// How work with tools went: of one project, or of each, the most worked in first.
    pub async fn skills(&self, thread: Option<&str>) -> Result<Vec<ProjectSkills>> {
        let wanted = thread.map(str::to_owned);
        let read = move |view: &mut cairn_store::View<'_>| view.tool_messages(wanted.as_deref(), MAX_SKILL_MESSAGES);
        let mut by_thread: BTreeMap<Option<String>, Vec<ToolMessageRecord>> = BTreeMap::new();
        for message in self.store.read(read).await? {
            by_thread.entry(message.thread.clone()).or_default().push(message);
        }
        let mut projects: Vec<ProjectSkills> =
            by_thread.into_iter().map(|(thread, messages)| ProjectWork::read(&messages).skills(thread)).collect();
        projects.retain(|project| !project.skills.is_empty());
        projects.sort_by_key(|project| Reverse(project.skills.iter().map(|skill| skill.tried).sum::<u32>()));
        Ok(projects)
    }

    /// What work with tools in a project teaches for a request: the procedures that fit it, and how its tools failed.
    pub(crate) async fn fitting_skills(&self, thread: &str, request: &str) -> Result<FittingSkills> {
        let asked = query_terms(request);
        let Some(project) = self.skills(Some(thread)).await?.into_iter().next() else {
            return Ok(FittingSkills::default());
        };
        let mut procedures = project.procedures;
        procedures.retain(|it| it.confidence >= MIN_SHOWN_CONFIDENCE && it.fit(&asked) > 0);
        procedures.sort_by_key(|it| Reverse(it.fit(&asked)));
        procedures.truncate(MAX_CONTEXT_PROCEDURES);
        let is_named = |skill: &SeenSkill| {
            let terms = query_terms(&skill.kind);
            !terms.is_empty() && terms.iter().all(|term| asked.contains(term))
        };
        let mut skills = project.skills;
        skills.retain(|skill| skill.failure.is_some() && is_named(skill));
        skills.truncate(MAX_CONTEXT_PROCEDURES);
        Ok(FittingSkills { procedures, skills })
    }
}

/// What work with tools teaches for a request.
#[derive(Debug, Default)]
pub(crate) struct FittingSkills {
    pub(crate) procedures: Vec<SeenProcedure>,
    pub(crate) skills: Vec<SeenSkill>,
}

/// The work of one project.
struct ProjectWork<'a> {
    messages: &'a [ToolMessageRecord],
    steps: Vec<ToolStep>,
    /// The request of each exchange.
    requests: HashMap<i64, &'a str>,
}

impl<'a> ProjectWork<'a> {
    fn read(messages: &'a [ToolMessageRecord]) -> Self {
        let as_read = |record: &'a ToolMessageRecord| ToolMessage {
            exchange: record.exchange,
            session: record.session,
            role: record.role,
            speaker: &record.speaker,
            text: &record.beginning,
            at: record.at,
            is_error: record.is_error,
        };
        let read: Vec<ToolMessage<'_>> = messages.iter().map(as_read).collect();
        let mut requests = HashMap::new();
        for record in messages.iter().filter(|record| record.role == Role::User) {
            requests.entry(record.exchange).or_insert(record.beginning.as_str());
        }
        Self { messages, steps: tool_steps(&read), requests }
    }

    fn skills(&self, thread: Option<String>) -> ProjectSkills {
        let skills = tool_skills(&self.steps).into_iter().map(|skill| self.seen_skill(skill)).collect();
        let procedures =
            mined_procedures(&self.steps).into_iter().map(|procedure| self.seen_procedure(procedure)).collect();
        ProjectSkills { thread, skills, procedures }
    }

    fn seen_skill(&self, skill: ToolSkill) -> SeenSkill {
        let ToolSkill { tool, kind, tried, worked, median_ms, last, failure } = skill;
        let last_at = self.messages[self.steps[last].result].at;
        let failure = failure.map(|failure| self.seen_failure(&failure));
        SeenSkill { tool, kind, tried, worked, median_ms, last_at, failure }
    }

    fn seen_failure(&self, failure: &ToolFailure) -> SeenFailure {
        let record = &self.messages[self.steps[failure.failed].result];
        let line = quote::beginning(failure_line(&record.beginning), MAX_FAILURE_CHARS);
        let fix = |at: &usize| {
            let step = &self.steps[*at];
            FixStep { label: step.label.clone(), call: self.messages[step.call].id }
        };
        SeenFailure { line, result: record.id, fixed_by: failure.fixed_by.iter().map(fix).collect() }
    }

    fn seen_procedure(&self, procedure: Procedure) -> SeenProcedure {
        let Procedure { steps, uses, failed_since, confidence } = procedure;
        let message_of = |step: usize| &self.messages[self.steps[step].call];
        let evidence = uses.iter().rev().take(MAX_EVIDENCE).map(|used| message_of(used.steps[0]).id).collect();
        let last = uses.iter().filter_map(|used| used.steps.last()).map(|step| message_of(*step).at).max();
        let mut requests: HashMap<String, usize> = HashMap::new();
        for request in uses.iter().filter_map(|used| self.requests.get(&used.exchange)) {
            for term in query_terms(request) {
                *requests.entry(term).or_default() += 1;
            }
        }
        let shared = requests.into_iter().filter(|(_, times)| *times >= MIN_SHARED_REQUESTS);
        let mut asked_for: Vec<String> = shared.map(|(term, _)| term).collect();
        asked_for.sort_unstable();
        let last_at = last.unwrap_or_else(|| Time::from_millis(0));
        SeenProcedure {
            steps,
            worked: uses.len() as u32,
            failed_since,
            confidence,
            last_at,
            evidence,
            asked_for,
        }
    }
}
