//! The tool `why`: the reasons and sources of a record.

use crate::{
    MemoryTools, arguments,
    rendering::{RecordLine, RecordReasons, RelatedLine, SourceLine},
    tools::ToolAnswer,
};
use cairn_domain::{Ref, Stance};
use cairn_engine::{
    Audience, Cited, EngineError, ExplainedMessage, ExplainedRecord, SeenAttachment, WhyBelief, WhyDigest,
    WhyMemory, limits::MAX_TOOL_CITED_RECORDS,
};

impl MemoryTools {
    /// Answers `why`.
    pub(crate) async fn explain(&self, asked: arguments::WhyArguments) -> ToolAnswer {
        let reasons = match self.agent.explain(&asked.reference, Audience::Agent).await? {
            ExplainedRecord::Memory(why) => of_memory(&why),
            ExplainedRecord::Belief(why) => of_belief(&why),
            ExplainedRecord::Digest(why) => of_digest(&why),
            ExplainedRecord::Attachment(seen) => of_attachment(&seen),
            ExplainedRecord::Messages(reference, messages) => of_message(reference, messages.first())?,
        };
        Ok(reasons.rendered())
    }
}

fn of_memory(why: &WhyMemory) -> RecordReasons {
    let rests = why.evidence.iter().map(|source| SourceLine::on(source, source.evidence.stance));
    let related = why.relations.iter().map(|related| RelatedLine {
        relation: format!("{}{}", related.kind, if related.outgoing { "" } else { "_by" }),
        memory: RecordLine::of_memory(&related.other.memory),
    });
    RecordReasons {
        reference: why.record.memory.id.to_string(),
        text: why.record.memory.text.clone(),
        because: why.reasons.reason.clone(),
        evidence: rests.collect(),
        related: related.collect(),
        memories: Vec::new(),
    }
}

fn of_attachment(seen: &SeenAttachment) -> RecordReasons {
    let receipt = &seen.attachment;
    let gap = seen.verification_gap().unwrap_or_else(|| format!("its file is {}", seen.state));
    RecordReasons {
        reference: receipt.id.to_string(),
        text: receipt.excerpt.clone(),
        because: format!(
            "it was attached on {} ({}, {} bytes); {gap}",
            receipt.attached_at.day(),
            receipt.mime,
            receipt.bytes
        ),
        evidence: Vec::new(),
        related: Vec::new(),
        memories: Vec::new(),
    }
}

fn of_digest(why: &WhyDigest) -> RecordReasons {
    let entry = |cited: &Cited| match cited {
        Cited::Memory(record) => Some(RecordLine::of_memory(&record.memory)),
        Cited::Message(record) => Some(RecordLine::of_message(&record.message)),
        Cited::Digest(record) => Some(RecordLine::of_digest(&record.digest)),
        Cited::Gone(_) => None,
    };
    let (digest, cites) = (&why.record.digest, why.cites.len());
    RecordReasons {
        reference: why.record.id.to_string(),
        text: digest.text.clone(),
        because: format!("it condenses {} out of {cites} record(s); no evidence itself", digest.condenses()),
        evidence: Vec::new(),
        related: Vec::new(),
        memories: why.cites.iter().filter_map(entry).take(MAX_TOOL_CITED_RECORDS).collect(),
    }
}

fn of_belief(why: &WhyBelief) -> RecordReasons {
    let rests = why
        .evidence
        .iter()
        .flat_map(|one| one.sources.iter().map(|source| SourceLine::on(source, one.link.evidence.stance)));
    let memories = why.evidence.iter().filter_map(|one| one.memory.as_ref());
    RecordReasons {
        reference: why.record.belief.id.to_string(),
        text: why.record.belief.summary.clone(),
        because: why.in_words.clone(),
        evidence: rests.collect(),
        related: Vec::new(),
        memories: memories.map(|record| RecordLine::of_memory(&record.memory)).collect(),
    }
}

/// The reasons of a message: the words around it and the decisions about it; of an exchange, those of its first message.
fn of_message(reference: Ref, explained: Option<&ExplainedMessage>) -> Result<RecordReasons, EngineError> {
    let Some(ExplainedMessage { why, memories, decisions, .. }) = explained else {
        return Err(EngineError::NotFound(reference.to_string()));
    };
    let because: Vec<String> = decisions.iter().flatten().map(|it| it.reason.clone()).collect();
    let itself = std::iter::once((&why.record, why.archive_agrees));
    let around = why.before.iter().map(|it| (it, true)).chain(itself);
    let around = around.chain(why.after.iter().map(|it| (it, true)));
    let evidence = around.map(|(record, holds)| SourceLine {
        source: record.message.id.to_string(),
        stance: Stance::Context.to_string(),
        date: Some(record.message.at.day().to_string()),
        speaker: record.message.shown_speaker().to_owned(),
        excerpt: record.message.text.clone(),
        holds,
    });
    Ok(RecordReasons {
        reference: reference.to_string(),
        text: why.record.message.text.clone(),
        because: because.join("; "),
        evidence: evidence.collect(),
        related: Vec::new(),
        memories: memories.iter().map(|record| RecordLine::of_memory(&record.memory)).collect(),
    })
}
