//! What stands behind a record.

use crate::{ArchiveLine, Entity, Evidence, Memory, Message, WhyBelief, WhyDigest};
use cairn_domain::{MemoryId, RelationKind, Time, Verdict};
use cairn_engine::{Decision, ExplainedMessage, ExplainedRecord, Reasons, Related};
use cairn_store::{RevisionRecord, StatementRecord};
use schemars::JsonSchema;
use serde::Serialize;

/// What stands behind a ref.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Why {
    /// Behind a memory.
    Memory(Box<WhyMemory>),
    /// Behind a belief.
    Belief(Box<WhyBelief>),
    /// Behind a digest.
    Digest(Box<WhyDigest>),
    /// Behind a message or an exchange.
    Messages(WhyMessages),
}

impl From<&ExplainedRecord> for Why {
    fn from(explained: &ExplainedRecord) -> Self {
        match explained {
            ExplainedRecord::Memory(why) => Self::Memory(Box::new(why.as_ref().into())),
            ExplainedRecord::Belief(why) => Self::Belief(Box::new(why.as_ref().into())),
            ExplainedRecord::Digest(why) => Self::Digest(Box::new(why.as_ref().into())),
            ExplainedRecord::Messages(reference, messages) => Self::Messages(WhyMessages {
                reference: reference.to_string(),
                evidence: messages.iter().map(WhyMessage::new).collect(),
            }),
        }
    }
}

/// What stands behind a message or an exchange.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WhyMessages {
    /// What was asked about.
    #[serde(rename = "ref")]
    pub reference: String,
    /// One answer for each message.
    pub evidence: Vec<WhyMessage>,
}

/// A message, what was said around it, where the archive keeps it, and what it became.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WhyMessage {
    /// The message.
    pub message: Message,
    /// What was said before it in its session.
    pub before: Vec<Message>,
    /// What was said after it.
    pub after: Vec<Message>,
    /// Its line of the archive.
    pub archive: ArchiveLine,
    /// The memories that rest on it.
    pub memories: Vec<Memory>,
    /// What was decided about it; null if nobody has looked at it yet.
    pub decisions: Option<Vec<Decision>>,
}

impl WhyMessage {
    /// A message, and the memories and decisions that came of it.
    pub fn new(explained: &ExplainedMessage) -> Self {
        let ExplainedMessage { why, memories, decisions } = explained;
        Self {
            message: (&why.record).into(),
            before: why.before.iter().map(Message::from).collect(),
            after: why.after.iter().map(Message::from).collect(),
            archive: ArchiveLine {
                file: why.archive_file.clone(),
                line: why.record.archive_line,
                agrees: why.archive_agrees,
            },
            memories: memories.iter().map(Memory::from).collect(),
            decisions: decisions.clone(),
        }
    }
}

/// A memory with all that led to it and that it rests on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WhyMemory {
    /// Its ref.
    #[serde(rename = "ref")]
    pub reference: MemoryId,
    /// The memory.
    pub memory: Memory,
    /// Every step that led to it.
    pub reasons: Reasons,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// All it has said, the oldest first.
    pub revisions: Vec<Revision>,
    /// What it belongs to.
    pub relations: Vec<Relation>,
    /// What it says of whom.
    pub statements: Vec<Statement>,
    /// The names it holds.
    pub entities: Vec<Entity>,
}

/// What a memory said, and why it came to say so.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Revision {
    /// The text.
    pub text: String,
    /// What the gate had decided.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Time,
}

/// A memory that another belongs to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Relation {
    /// What they are to each other.
    pub kind: RelationKind,
    /// Whether the relation goes out from the memory that was asked about.
    pub outgoing: bool,
    /// How sure that is.
    pub confidence: f64,
    /// Why.
    pub reason: String,
    /// The other memory.
    pub other: MemoryId,
    /// What it says.
    pub text: String,
}

/// Who has which value of what.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Statement {
    /// Whom or what it is about.
    pub subject: String,
    /// What of it.
    pub attribute: String,
    /// Its value.
    pub value: String,
    /// Whether that is what it is not.
    pub negated: bool,
    /// How sure that reading is.
    pub confidence: f64,
}

impl From<&cairn_engine::WhyMemory> for WhyMemory {
    fn from(why: &cairn_engine::WhyMemory) -> Self {
        Self {
            reference: why.record.memory.id,
            memory: (&why.record).into(),
            reasons: why.reasons.clone(),
            evidence: why.evidence.iter().map(Evidence::from).collect(),
            revisions: why.revisions.iter().map(Revision::from).collect(),
            relations: why.relations.iter().map(Relation::from).collect(),
            statements: why.statements.iter().map(Statement::from).collect(),
            entities: why.entities.iter().map(Entity::from).collect(),
        }
    }
}

impl From<&RevisionRecord> for Revision {
    fn from(revision: &RevisionRecord) -> Self {
        Self {
            text: revision.text.clone(),
            verdict: revision.verdict,
            reason: revision.reason.clone(),
            at: revision.written_at,
        }
    }
}

impl From<&Related> for Relation {
    fn from(related: &Related) -> Self {
        Self {
            kind: related.kind,
            outgoing: related.outgoing,
            confidence: related.confidence,
            reason: related.reason.clone(),
            other: related.other.memory.id,
            text: related.other.memory.text.clone(),
        }
    }
}

impl From<&StatementRecord> for Statement {
    fn from(statement: &StatementRecord) -> Self {
        Self {
            subject: statement.subject.clone(),
            attribute: statement.attribute.clone(),
            value: statement.value.clone(),
            negated: statement.negated,
            confidence: statement.confidence,
        }
    }
}
