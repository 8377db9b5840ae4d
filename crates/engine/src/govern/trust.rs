//! Trust in other agents: what a reader found confirmed or contradicted of what they share. A judgment is a receipt of the
//! reader's ledger; the owner's memory stays as it is.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    read::SharedMemory,
};
use cairn_cognition::source_trust::source_trust;
use cairn_domain::{
    AgentName, MessageId, Receipt, ReceiptAction, ReceiptDetail, SharedRef, Time, TrustVerdict, WhoseWord,
};
use cairn_store::{MemoryFilter, SOURCE_PREFIX};

/// Memories that are read to find those which are shared.
const MEMORIES_PER_PAGE: u32 = 500;
/// Pages that are read at most.
const MAX_PAGES: usize = 20;

/// How a verdict came about.
pub(super) enum TrustReason {
    /// Somebody gave it.
    Judged,
    /// The user said something that amounts to it.
    Said(MessageId),
}

impl TrustReason {
    fn in_words(&self, verdict: TrustVerdict) -> String {
        match self {
            Self::Judged => verdict.to_string(),
            Self::Said(message) => format!("{verdict} by what the user said: {message}"),
        }
    }
}

impl Agent {
    /// Notes that a shared memory was confirmed or contradicted; how far its owner is trusted then. What is not shared with this
    /// agent now is not there.
    pub async fn judge_shared(
        &self,
        reference: &SharedRef,
        verdict: TrustVerdict,
        by: WhoseWord,
    ) -> Result<f64> {
        let (owner, now) = (&reference.owner, self.now());
        let trust_at_most = match self.peers.iter().find(|peer| peer.config.name == *owner) {
            // What a peer gave was not kept: its ref is taken at its word.
            Some(peer) => Some(peer.config.trust_at_most),
            None => self.trust_at_most_in_shared(reference, now).await?,
        };
        let Some(trust_at_most) = trust_at_most else {
            return Err(EngineError::NotFound(reference.to_string()));
        };
        self.record_trust(reference, verdict, by, TrustReason::Judged).await?;
        let judgments = self.store.read(|view| view.trust_judgments(owner)).await?;
        Ok(source_trust(&judgments, trust_at_most))
    }

    /// Writes a verdict into the ledger.
    pub(super) async fn record_trust(
        &self,
        SharedRef { owner, memory }: &SharedRef,
        verdict: TrustVerdict,
        by: WhoseWord,
        reason: TrustReason,
    ) -> Result<()> {
        let receipt = Receipt {
            number: 0,
            at: self.now(),
            actor: if by >= WhoseWord::User { "user" } else { "agent" }.to_owned(),
            action: match verdict {
                TrustVerdict::Confirmed => ReceiptAction::Reinforce,
                TrustVerdict::Contradicted => ReceiptAction::Contradict,
            },
            subject: format!("{SOURCE_PREFIX}{owner}"),
            told: ReceiptDetail {
                becomes: memory.to_string(),
                reason: reason.in_words(verdict),
                ..ReceiptDetail::default()
            },
        };
        self.store.record(receipt).await?;
        Ok(())
    }

    /// The highest trust in the owner of a memory that is shared now.
    async fn trust_at_most_in_shared(&self, reference: &SharedRef, now: Time) -> Result<Option<f64>> {
        let Some(store) = self.owners.store(&reference.owner, now).await? else { return Ok(None) };
        let there = store.read(|view| view.shared_memory(reference.memory, &self.name, now)).await?;
        let sources = self.store.read(|view| view.shared_sources()).await?;
        let source = sources.into_iter().find(|(name, _)| *name == reference.owner);
        Ok(there.and(source).map(|(_, source)| source.trust_at_most))
    }

    /// The newest memories that an owner shares with this agent, whether or not it is quarantined: for review.
    pub async fn memories_shared_by(&self, owner: &AgentName, limit: u32) -> Result<Vec<SharedMemory>> {
        let now = self.now();
        let (judgments, sources) =
            self.store.read(|view| Ok((view.trust_judgments(owner)?, view.shared_sources()?))).await?;
        let source = sources.into_iter().find(|(name, _)| name == owner);
        let (Some((_, source)), Some(store)) = (source, self.owners.store(owner, now).await?) else {
            return Ok(Vec::new());
        };
        let trust = source_trust(&judgments, source.trust_at_most);
        let records = store.read(|view| newest_shared(view, &self.name, limit, now)).await?;
        let shared = |record| SharedMemory { owner: owner.clone(), record, trust };
        Ok(records.into_iter().map(shared).collect())
    }
}

/// The newest memories that a share covers.
fn newest_shared(
    view: &mut cairn_store::View<'_>,
    reader: &AgentName,
    limit: u32,
    now: Time,
) -> cairn_store::Result<Vec<cairn_store::MemoryRecord>> {
    let (mut found, mut before) = (Vec::new(), u32::MAX);
    let Some(share) = view.narrow_to_share(reader, now)? else { return Ok(found) };
    for _ in 0..MAX_PAGES {
        let page = view.memories(MemoryFilter::default(), before, MEMORIES_PER_PAGE)?;
        let Some(last) = page.last() else { break };
        before = last.number;
        let numbers: Vec<u32> = page.iter().map(|record| record.number).collect();
        let slugs = view.slugs_of_each(&numbers)?;
        let covered = page.into_iter().zip(slugs).filter(|(it, slugs)| share.covers(&it.memory, slugs));
        found.extend(covered.map(|(record, _)| record));
        if found.len() >= limit as usize {
            break;
        }
    }
    found.truncate(limit as usize);
    Ok(found)
}
