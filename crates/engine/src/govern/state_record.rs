//! State records: where everything that may shape behavior comes from, how it stands, and who may use and change it. A view over what
//! is stored, which changes nothing.

use crate::{
    agent::Agent,
    belief::WhyBelief,
    continuity::{SeenProcedure, StoredHandoff},
    error::{EngineError, Result},
    growth::StoredProposal,
    read::{IdentityFile, WhyMemory},
};
use cairn_cognition::belief::gate::{Asking, belief_state, may_be_given};
use cairn_domain::{
    Belief, BeliefLane, Consumer, ConsumerCheck, ConsumerKind, HandoffScope, MessageId, MutationPolicy,
    Privacy, ProposalStatus, Receipt, RecordState, Ref, StateRecord, StateRecordKind, Time,
};
use cairn_store::{BeliefFilter, MemoryScope};

/// How a handoff is addressed; the thread follows, or nothing for the last session.
const HANDOFF_ADDRESS: &str = "handoff/";
/// How an identity file is addressed; its name follows.
const IDENTITY_ADDRESS: &str = "identity/";
/// How a procedure is addressed; the beginning of the hash of its project and steps follows.
const SKILL_ADDRESS: &str = "skill/";
/// Letters of that hash.
const SKILL_HASH_LETTERS: usize = 12;

impl Agent {
    /// The state record of one record.
    pub async fn state_record(&self, written: &str) -> Result<StateRecord> {
        let missing = || EngineError::NotFound(written.to_owned());
        if let Some(thread) = written.strip_prefix(HANDOFF_ADDRESS) {
            let stored = self.handoff(Some(thread).filter(|thread| !thread.is_empty())).await?;
            return Ok(handoff_record(&stored.ok_or_else(missing)?));
        }
        if let Some(name) = written.strip_prefix(IDENTITY_ADDRESS) {
            let file = IdentityFile::ALL.into_iter().find(|file| file.file_name() == name);
            return self.identity_record(file.ok_or_else(missing)?).await?.ok_or_else(missing);
        }
        if written.starts_with(SKILL_ADDRESS) {
            let known = self.skill_records().await?.into_iter();
            return known.into_iter().find(|record| record.reference == written).ok_or_else(missing);
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

    /// State records of every kind, at most `limit` of each: identity, beliefs, proposals, handoffs, skills, memories.
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
        records.extend(self.handoffs(limit).await?.iter().map(handoff_record));
        records.extend(self.skill_records().await?.into_iter().take(limit as usize));
        for memory in self.memories(None, MemoryScope::Active, limit).await? {
            records.push(self.memory_record(&self.why_memory(memory.memory.id).await?).await?);
        }
        Ok(records)
    }

    async fn memory_record(&self, why: &WhyMemory) -> Result<StateRecord> {
        let memory = &why.record.memory;
        let receipts = self.receipts_of(&memory.id.to_string()).await?;
        Ok(StateRecord {
            reference: memory.id.to_string(),
            kind: StateRecordKind::Memory,
            source: why.evidence.iter().map(|one| one.evidence.source.clone()).collect(),
            status: memory.standing().to_owned(),
            state: Some(RecordState::Memory),
            freshness: None,
            at: memory.valid_from,
            allowed_consumers: if memory.is_forgotten() {
                vec![ConsumerKind::UiReview]
            } else if memory.holds(self.now()) {
                RecordState::Memory.consumers()
            } else {
                // What was replaced is found, marked as such, and shown to no model as what holds.
                vec![ConsumerKind::Recall, ConsumerKind::UiReview]
            },
            mutation_policy: MutationPolicy::AppendOnly,
            rollback: undo_of(&receipts),
            receipts: numbers(&receipts),
        })
    }

    async fn proposal_record(&self, proposal: &StoredProposal) -> Result<StateRecord> {
        let reference = proposal.record.id.to_string();
        let receipts = self.receipts_of(&reference).await?;
        let waits = proposal.status == ProposalStatus::Pending;
        let for_operator: &[ConsumerKind] = &[ConsumerKind::UiReview, ConsumerKind::ApprovalGates];
        Ok(StateRecord {
            reference,
            kind: StateRecordKind::Proposal,
            source: proposal.evidence.iter().map(|one| one.reference.clone()).collect(),
            status: proposal.status.to_string(),
            state: waits.then_some(RecordState::Candidate),
            freshness: None,
            at: proposal.record.proposed_at,
            allowed_consumers: if waits { for_operator.to_vec() } else { vec![ConsumerKind::UiReview] },
            mutation_policy: MutationPolicy::OperatorOnly,
            rollback: undo_of(&receipts),
            receipts: numbers(&receipts),
        })
    }

    async fn identity_record(&self, file: IdentityFile) -> Result<Option<StateRecord>> {
        let reference = format!("{IDENTITY_ADDRESS}{}", file.file_name());
        let Ok(text) = std::fs::read_to_string(self.folder.join(&reference)) else { return Ok(None) };
        let receipts = self.receipts_of(&reference).await?;
        let is_template = file.is_template(&text);
        let given: &[ConsumerKind] =
            &[ConsumerKind::ContextInjection, ConsumerKind::Planning, ConsumerKind::UiReview];
        Ok(Some(StateRecord {
            kind: StateRecordKind::Identity,
            source: receipts.last().map(|receipt| receipt.actor.clone()).into_iter().collect(),
            status: if is_template { "template" } else { "active" }.to_owned(),
            state: None,
            freshness: None,
            at: receipts.last().map_or(Time::from_millis(0), |receipt| receipt.at),
            allowed_consumers: if is_template { vec![ConsumerKind::UiReview] } else { given.to_vec() },
            mutation_policy: MutationPolicy::OperatorOnly,
            rollback: undo_of(&receipts),
            receipts: numbers(&receipts),
            reference,
        }))
    }

    async fn skill_records(&self) -> Result<Vec<StateRecord>> {
        let projects = self.skills(None).await?;
        Ok(projects.iter().flat_map(|project| &project.procedures).map(skill_record).collect())
    }
}

/// A procedure is quoted as what was said is, until it fails.
fn skill_record(procedure: &SeenProcedure) -> StateRecord {
    let named = format!("{}\n{}", procedure.thread.as_deref().unwrap_or_default(), procedure.order());
    let works = procedure.failed_since == 0;
    StateRecord {
        reference: format!(
            "{SKILL_ADDRESS}{}",
            &blake3::hash(named.as_bytes()).to_hex()[..SKILL_HASH_LETTERS]
        ),
        kind: StateRecordKind::Skill,
        source: procedure.evidence.iter().map(MessageId::to_string).collect(),
        status: if works { "works" } else { "fails" }.to_owned(),
        state: Some(RecordState::Memory),
        freshness: Some(procedure.confidence),
        at: procedure.last_at,
        allowed_consumers: if works { RecordState::Memory.consumers() } else { vec![ConsumerKind::UiReview] },
        mutation_policy: MutationPolicy::Regenerated,
        receipts: Vec::new(),
        rollback: None,
    }
}

fn handoff_record(stored: &StoredHandoff) -> StateRecord {
    let lines = stored.handoff.iter().flat_map(|handoff| &handoff.sections).flat_map(|part| &part.lines);
    let mut source: Vec<String> = lines.flat_map(|line| line.refs.clone()).collect();
    source.sort_unstable();
    source.dedup();
    let thread = match &stored.scope {
        HandoffScope::Session => "",
        HandoffScope::Thread(thread) => thread,
    };
    StateRecord {
        reference: format!("{HANDOFF_ADDRESS}{thread}"),
        kind: StateRecordKind::Handoff,
        source,
        status: stored.health.to_string(),
        state: Some(RecordState::Handoff),
        freshness: None,
        at: stored.written_at,
        allowed_consumers: if stored.handoff.is_some() {
            RecordState::Handoff.consumers()
        } else {
            vec![ConsumerKind::UiReview]
        },
        mutation_policy: MutationPolicy::Regenerated,
        receipts: Vec::new(),
        rollback: None,
    }
}

fn belief_record(why: &WhyBelief) -> StateRecord {
    let belief = &why.record.belief;
    StateRecord {
        reference: belief.id.to_string(),
        kind: StateRecordKind::Belief,
        source: why.evidence.iter().map(|one| one.link.evidence.source.clone()).collect(),
        status: format!("{} {}", belief.lane, belief.status),
        state: Some(belief_state(belief, why.freshness)),
        freshness: Some(why.freshness),
        at: belief.last_supported_at,
        allowed_consumers: consumers_of_belief(belief, why.freshness),
        mutation_policy: match belief.lane {
            BeliefLane::Verified => MutationPolicy::OperatorOnly,
            BeliefLane::Candidate => MutationPolicy::EvidenceOnly,
        },
        rollback: undo_of(&why.receipts),
        receipts: numbers(&why.receipts),
    }
}

/// The consumers that the gate lets have a belief in `enforce`, and those beside it that accept its state.
fn consumers_of_belief(belief: &Belief, freshness: f64) -> Vec<ConsumerKind> {
    let given = |consumer: Consumer| may_be_given(belief, freshness, Asking::from(consumer));
    let mut consumers = belief_state(belief, freshness).consumers();
    consumers.retain(|kind| match kind {
        ConsumerKind::ContextInjection => given(Consumer::ContextInjection),
        ConsumerKind::Recall => given(Consumer::Recall),
        ConsumerKind::Planning => Consumer::ALL.into_iter().all(given),
        ConsumerKind::ToolExecution
        | ConsumerKind::MemoryPromotion
        | ConsumerKind::UiReview
        | ConsumerKind::ApprovalGates => {
            belief.privacy != Privacy::Private || !kind.contract().owes(ConsumerCheck::Privacy)
        }
    });
    consumers
}

fn numbers(receipts: &[Receipt]) -> Vec<u64> {
    receipts.iter().map(|receipt| receipt.number).collect()
}

/// How the newest change of an operator's is undone.
fn undo_of(receipts: &[Receipt]) -> Option<String> {
    receipts.iter().rev().map(|receipt| &receipt.told.undo).find(|undo| !undo.is_empty()).cloned()
}
