//! Verbs that take more than one step, put to an agent and into words: the same for every surface.

use crate::{
    Belief, Digest, Memory, Message, Opened, Recall, RecallRequest, Records, Why, WhyBelief, WhyDigest,
    WhyMemory, WhyMessage, WhyMessages,
};
use cairn_domain::Ref;
use cairn_engine::{Agent, Result};

/// Finds what answers a question.
pub async fn recall(agent: &Agent, request: &RecallRequest) -> Result<Recall> {
    let question = request.question(agent.config())?;
    let mut recall = agent.recall(question).await?;
    if request.timeline {
        recall.hits.sort_by_key(|hit| (hit.found.at(), hit.found.message().map(|record| record.seq)));
    }
    if !request.read_only {
        agent.given(&recall).await?;
    }
    Ok(Recall::new(&recall, request.explain))
}

/// Opens records in full, in the order asked for.
pub async fn open(agent: &Agent, refs: &[Ref]) -> Result<Records> {
    let mut records = Vec::with_capacity(refs.len());
    for reference in refs {
        records.push(match *reference {
            Ref::Memory(id) => Opened::Memory(Box::new(Memory::from(&agent.memory(id).await?))),
            Ref::Belief(id) => Opened::Belief(Box::new(Belief::from(&agent.belief(id).await?))),
            Ref::Digest(id) => Opened::Digest(Box::new(Digest::from(&agent.digest(id).await?))),
            Ref::Message(_) | Ref::Exchange(_) => Opened::Messages {
                reference: reference.to_string(),
                messages: agent.open_ref(*reference).await?.iter().map(Message::from).collect(),
            },
        });
    }
    Ok(Records { records, next: None })
}

/// What stands behind a ref.
pub async fn why(agent: &Agent, reference: Ref) -> Result<Why> {
    if let Ref::Memory(id) = reference {
        return Ok(Why::Memory(Box::new(WhyMemory::from(&agent.why_memory(id).await?))));
    }
    if let Ref::Belief(id) = reference {
        return Ok(Why::Belief(Box::new(WhyBelief::from(&agent.why_belief(id).await?))));
    }
    if let Ref::Digest(id) = reference {
        return Ok(Why::Digest(Box::new(WhyDigest::from(&agent.why_digest(id).await?))));
    }
    let mut evidence = Vec::new();
    for why in agent.why(reference).await? {
        let formed = agent.formed_from(why.record.message.id).await?;
        evidence.push(WhyMessage::new(&why, &formed));
    }
    Ok(Why::Messages(WhyMessages { reference: reference.to_string(), evidence }))
}
