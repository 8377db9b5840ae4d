//! `why`: what a record stands on.

use super::audience::Audience;
use crate::{
    Agent, Decision, Result, SeenAttachment,
    belief::WhyBelief,
    read::{Why, WhyDigest, WhyMemory},
};
use cairn_domain::Ref;
use cairn_store::{MemoryRecord, RefinementRecord};

/// A record with what it stands on.
#[derive(Debug, Clone, PartialEq)]
pub enum ExplainedRecord {
    /// A memory.
    Memory(Box<WhyMemory>),
    /// A belief.
    Belief(Box<WhyBelief>),
    /// A digest.
    Digest(Box<WhyDigest>),
    /// A file that was attached, as it stands now.
    Attachment(Box<SeenAttachment>),
    /// A message, or the messages of an exchange.
    Messages(Ref, Vec<ExplainedMessage>),
}

/// A message with what was said around it and what it became.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedMessage {
    /// The message and what was said around it.
    pub why: Why,
    /// The memories that rest on it.
    pub memories: Vec<MemoryRecord>,
    /// The verdicts on its statements; `None` if it was not formed yet.
    pub decisions: Option<Vec<Decision>>,
    /// A language model's reading of it; `None` if none was asked yet.
    pub refinement: Option<RefinementRecord>,
}

impl ExplainedRecord {
    /// Whether every source, read again just now, still says the same.
    pub fn sources_hold(&self) -> bool {
        match self {
            Self::Memory(why) => why.evidence.iter().all(|source| source.holds),
            Self::Belief(why) => why.evidence.iter().all(|one| one.sources.iter().all(|source| source.holds)),
            Self::Digest(_) => true,
            Self::Attachment(seen) => seen.verification_gap().is_none(),
            Self::Messages(_, messages) => messages.iter().all(|message| message.why.archive_agrees),
        }
    }
}

impl Agent {
    /// The evidence of the record behind a ref, down to the verbatim words.
    pub async fn explain(&self, written: &str, audience: Audience) -> Result<ExplainedRecord> {
        let reference = self.resolve(written).await?;
        self.check_audience(reference, audience).await?;
        Ok(match reference {
            Ref::Memory(id) => ExplainedRecord::Memory(Box::new(self.why_memory(id).await?)),
            Ref::Belief(id) => ExplainedRecord::Belief(Box::new(self.why_belief(id).await?)),
            Ref::Digest(id) => ExplainedRecord::Digest(Box::new(self.why_digest(id).await?)),
            Ref::Attachment(id) => ExplainedRecord::Attachment(Box::new(self.attachment(id).await?)),
            Ref::Message(_) | Ref::Exchange(_) => {
                let mut messages = Vec::new();
                for why in self.why_messages(reference).await? {
                    let (memories, decisions) = self.formed_from(why.record.message.id).await?;
                    let refinement = self.refinement_of(why.record.message.id).await?;
                    messages.push(ExplainedMessage { why, memories, decisions, refinement });
                }
                ExplainedRecord::Messages(reference, messages)
            }
        })
    }
}
