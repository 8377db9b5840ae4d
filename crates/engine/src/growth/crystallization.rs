//! Crystallization: growth vectors that say the same become a proposal for SOUL.md, once enough time has passed and nothing in
//! SOUL.md speaks against it. The last gate is an operator's.

use crate::{
    agent::Agent,
    error::Result,
    growth::proposal::ProposalEvidence,
    read::IdentityFile,
    rhythm::{StepContext, StepDecision},
    stored_json::{from_stored_json, to_stored_json},
};
use cairn_cognition::{
    alignment::{Alignment, alignment},
    principles::principles,
};
use cairn_domain::{
    IdentityEdit, MAX_PENDING_PROPOSALS, MILLIS_PER_DAY, ProposalOrigin, ProposalStatus, Time,
};
use cairn_store::{Crystallized, ProposalRecord, RhythmBatch, VectorRecord, View};
use std::collections::{BTreeMap, BTreeSet};

/// Vectors that are looked at.
const MAX_VECTORS_SEARCHED: u32 = 1_000;
/// Proposals among which the same is looked for.
const MAX_PROPOSALS_SEARCHED: u32 = 1_000;
/// Refs that a proposal gives as evidence.
const MAX_EVIDENCE: usize = 20;

/// Vectors that say the same, before the gates.
struct Candidate<'v> {
    text: &'v str,
    vectors: Vec<&'v VectorRecord>,
}

/// Takes vectors through the first two gates.
pub(crate) async fn decide(agent: &Agent, context: &StepContext<'_>) -> Result<StepDecision> {
    if !context.growth.proposals {
        return Ok(StepDecision::nothing("growth.proposals is off"));
    }
    let soul = agent.identity_text(IdentityFile::Soul.file_name())?;
    let decided = agent.store.read(|view| crystallize(view, context, &soul)).await?;
    Ok(decided)
}

fn crystallize(
    view: &mut View<'_>,
    context: &StepContext<'_>,
    soul: &str,
) -> cairn_store::Result<StepDecision> {
    let vectors = view.growth_vectors(MAX_VECTORS_SEARCHED)?;
    let known = view.proposals(MAX_PROPOSALS_SEARCHED)?;
    let mut room = MAX_PENDING_PROPOSALS.saturating_sub(view.pending_proposals(context.now)?.len());
    let mut batch = RhythmBatch { looked_at: vectors.len() as u32, ..RhythmBatch::default() };
    let principles = principles(soul);
    for candidate in candidates(&vectors) {
        let passage = passage_of(candidate.text);
        let edit = IdentityEdit {
            file: IdentityFile::Soul.file_name().to_owned(),
            replaces: None,
            text: passage.clone(),
        };
        let was_proposed = known.iter().any(|one| {
            one.text == passage && one.status.at(one.expires_at, context.now) != ProposalStatus::Expired
        });
        let opposed = alignment(candidate.text, &principles);
        let conflicts = opposed.iter().any(|one| one.alignment == Alignment::Conflicts);
        let waits = !has_settled(&candidate, context) || was_proposed || edit.applied_to(soul).is_err();
        if waits || conflicts || room == 0 {
            continue;
        }
        room -= 1;
        batch.growth.crystallized.push(crystallized(&candidate, edit, context.now)?);
    }
    batch.version = view.memory_version()?;
    Ok(StepDecision::last(batch))
}

/// A sentence as it is proposed.
pub(super) fn passage_of(sentence: &str) -> String {
    format!("- {sentence}")
}

/// Vectors that are part of no proposal, by what they say.
fn candidates(vectors: &[VectorRecord]) -> Vec<Candidate<'_>> {
    let mut by_text: BTreeMap<&str, Vec<&VectorRecord>> = BTreeMap::new();
    for vector in vectors.iter().filter(|vector| vector.proposal.is_none()) {
        by_text.entry(&vector.text).or_default().push(vector);
    }
    by_text.into_iter().map(|(text, vectors)| Candidate { text, vectors }).collect()
}

/// The first gate: enough vectors, and enough time since the first of them.
fn has_settled(candidate: &Candidate<'_>, context: &StepContext<'_>) -> bool {
    let first = candidate.vectors.iter().map(|vector| vector.made_at).min();
    let age_ms = first.map_or(0, |first| context.now.millis() - first.millis());
    candidate.vectors.len() >= context.growth.min_vectors as usize
        && age_ms >= i64::from(context.growth.min_days) * MILLIS_PER_DAY
}

fn crystallized(
    candidate: &Candidate<'_>,
    edit: IdentityEdit,
    now: Time,
) -> cairn_store::Result<Crystallized> {
    let mut evidence: Vec<ProposalEvidence> = Vec::new();
    let mut seen = BTreeSet::new();
    for vector in &candidate.vectors {
        let sources: Vec<ProposalEvidence> = from_stored_json("the evidence of a vector", &vector.evidence)?;
        evidence.extend(sources.into_iter().filter(|one| seen.insert(one.reference.clone())));
    }
    evidence.truncate(MAX_EVIDENCE);
    let first = candidate.vectors.iter().map(|vector| vector.made_at).min().unwrap_or(now);
    let reason = format!("{} inquiries since {} came to the same", candidate.vectors.len(), first.day());
    let evidence = to_stored_json("the evidence", &evidence)?;
    let proposal = ProposalRecord::pending(edit, ProposalOrigin::Growth, reason, evidence, now);
    Ok(Crystallized { proposal, inquiries: candidate.vectors.iter().map(|vector| vector.inquiry).collect() })
}
