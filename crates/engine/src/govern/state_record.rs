//! State records and maturation candidates: a view over what is stored, which changes nothing.

use crate::{
    agent::Agent,
    belief::{ReviewScope, WhyBelief},
    error::{EngineError, Result},
    growth::StoredProposal,
    read::{IdentityFile, WhyMemory},
};
use cairn_cognition::belief::gate::belief_state;
use cairn_domain::{
    ApplicationMode, BeliefLane, Category, ConsumerKind, Form, MaturationCandidate, MaturationLane,
    MutationPolicy, ProposalStatus, Receipt, RecordState, Ref, StateRecord, StateRecordKind, Time,
    consumers_of,
};
use cairn_store::{BeliefFilter, LOW_RISK, MemoryScope};

/// How a handoff is addressed; the thread follows, or nothing for the last session.
const HANDOFF_ADDRESS: &str = "handoff/";
/// How an identity file is addressed.
const IDENTITY_ADDRESS: &str = "identity/";

impl Agent {
    /// The state record of one record.
    pub async fn state_record(&self, written: &str) -> Result<StateRecord> {
        let missing = || EngineError::NotFound(written.to_owned());
        if let Some(thread) = written.strip_prefix(HANDOFF_ADDRESS) {
            let thread = Some(thread).filter(|thread| !thread.is_empty());
            return self.handoff_record(thread).await?.ok_or_else(missing);
        }
        if let Some(name) = written.strip_prefix(IDENTITY_ADDRESS) {
            let file = IdentityFile::ALL.into_iter().find(|file| file.file_name() == name);
            return self.identity_record(file.ok_or_else(missing)?).await?.ok_or_else(missing);
        }
        if let Ok(id) = written.parse() {
            return self.proposal_record(&self.proposal(id).await?).await;
        }
        match self.resolve(written).await? {
            Ref::Belief(id) => Ok(belief_record(&self.why_belief(id).await?)),
            Ref::Memory(id) => self.memory_record(&self.why_memory(id).await?).await,
            Ref::Message(_) | Ref::Exchange(_) | Ref::Digest(_) | Ref::Attachment(_) => Err(missing()),
        }
    }

    /// State records of every kind, up to `limit` of each: identity, beliefs, proposals, handoffs, memories.
    pub async fn state_records(&self, limit: u32) -> Result<Vec<StateRecord>> {
        let mut records = Vec::new();
        for file in IdentityFile::ALL {
            records.extend(self.identity_record(file).await?);
        }
        for held in self.beliefs(BeliefFilter::default(), limit).await? {
            records.push(belief_record(&self.why_belief(held.belief.id).await?));
        }
        for proposal in self.proposals(limit).await? {
            records.push(self.proposal_record(&proposal).await?);
        }
        for stored in self.handoffs(limit).await? {
            records.extend(self.handoff_record(stored.scope.thread()).await?);
        }
        for memory in self.memories(None, MemoryScope::Active, limit).await? {
            records.push(self.memory_record(&self.why_memory(memory.memory.id).await?).await?);
        }
        Ok(records)
    }

    /// Candidates for a change: beliefs that nobody has verified and proposals that wait, up to `limit` of each.
    pub async fn maturation_candidates(&self, limit: u32) -> Result<Vec<MaturationCandidate>> {
        let declared = self.store.read(|view| view.protected_setting(LOW_RISK)).await?;
        let declared = declared.map(|(value, _)| value).unwrap_or_default();
        let mut candidates = Vec::new();
        for (record, _) in self.to_review(ReviewScope::Waiting, limit).await? {
            if record.belief.lane != BeliefLane::Candidate {
                continue;
            }
            let review = self.review(record.belief.id).await?;
            let belief = &record.belief;
            let is_declared = declared.split(',').any(|kind| kind.trim() == belief.kind.as_str());
            candidates.push(MaturationCandidate {
                reference: belief.id.to_string(),
                lane: belief.kind.into(),
                summary: belief.summary.clone(),
                evidence: supporting_refs(&review.why),
                evidence_review: format!(
                    "{}, {}: {} ({})",
                    review.shape.as_str(),
                    review.verification.state,
                    review.recommended.0.as_str(),
                    review.recommended.1
                ),
                application_mode: if is_declared {
                    ApplicationMode::Declared
                } else {
                    ApplicationMode::OperatorReview
                },
                later_effect_plan:
                    "verified, it may be given as true in `enforce` to the consumers it is accepted for; a \
                                    rollback of the receipt takes it back"
                        .to_owned(),
            });
        }
        for proposal in self.pending_proposals().await?.into_iter().take(limit as usize) {
            candidates.push(MaturationCandidate {
                reference: proposal.record.id.to_string(),
                lane: MaturationLane::Safety,
                summary: proposal.record.text.clone(),
                evidence: proposal.evidence.iter().map(|one| one.reference.clone()).collect(),
                evidence_review: format!(
                    "{} record(s), proposed because: {}",
                    proposal.evidence.len(),
                    proposal.record.reason
                ),
                application_mode: ApplicationMode::OperatorReview,
                later_effect_plan: format!(
                    "accepted, {} says so from the next session on; a rollback restores it to the byte",
                    proposal.record.file
                ),
            });
        }
        Ok(candidates)
    }

    async fn memory_record(&self, why: &WhyMemory) -> Result<StateRecord> {
        let memory = &why.record.memory;
        let is_skill = memory.form == Form::Procedure || memory.category == Category::Procedure;
        let holds = memory.holds(self.now());
        let receipts = self.receipts_of(&memory.id.to_string()).await?;
        Ok(StateRecord {
            reference: memory.id.to_string(),
            kind: if is_skill { StateRecordKind::Skill } else { StateRecordKind::Memory },
            source: why.evidence.iter().map(|one| one.evidence.source.to_string()).collect(),
            status: memory.standing().to_owned(),
            state: Some(RecordState::Memory),
            freshness: None,
            at: memory.valid_from,
            allowed_consumers: if holds {
                consumers_of(RecordState::Memory)
            } else {
                vec![ConsumerKind::UiReview]
            },
            mutation_policy: MutationPolicy::AppendOnly,
            receipts: numbers(&receipts),
            rollback: None,
        })
    }

    async fn proposal_record(&self, proposal: &StoredProposal) -> Result<StateRecord> {
        let reference = proposal.record.id.to_string();
        let receipts = self.receipts_of(&reference).await?;
        let pending = proposal.status == ProposalStatus::Pending;
        Ok(StateRecord {
            reference,
            kind: StateRecordKind::Proposal,
            source: proposal.evidence.iter().map(|one| one.reference.clone()).collect(),
            status: proposal.status.to_string(),
            state: pending.then_some(RecordState::Candidate),
            freshness: None,
            at: proposal.record.proposed_at,
            allowed_consumers: if pending {
                vec![ConsumerKind::UiReview, ConsumerKind::ApprovalGates]
            } else {
                vec![ConsumerKind::UiReview]
            },
            mutation_policy: MutationPolicy::OperatorOnly,
            rollback: undo_of(&receipts),
            receipts: numbers(&receipts),
        })
    }

    async fn handoff_record(&self, thread: Option<&str>) -> Result<Option<StateRecord>> {
        let Some(stored) = self.handoff(thread).await? else { return Ok(None) };
        let sections = stored.handoff.iter().flat_map(|handoff| &handoff.sections);
        let mut source: Vec<String> =
            sections.flat_map(|section| &section.lines).flat_map(|line| line.refs.clone()).collect();
        source.sort_unstable();
        source.dedup();
        Ok(Some(StateRecord {
            reference: format!("{HANDOFF_ADDRESS}{}", thread.unwrap_or_default()),
            kind: StateRecordKind::Handoff,
            source,
            status: stored.health.to_string(),
            state: Some(RecordState::Handoff),
            freshness: None,
            at: stored.written_at,
            allowed_consumers: if stored.handoff.is_some() {
                consumers_of(RecordState::Handoff)
            } else {
                vec![ConsumerKind::UiReview]
            },
            mutation_policy: MutationPolicy::Regenerated,
            receipts: Vec::new(),
            rollback: None,
        }))
    }

    async fn identity_record(&self, file: IdentityFile) -> Result<Option<StateRecord>> {
        let reference = format!("{IDENTITY_ADDRESS}{}", file.file_name());
        let Ok(text) = std::fs::read_to_string(self.folder.join(&reference)) else { return Ok(None) };
        let receipts = self.receipts_of(&reference).await?;
        let is_template = file.is_template(&text);
        Ok(Some(StateRecord {
            kind: StateRecordKind::Identity,
            source: receipts.last().map(|receipt| receipt.actor.clone()).into_iter().collect(),
            status: if is_template { "template" } else { "active" }.to_owned(),
            state: None,
            freshness: None,
            at: receipts.last().map_or(Time::from_millis(0), |receipt| receipt.at),
            allowed_consumers: if is_template {
                vec![ConsumerKind::UiReview]
            } else {
                vec![ConsumerKind::ContextInjection, ConsumerKind::Planning, ConsumerKind::UiReview]
            },
            mutation_policy: MutationPolicy::OperatorOnly,
            rollback: undo_of(&receipts),
            receipts: numbers(&receipts),
            reference,
        }))
    }
}

fn belief_record(why: &WhyBelief) -> StateRecord {
    let belief = &why.record.belief;
    let state = belief_state(belief, why.freshness);
    let mut consumers = consumers_of(state);
    // What an operator accepted for one consumer is for no other.
    consumers.retain(|kind| {
        let named = belief.allowed_consumers.iter().any(|it| ConsumerKind::from(*it) == *kind);
        named || ![ConsumerKind::ContextInjection, ConsumerKind::Recall].contains(kind)
    });
    StateRecord {
        reference: belief.id.to_string(),
        kind: StateRecordKind::Belief,
        source: supporting_refs(why),
        status: format!("{} {}", belief.lane, belief.status),
        state: Some(state),
        freshness: Some(why.freshness),
        at: belief.last_supported_at,
        allowed_consumers: consumers,
        mutation_policy: match belief.lane {
            BeliefLane::Verified => MutationPolicy::OperatorOnly,
            BeliefLane::Candidate => MutationPolicy::EvidenceOnly,
        },
        rollback: undo_of(&why.receipts),
        receipts: numbers(&why.receipts),
    }
}

/// The memories that a belief rests on, by ref.
fn supporting_refs(why: &WhyBelief) -> Vec<String> {
    let memories = why.evidence.iter().filter_map(|one| one.memory.as_ref());
    memories.map(|record| record.memory.id.to_string()).collect()
}

fn numbers(receipts: &[Receipt]) -> Vec<u64> {
    receipts.iter().map(|receipt| receipt.number).collect()
}

/// How the newest change of an operator's is undone.
fn undo_of(receipts: &[Receipt]) -> Option<String> {
    let undo = receipts.iter().rev().map(|receipt| receipt.told.undo.clone());
    undo.into_iter().find(|undo| !undo.is_empty())
}
