//! What a record rests on: what `why` tells.

use crate::{
    Memory,
    answer::{Belongs, Entry, Reasons, Rests, refused},
    ask,
    memory::Answer,
};
use cairn_domain::{BeliefId, DigestId, Ref};
use cairn_engine::{Cited, EngineError};
use rmcp::model::CallToolResult;

/// The most records that are named of what a digest stands on.
const MOST_CITED: usize = 20;

impl Memory {
    /// What a record rests on.
    pub(crate) async fn explain(&self, asked: ask::Why) -> Answer {
        let reference = self.agent.resolve(&asked.reference).await?;
        let reasons = match reference {
            Ref::Memory(id) => {
                let why = self.agent.why_memory(id).await?;
                let rests = why.evidence.iter().map(|source| Rests::on(source, source.evidence.stance));
                let related = why.relations.iter().map(|related| Belongs {
                    relation: format!("{}{}", related.kind, if related.outgoing { "" } else { "_by" }),
                    memory: Entry::of_memory(&related.other.memory),
                });
                Reasons {
                    reference: id.to_string(),
                    text: why.record.memory.text.clone(),
                    because: why.reasons.reason.clone(),
                    evidence: rests.collect(),
                    related: related.collect(),
                    memories: Vec::new(),
                }
            }
            Ref::Belief(id) => {
                if self.agent.trusted_belief(id).await?.is_none() {
                    return Ok(no_belief(reference));
                }
                self.explain_belief(id).await?
            }
            Ref::Digest(id) => self.explain_digest(id).await?,
            Ref::Message(_) | Ref::Exchange(_) => self.explain_message(reference).await?,
        };
        Ok(reasons.told())
    }

    /// What a digest stands on.
    async fn explain_digest(&self, id: DigestId) -> Result<Reasons, EngineError> {
        let why = self.agent.why_digest(id).await?;
        let entry = |cited: &Cited| match cited {
            Cited::Memory(record) => Some(Entry::of_memory(&record.memory)),
            Cited::Message(record) => Some(Entry::of_message(&record.message)),
            Cited::Digest(record) => Some(Entry::of_digest(&record.digest)),
            Cited::Gone(_) => None,
        };
        let (digest, cites) = (&why.record.digest, why.cites.len());
        Ok(Reasons {
            reference: id.to_string(),
            text: digest.text.clone(),
            because: format!(
                "it condenses {} out of {cites} record(s); no evidence itself",
                digest.condenses()
            ),
            evidence: Vec::new(),
            related: Vec::new(),
            memories: why.cites.iter().filter_map(entry).take(MOST_CITED).collect(),
        })
    }

    /// Why a belief is held that the gate has let through.
    async fn explain_belief(&self, id: BeliefId) -> Result<Reasons, EngineError> {
        let why = self.agent.why_belief(id).await?;
        let rests = why
            .evidence
            .iter()
            .flat_map(|one| one.sources.iter().map(|source| Rests::on(source, one.link.evidence.stance)));
        let memories = why.evidence.iter().filter_map(|one| one.memory.as_ref());
        Ok(Reasons {
            reference: id.to_string(),
            text: why.record.belief.summary.clone(),
            because: why.in_words.clone(),
            evidence: rests.collect(),
            related: Vec::new(),
            memories: memories.map(|record| Entry::of_memory(&record.memory)).collect(),
        })
    }

    async fn explain_message(&self, reference: Ref) -> Result<Reasons, EngineError> {
        let whys = self.agent.why(reference).await?;
        let Some(why) = whys.into_iter().next() else {
            return Err(EngineError::NotFound(reference.to_string()));
        };
        let (memories, decisions) = self.agent.formed_from(why.record.message.id).await?;
        let because: Vec<String> = decisions.iter().flatten().map(|it| it.reason.clone()).collect();
        let around =
            why.before.iter().map(|it| (it, true)).chain(std::iter::once((&why.record, why.archive_agrees)));
        let around = around.chain(why.after.iter().map(|it| (it, true)));
        let rests = |(record, holds): (_, bool)| -> Rests {
            let record: &cairn_domain::Message = record;
            Rests {
                source: record.id.to_string(),
                stance: "context".to_owned(),
                date: Some(record.at.day().to_string()),
                speaker: record.speaker.clone(),
                excerpt: record.text.clone(),
                holds,
            }
        };
        Ok(Reasons {
            reference: reference.to_string(),
            text: why.record.message.text.clone(),
            because: because.join("; "),
            evidence: around.map(|(record, holds)| rests((&record.message, holds))).collect(),
            related: Vec::new(),
            memories: memories.iter().map(|record| Entry::of_memory(&record.memory)).collect(),
        })
    }
}

/// What is held true and the gate does not let through is nothing for an agent to rely on.
pub(crate) fn no_belief(reference: Ref) -> CallToolResult {
    let hint = "ask for the memories behind it with `recall`; a person can look at it with `cairn why`";
    refused(&format!("{reference} is a belief that is not given to agents"), hint)
}
