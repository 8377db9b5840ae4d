//! Skills: how work with tools went in each project, and the procedures that worked there. Read out of the messages of tools whenever
//! somebody asks: nothing is stored, so what is erased is in no skill.

use super::{
    project_skills::{ProjectSkills, SeenProcedure, SeenSkill, project_skills},
    skill_cache::SkillKey,
};
use crate::{
    Agent, Result,
    limits::{MAX_ASKED_SKILL_MESSAGES, MAX_SKILL_MESSAGES, MAX_TOLD_PROCEDURES},
    write::stored_name,
};
use cairn_cognition::keywords::query_terms;
use cairn_domain::{OutcomeEvent, OutcomeVerification, Receipt, ReceiptAction};
use cairn_store::{ToolMessageQuery, ToolMessageRecord, View};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

/// Requests for a procedure that must share a word, so that the word speaks for it, unless there are fewer.
const MIN_SHARED_REQUESTS: usize = 2;
/// Outcomes that are read, the newest.
const MAX_READ_OUTCOMES: u32 = 500;
/// Messages among which those of tools are looked for when something is asked, as a multiple of those.
const ASKED_AMONG: u32 = 10;

impl Agent {
    /// How work with tools went: of one project, or of each, the most worked in first.
    pub async fn skills(&self, thread: Option<&str>) -> Result<Vec<ProjectSkills>> {
        Ok(self.skills_of(thread, MAX_SKILL_MESSAGES, u32::MAX).await?.to_vec())
    }

    /// The parts of the work with tools in a project, or in all, that teach something for a request.
    pub(crate) async fn fitting_skills(&self, thread: Option<&str>, request: &str) -> Result<FittingSkills> {
        let among = MAX_ASKED_SKILL_MESSAGES * ASKED_AMONG;
        let projects = self.skills_of(thread, MAX_ASKED_SKILL_MESSAGES, among).await?;
        let asked: HashSet<String> = query_terms(request).into_iter().collect();
        let (mut procedures, mut skills) = (Vec::new(), Vec::new());
        for project in projects.iter() {
            procedures.extend(project.procedures.iter().filter(|it| it.failed_since == 0).cloned());
            skills.extend(project.skills.iter().filter(|skill| is_named_failure(skill, &asked)).cloned());
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

    async fn skills_of(
        &self,
        thread: Option<&str>,
        newest: u32,
        among: u32,
    ) -> Result<Arc<Vec<ProjectSkills>>> {
        let thread = thread.map(stored_name);
        let (messages, last) = self.store.read(|view| Ok((view.next_seq()?, view.receipts(1)?))).await?;
        let receipt = last.first().map_or(0, |receipt| receipt.number);
        let key = SkillKey { thread: thread.clone(), newest, among, messages, receipt };
        if let Some(known) = self.skill_cache.get(&key) {
            return Ok(known);
        }
        let read = move |view: &mut View<'_>| {
            let messages =
                view.tool_messages(ToolMessageQuery { thread: thread.as_deref(), newest, among })?;
            Ok((messages, checked_outcomes(view)?))
        };
        let (mut messages, outcomes) = self.store.read(read).await?;
        // Transcripts may be taken in in any order.
        messages.sort_by_key(|message| message.at);
        let mut by_thread: BTreeMap<Option<String>, Vec<ToolMessageRecord>> = BTreeMap::new();
        for message in messages {
            by_thread.entry(message.thread.clone()).or_default().push(message);
        }
        let mut projects: Vec<ProjectSkills> = by_thread
            .into_iter()
            .filter_map(|(thread, messages)| project_skills(thread, &messages, &outcomes))
            .collect();
        projects.sort_by_key(|project| Reverse(project.calls));
        let projects = Arc::new(projects);
        self.skill_cache.keep(key, &projects);
        Ok(projects)
    }
}

/// The newest outcomes that somebody has checked or that failed, the newest first: what a tool reports of itself stands in its result.
pub(crate) fn checked_outcomes(view: &mut View<'_>) -> cairn_store::Result<Vec<OutcomeEvent>> {
    let read = |receipt: &Receipt| {
        let outcome: OutcomeEvent = serde_json::from_str(&receipt.told.becomes).ok()?;
        match outcome.verification {
            OutcomeVerification::Checked | OutcomeVerification::Failed => Some(outcome),
            OutcomeVerification::Unverified | OutcomeVerification::Reported => None,
        }
    };
    Ok(view.receipts_with(ReceiptAction::Outcome, MAX_READ_OUTCOMES)?.iter().filter_map(read).collect())
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
