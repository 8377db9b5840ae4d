//! Scaffold proposals: what friction asks for becomes a proposal for TOOLS.md or AGENTS.md, once. An operator decides; what was
//! rejected is not proposed again.

use super::{
    material::{MaterialBounds, ProjectMaterial, material},
    report::{ProposedFrictions, scaffold_key},
};
use crate::{
    agent::Agent,
    error::Result,
    growth::proposal::{ProposalEvidence, ScaffoldChange},
    quote,
    rhythm::{StepContext, StepDecision},
    stored_json::to_stored_json,
};
use cairn_cognition::{
    friction::{Advice, Friction, WorkRef, advice, frictions},
    skill::failure_line,
};
use cairn_domain::{IdentityEdit, MAX_PENDING_PROPOSALS, ProposalOrigin, Time};
use cairn_store::{Crystallized, ProposalRecord, RhythmBatch, View};
use std::collections::BTreeMap;

/// Proposals of this kind that wait at the same time: two places stay for others.
const MAX_WAITING: usize = 3;
/// Characters that are quoted as evidence.
const MAX_QUOTED_CHARS: usize = 160;

/// Proposes what the most often seen friction asks for.
pub(crate) async fn decide(agent: &Agent, context: &StepContext<'_>) -> Result<StepDecision> {
    if !agent.config.evolution.enabled {
        return Ok(StepDecision::nothing("evolution.enabled is off"));
    }
    let mut files = BTreeMap::new();
    for name in ["TOOLS.md", "AGENTS.md"] {
        files.insert(name, agent.identity_text(name)?);
    }
    let now = context.now;
    let decided = agent.store.read(move |view| propose(view, &files, now)).await?;
    Ok(decided)
}

fn propose(
    view: &mut View<'_>,
    files: &BTreeMap<&str, String>,
    now: Time,
) -> cairn_store::Result<StepDecision> {
    let known = ProposedFrictions::read(view, now)?;
    let waiting = view.pending_proposals(now)?;
    let own = waiting.iter().filter(|one| one.origin == ProposalOrigin::Evolution).count();
    let room = MAX_WAITING.saturating_sub(own).min(MAX_PENDING_PROPOSALS.saturating_sub(waiting.len()));
    let projects = material(view, None, MaterialBounds::ALL)?;
    let mut batch = RhythmBatch::default();
    let mut wanted: Vec<(usize, ProposalRecord)> = Vec::new();
    for project in &projects {
        batch.looked_at += project.messages.len() as u32;
        for friction in project.look(frictions) {
            let key = scaffold_key(project.thread.as_deref(), &friction);
            let Some(advice) = advice(&friction, project.thread.as_deref()) else { continue };
            let is_new = !known.has(&key) && wanted.iter().all(|(_, one)| one.text != advice.text);
            let edit =
                IdentityEdit { file: advice.file.to_owned(), replaces: None, text: advice.text.clone() };
            let fits = files.get(advice.file).is_some_and(|text| edit.applied_to(text).is_ok());
            if is_new && fits {
                wanted.push((friction.times, proposal(project, &friction, key, edit, advice, now)?));
            }
        }
    }
    wanted.sort_by_key(|(times, _)| std::cmp::Reverse(*times));
    wanted.truncate(room);
    let crystallized = |(_, proposal)| Crystallized { proposal, inquiries: Vec::new() };
    batch.growth.crystallized = wanted.into_iter().map(crystallized).collect();
    batch.version = view.memory_version()?;
    Ok(StepDecision::last(batch))
}

fn proposal(
    project: &ProjectMaterial,
    friction: &Friction,
    key: String,
    edit: IdentityEdit,
    advice: Advice,
    now: Time,
) -> cairn_store::Result<ProposalRecord> {
    let evidence: Vec<ProposalEvidence> = friction.seen.iter().map(|seen| source(project, *seen)).collect();
    let first = friction.seen.first().map_or(now, |seen| project.record(*seen).at);
    let reason = format!(
        "friction `{}`, seen {} times during {} requests; the oldest of the evidence is of {}",
        friction.kind.as_str(),
        friction.times,
        friction.exchanges.len(),
        first.day()
    );
    let scaffold = ScaffoldChange {
        friction: friction.kind.as_str().to_owned(),
        key,
        expects: advice.expects,
        verify: advice.verify,
        rollback: format!(
            "`cairn review rollback RECEIPT` restores {} as it was; `cairn review show` names the receipt",
            edit.file
        ),
    };
    let evidence = to_stored_json("the evidence", &evidence)?;
    let scaffold = Some(to_stored_json("the scaffold", &scaffold)?);
    let pending = ProposalRecord::pending(edit, ProposalOrigin::Evolution, reason, evidence, now);
    Ok(ProposalRecord { scaffold, ..pending })
}

/// A record that tells friction, with the words that do.
fn source(project: &ProjectMaterial, seen: WorkRef) -> ProposalEvidence {
    let record = project.record(seen);
    let line = match seen {
        WorkRef::Result(_) => failure_line(&record.text),
        WorkRef::Request(_) => record.text.as_str(),
    };
    ProposalEvidence { reference: record.id.to_string(), quoted: quote::beginning(line, MAX_QUOTED_CHARS) }
}
