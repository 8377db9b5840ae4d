//! Maturation candidates: what could become something that shapes behavior, and what that would take. A view; nothing matures by being
//! looked at.

use crate::{
    agent::Agent,
    belief::{EvidenceShape, Review, ReviewScope},
    error::Result,
    growth::StoredProposal,
    read::IdentityFile,
};
use cairn_cognition::belief::gate::belief_state;
use cairn_domain::{ApplicationMode, BeliefLane, MaturationCandidate, MaturationLane, RecordState, Stance};
use cairn_store::{BeliefRecord, LOW_RISK};

/// Identity files that say how something is done rather than who the agent is.
const PROCEDURAL_FILES: [IdentityFile; 2] = [IdentityFile::Agents, IdentityFile::Tools];

impl Agent {
    /// Candidates, at most `limit` of beliefs and of proposals: beliefs that nobody has verified, verified ones that have to be
    /// verified again, and proposals that wait.
    pub async fn maturation_candidates(&self, limit: u32) -> Result<Vec<MaturationCandidate>> {
        let declared = self.store.read(|view| view.protected_setting(LOW_RISK)).await?;
        let declared = declared.map(|(kinds, _)| kinds).unwrap_or_default();
        let mut beliefs = self.to_review(ReviewScope::All, u32::MAX >> 1).await?;
        beliefs.retain(|(record, shape)| is_candidate(record, *shape));
        beliefs.truncate(limit as usize);
        let mut candidates = Vec::with_capacity(beliefs.len());
        for (record, _) in beliefs {
            candidates.push(of_belief(&self.review(record.belief.id).await?, &declared));
        }
        candidates.extend(self.pending_proposals().await?.iter().take(limit as usize).map(of_proposal));
        Ok(candidates)
    }
}

/// Whether something is left to decide about a belief: nobody has verified it, or it has to be verified again.
fn is_candidate(record: &BeliefRecord, shape: EvidenceShape) -> bool {
    match belief_state(&record.belief, record.belief.freshness) {
        RecordState::Candidate | RecordState::NotFresh => true,
        RecordState::Verified => shape == EvidenceShape::Conflicting,
        RecordState::NotActive | RecordState::Memory | RecordState::Handoff | RecordState::Lease => false,
    }
}

fn of_belief(review: &Review, declared: &str) -> MaturationCandidate {
    let belief = &review.why.record.belief;
    let is_declared = declared.split(',').any(|kind| kind == belief.kind.as_str());
    let (lane, effect) = match belief.lane {
        BeliefLane::Candidate => (belief.kind.into(), "verified, it is given as true"),
        BeliefLane::Verified => {
            (MaturationLane::ContextEligibility, "verified again, it is given as true again")
        }
    };
    let evidence = review.why.evidence.iter().filter(|one| one.link.evidence.stance == Stance::Support);
    let (recommended, why) = &review.recommended;
    let (shape, says) = (review.shape.as_str(), review.verification.state);
    MaturationCandidate {
        reference: belief.id.to_string(),
        lane,
        summary: belief.summary.clone(),
        evidence: evidence.filter_map(|one| Some(one.memory.as_ref()?.memory.id.to_string())).collect(),
        evidence_review: format!("{shape}, sources: {says}; {}: {why}", recommended.as_str()),
        application_mode: if is_declared && review.near_ready_in_own_words {
            ApplicationMode::Declared
        } else {
            ApplicationMode::OperatorReview
        },
        later_effect_plan: format!(
            "{effect} in `enforce` to the consumers it is accepted for; rolling its receipt back undoes it"
        ),
    }
}

fn of_proposal(proposal: &StoredProposal) -> MaturationCandidate {
    let record = &proposal.record;
    let is_procedural = PROCEDURAL_FILES.iter().any(|file| file.file_name() == record.file);
    MaturationCandidate {
        reference: record.id.to_string(),
        lane: if is_procedural { MaturationLane::Procedural } else { MaturationLane::Safety },
        summary: record.text.clone(),
        evidence: proposal.evidence.iter().map(|one| one.reference.clone()).collect(),
        evidence_review: format!("{} source(s); {}", proposal.evidence.len(), record.reason),
        application_mode: ApplicationMode::OperatorReview,
        later_effect_plan: format!(
            "accepted, {} says so from the next session on; rolling its receipt back restores the file to the byte",
            record.file
        ),
    }
}
