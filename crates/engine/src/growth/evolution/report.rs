//! The report: the friction of each project, and what became of what was proposed against it.

use super::material::{MaterialBounds, ProjectMaterial, material};
use crate::{
    Agent, Result,
    growth::proposal::{StoredProposal, scaffold_change},
    quote,
    write::stored_name,
};
use cairn_cognition::{
    friction::{Friction, FrictionKind, Work, WorkSignal, frictions},
    skill::ToolOutcome,
};
use cairn_domain::{MessageId, ProposalId, ProposalOrigin, ProposalStatus, Time};
use cairn_store::{ProposalRecord, View};
use std::collections::BTreeMap;

/// Characters of a line that tells friction.
const MAX_TOLD_CHARS: usize = 160;
/// Proposals among which those that came of friction are looked for.
pub(super) const MAX_PROPOSALS_SEARCHED: u32 = 1_000;

/// How an agent works with tools, and what makes it hard.
#[derive(Debug, Clone, PartialEq)]
pub struct EvolutionReport {
    /// Whether friction is looked for.
    pub is_enabled: bool,
    /// Each project, the most worked in first.
    pub projects: Vec<ProjectEvolution>,
    /// The proposals against friction, the newest first.
    pub proposals: Vec<StoredProposal>,
}

/// How an agent works in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectEvolution {
    /// The project; none of messages without one.
    pub thread: Option<String>,
    /// Steps with tools.
    pub steps: usize,
    /// Steps that failed.
    pub failed: usize,
    /// Steps that the user did not let run.
    pub refused: usize,
    /// How often the user was satisfied, corrected something, and said that it is still not right, right after work.
    pub signals: [usize; 3],
    /// The friction, the most often seen first.
    pub frictions: Vec<SeenFriction>,
}

/// Friction that was seen in a project.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenFriction {
    /// The kind.
    pub kind: FrictionKind,
    /// The thing it is about.
    pub subject: String,
    /// The line that tells it; empty if none does.
    pub line: String,
    /// The command that works.
    pub instead: Option<String>,
    /// How often it was seen.
    pub times: usize,
    /// Requests during which it was seen.
    pub exchanges: usize,
    /// When it was seen last.
    pub last_at: Option<Time>,
    /// The messages in which it was seen, the newest few.
    pub seen: Vec<MessageId>,
    /// The proposal against it, and where that stands.
    pub proposal: Option<(ProposalId, ProposalStatus)>,
    /// Of the newest few, how many came after the proposal was accepted; none if it was not.
    pub since: Option<usize>,
}

impl Agent {
    /// How work with tools goes and what makes it hard, of one project or of all.
    pub async fn evolution(&self, thread: Option<&str>) -> Result<EvolutionReport> {
        let is_enabled = self.config.evolution.enabled;
        let proposals = self.proposals(MAX_PROPOSALS_SEARCHED).await?.into_iter();
        let proposals: Vec<StoredProposal> =
            proposals.filter(|one| one.record.origin == ProposalOrigin::Evolution).collect();
        if !is_enabled {
            return Ok(EvolutionReport { is_enabled, projects: Vec::new(), proposals });
        }
        let (wanted, now) = (thread.map(stored_name), self.now());
        let read = move |view: &mut View<'_>| {
            let known = ProposedFrictions::read(view, now)?;
            let projects = material(view, wanted.as_deref(), MaterialBounds::ALL)?;
            Ok(projects.iter().map(|project| evolution_of(project, &known)).collect::<Vec<_>>())
        };
        let mut projects = self.store.read(read).await?;
        projects.retain(|project| project.steps > 0);
        projects.sort_by_key(|project| std::cmp::Reverse(project.steps));
        Ok(EvolutionReport { is_enabled, projects, proposals })
    }
}

/// The proposals against friction, by its key: the newest proposal that did not run out.
pub(super) struct ProposedFrictions(BTreeMap<String, KnownProposal>);

#[derive(Clone, Copy)]
struct KnownProposal {
    id: ProposalId,
    status: ProposalStatus,
    accepted_at: Option<Time>,
}

impl ProposedFrictions {
    pub(super) fn read(view: &mut View<'_>, now: Time) -> cairn_store::Result<Self> {
        let mut known = BTreeMap::new();
        let records = view.proposals(MAX_PROPOSALS_SEARCHED)?;
        for record in records.into_iter().filter(|record| record.origin == ProposalOrigin::Evolution) {
            let status = record.status.at(record.expires_at, now);
            let Some(scaffold) = scaffold_change(&record)? else { continue };
            if status == ProposalStatus::Expired || known.contains_key(&scaffold.key) {
                continue;
            }
            let accepted_at = accepted_at(view, &record)?;
            known.insert(scaffold.key, KnownProposal { id: record.id, status, accepted_at });
        }
        Ok(Self(known))
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }
}

/// When an operator accepted a proposal that stands.
fn accepted_at(view: &mut View<'_>, record: &ProposalRecord) -> cairn_store::Result<Option<Time>> {
    let Some(number) = record.receipt.filter(|_| record.status == ProposalStatus::Accepted) else {
        return Ok(None);
    };
    Ok(view.receipt(number)?.map(|receipt| receipt.at))
}

/// By what friction of a project is known again among proposals.
pub(super) fn scaffold_key(project: Option<&str>, friction: &Friction) -> String {
    format!("{}/{}/{}", project.unwrap_or_default(), friction.kind.as_str(), friction.key)
}

fn evolution_of(project: &ProjectMaterial, known: &ProposedFrictions) -> ProjectEvolution {
    project.look(|work| {
        let count = |outcome| work.steps.iter().filter(|step| step.outcome == outcome).count();
        let seen = |friction: &Friction| seen_friction(project, friction, known);
        ProjectEvolution {
            thread: project.thread.clone(),
            steps: work.steps.len(),
            failed: count(ToolOutcome::Failed),
            refused: count(ToolOutcome::Refused),
            signals: signals(work),
            frictions: frictions(work).iter().map(seen).collect(),
        }
    })
}

/// How often the user was satisfied, corrected something, and said that it is still not right.
fn signals(work: &Work<'_>) -> [usize; 3] {
    let said = work.signals();
    [WorkSignal::Satisfied, WorkSignal::Corrected, WorkSignal::Unsolved]
        .map(|signal| said.iter().filter(|(said, _)| *said == signal).count())
}

pub(super) fn seen_friction(
    project: &ProjectMaterial,
    friction: &Friction,
    known: &ProposedFrictions,
) -> SeenFriction {
    let proposed = known.0.get(&scaffold_key(project.thread.as_deref(), friction)).copied();
    let seen: Vec<_> = friction.seen.iter().map(|at| project.record(*at)).collect();
    let accepted = proposed.and_then(|proposal| proposal.accepted_at);
    SeenFriction {
        kind: friction.kind,
        subject: quote::beginning(&friction.subject, MAX_TOLD_CHARS),
        line: quote::beginning(&friction.line, MAX_TOLD_CHARS),
        instead: friction.instead.as_deref().map(|command| quote::beginning(command, MAX_TOLD_CHARS)),
        times: friction.times,
        exchanges: friction.exchanges.len(),
        last_at: seen.iter().map(|record| record.at).max(),
        since: accepted.map(|accepted| seen.iter().filter(|record| record.at > accepted).count()),
        seen: seen.iter().map(|record| record.id).collect(),
        proposal: proposed.map(|proposal| (proposal.id, proposal.status)),
    }
}
