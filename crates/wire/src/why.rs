//! The reasons and sources of a record.

use crate::{ArchiveLine, Attachment, Entity, Evidence, Memory, Message, WhyBelief, WhyDigest};
use cairn_domain::{MemoryId, MessageId, RelationKind, Time, Verdict};
use cairn_engine::{Decision, ExplainedMessage, ExplainedRecord, Reasons, Related};
use cairn_store::{RefinementRecord, RevisionRecord, StatementRecord};
use schemars::JsonSchema;
use serde::Serialize;

/// The reasons and sources of the record that a ref names.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Why {
    /// Behind a memory.
    Memory(Box<WhyMemory>),
    /// Behind a belief.
    Belief(Box<WhyBelief>),
    /// Behind a digest.
    Digest(Box<WhyDigest>),
    /// Behind an attachment.
    Attachment(Box<Attachment>),
    /// Behind a message or an exchange.
    Messages(WhyMessages),
}

impl From<&ExplainedRecord> for Why {
    fn from(explained: &ExplainedRecord) -> Self {
        match explained {
            ExplainedRecord::Memory(why) => Self::Memory(Box::new(why.as_ref().into())),
            ExplainedRecord::Belief(why) => Self::Belief(Box::new(why.as_ref().into())),
            ExplainedRecord::Digest(why) => Self::Digest(Box::new(why.as_ref().into())),
            ExplainedRecord::Attachment(seen) => Self::Attachment(Box::new(seen.as_ref().into())),
            ExplainedRecord::Messages(reference, messages) => Self::Messages(WhyMessages {
                reference: reference.to_string(),
                evidence: messages.iter().map(WhyMessage::new).collect(),
            }),
        }
    }
}

/// The surroundings of a message, or of the messages of an exchange.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WhyMessages {
    /// The ref that was asked about.
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
    /// The messages before it in its session.
    pub before: Vec<Message>,
    /// The messages after it.
    pub after: Vec<Message>,
    /// Its line of the archive.
    pub archive: ArchiveLine,
    /// The memories that rest on it.
    pub memories: Vec<Memory>,
    /// The decisions about its statements; null if it has not been formed yet.
    pub decisions: Option<Vec<Decision>>,
    /// A language model's reading of it; only if one was to be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refinement: Option<Refinement>,
}

/// A language model's reading of a message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Refinement {
    /// How it stands: waiting, done, withheld or `given_up`.
    pub state: String,
    /// How often it was tried.
    pub tries: u32,
    /// The result, or why there is none yet.
    pub outcome: String,
}

impl WhyMessage {
    /// A message, and the memories and decisions that came of it.
    pub fn new(explained: &ExplainedMessage) -> Self {
        let ExplainedMessage { why, memories, decisions, refinement } = explained;
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
            refinement: refinement.as_ref().map(Refinement::from),
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
    /// The sources it rests on.
    pub evidence: Vec<Evidence>,
    /// All it has said, the oldest first.
    pub revisions: Vec<Revision>,
    /// Its relations to other memories.
    pub relations: Vec<Relation>,
    /// Its statements: subject, attribute and value.
    pub statements: Vec<Statement>,
    /// The names it holds.
    pub entities: Vec<Entity>,
    /// How often it was rehearsed so as not to be lost.
    pub rehearsals: u32,
    /// Whether it is well stored and yet does not come to mind by itself.
    pub on_the_tip_of_the_tongue: bool,
}

/// One text of a memory, and why it came to say so.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Revision {
    /// The text.
    pub text: String,
    /// The gate's decision.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Time,
}

/// A memory that another belongs to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Relation {
    /// How the two memories belong together.
    pub kind: RelationKind,
    /// Whether the relation goes out from the memory that was asked about.
    pub outgoing: bool,
    /// How sure that is.
    pub confidence: f64,
    /// Why.
    pub reason: String,
    /// Who found it: gate, heuristic, model or rhythm.
    pub made_by: String,
    /// The other memory.
    pub other: MemoryId,
    /// The statement of the other memory.
    pub text: String,
}

/// Who has which value of what.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Statement {
    /// Whom or what it is about.
    pub subject: String,
    /// The attribute.
    pub attribute: String,
    /// Its value.
    pub value: String,
    /// Whether that is what it is not.
    pub negated: bool,
    /// How sure that reading is.
    pub confidence: f64,
    /// The message it was read in; null for those of a file.
    pub message: Option<MessageId>,
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
            statements: statements_of(why),
            entities: why.entities.iter().map(Entity::from).collect(),
            rehearsals: why.rehearsals,
            on_the_tip_of_the_tongue: why.on_the_tip_of_the_tongue,
        }
    }
}

impl From<&RefinementRecord> for Refinement {
    fn from(RefinementRecord { state, tries, outcome }: &RefinementRecord) -> Self {
        Self { state: state.clone(), tries: *tries, outcome: outcome.clone() }
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
            made_by: related.made_by.clone(),
            other: related.other.memory.id,
            text: related.other.memory.text.clone(),
        }
    }
}

/// The statements of a memory, each with the message that it was read from.
fn statements_of(why: &cairn_engine::WhyMemory) -> Vec<Statement> {
    let with_sources = why.statements.iter().zip(&why.statement_sources);
    let statement = |(statement, message): (&StatementRecord, &Option<MessageId>)| Statement {
        subject: statement.subject.clone(),
        attribute: statement.attribute.clone(),
        value: statement.value.clone(),
        negated: statement.negated,
        confidence: statement.confidence,
        message: *message,
    };
    with_sources.map(statement).collect()
}
