//! The answer to a question, and what each hit's score is made of.

use crate::continuity::{SeenIntention, SeenProcedure};
use cairn_cognition::{aid::AidLine, intent::Intent, score::Score, temporal::told};
use cairn_domain::{AgentName, MessageId, Ref, Role, TemporalType, Time};
use cairn_store::{AttachmentPartRecord, BeliefRecord, DigestRecord, MemoryRecord, MessageRecord};

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// The question.
    pub query: String,
    /// The intent of the question.
    pub intent: Intent,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Lines computed from the hits, if the question asks for a time, a length of time, an order or a number.
    pub aids: Vec<AidLine>,
    /// Intentions that the question calls for.
    pub intentions: Vec<SeenIntention>,
    /// Procedures that worked for such requests, if it asks how something is done.
    pub procedures: Vec<SeenProcedure>,
    /// Why there are none.
    pub empty: Option<Empty>,
    /// The terms that were searched for.
    pub terms: Vec<String>,
    /// Why only keywords were searched, if so.
    pub lexical_only: Option<LexicalOnly>,
    /// Messages that can be found by their words only, because their vectors are not made yet.
    pub pending: u32,
    /// Agents that share something and could not be asked now.
    pub away: Vec<AgentName>,
    /// How long it took.
    pub elapsed_ms: f64,
}

/// Why only keywords were searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LexicalOnly {
    /// No message has a vector yet.
    NoVectors,
    /// No embedder answered for the question: what was wrong, and what to do.
    NoEmbedder {
        /// The problem.
        problem: String,
        /// How to solve it.
        hint: String,
    },
    /// The configuration wants no embedder.
    NotWanted,
}

/// Why an answer is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    /// Nothing is stored yet.
    NothingStored,
    /// There is nothing to search for in the question.
    NoWords,
    /// It is no question but a greeting, a confirmation or a command.
    Trivial,
    /// Messages match, and every one was left out by a filter.
    FilteredOut,
    /// No message matches.
    NoMatch,
    /// Nothing that is held true or was condensed answers, and nothing else was asked for.
    NoneOfKind,
}

/// Something that answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The record.
    pub found: Found,
    /// How well it fits beside the other hits of the same question.
    pub score: f64,
    /// How well it fits by itself, 0 to 1: the chance that it answers among as many hits that do as do not. It says how much of
    /// it a prompt is given.
    pub fit: f64,
    /// The chance that this answers, 0 to 1; never more than that of the hit before it.
    pub confidence: f64,
    /// The parts of the score.
    pub explanation: Explanation,
    /// The memories that rest on it, the newest last.
    pub memories: Vec<MemoryRecord>,
    /// The memory that holds instead, if no memory of it holds any more.
    pub replaced_by: Option<Box<MemoryRecord>>,
    /// Newer memories that may have changed it.
    pub doubts: Vec<Doubt>,
    /// Of a result of a tool that shows an older state of something, the message that shows the last.
    pub last_state: Option<MessageId>,
}

impl Hit {
    /// The agent's own memories in it: those that rest on what was found, and what was found if it is one. What another
    /// agent shares is not changed by being given.
    pub(crate) fn own_memories(&self) -> impl Iterator<Item = &MemoryRecord> {
        let found = match &self.found {
            Found::Memory(record, _) => Some(record),
            Found::Message(_)
            | Found::Belief(_)
            | Found::Digest(..)
            | Found::Attachment(_)
            | Found::Shared(_) => None,
        };
        self.memories.iter().chain(found)
    }
}

/// Something newer that may have changed a hit, and was not sure enough to replace it.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// The newer memory.
    pub memory: Box<MemoryRecord>,
    /// For people.
    pub reason: String,
}

/// The record behind a hit.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Something that was said.
    Message(MessageRecord),
    /// Something that was remembered, with the messages it rests on; of a file there are none.
    Memory(MemoryRecord, Vec<MessageRecord>),
    /// Something that is held true.
    Belief(BeliefRecord),
    /// Something that was condensed, with the messages under it that have to do with the question.
    Digest(DigestRecord, Vec<MessageRecord>),
    /// A stretch of a file that was attached.
    Attachment(Box<AttachmentPartRecord>),
    /// Something that another agent remembers, and shares.
    Shared(Box<SharedMemory>),
}

/// A memory of another agent that is shared with the one that asks. It is read where it is, and never becomes its own.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedMemory {
    /// Whose it is.
    pub owner: AgentName,
    /// The memory, by the owner's number.
    pub record: MemoryRecord,
    /// How far the owner is trusted, 0 to 1.
    pub trust: f64,
}

impl SharedMemory {
    /// How far it is trusted: no further than its owner trusts its source, and than the owner is trusted.
    pub fn trusted(&self) -> f64 {
        self.record.memory.source_confidence.min(self.trust)
    }
}

impl Found {
    /// When it was said, began to hold, was last supported, or ended.
    pub fn at(&self) -> Time {
        match self {
            Self::Message(record) => record.message.at,
            Self::Memory(record, _) => record.memory.valid_from,
            Self::Belief(record) => record.belief.last_supported_at,
            Self::Digest(record, _) => record.digest.until,
            Self::Attachment(record) => record.receipt.attached_at,
            Self::Shared(shared) => shared.record.memory.valid_from,
        }
    }

    /// Its words.
    pub fn text(&self) -> &str {
        match self {
            Self::Message(record) => &record.message.text,
            Self::Memory(record, _) => &record.memory.text,
            Self::Belief(record) => &record.belief.summary,
            Self::Digest(record, _) => &record.digest.text,
            Self::Attachment(record) => &record.part.text,
            Self::Shared(shared) => &shared.record.memory.text,
        }
    }

    /// Its ref.
    pub fn reference(&self) -> Ref {
        match self {
            Self::Message(record) => Ref::Message(record.message.id),
            Self::Memory(record, _) => Ref::Memory(record.memory.id),
            Self::Belief(record) => Ref::Belief(record.belief.id),
            Self::Digest(record, _) => Ref::Digest(record.id),
            Self::Attachment(record) => Ref::Attachment(record.receipt.id),
            Self::Shared(shared) => Ref::Memory(shared.record.memory.id),
        }
    }

    /// Its ref; of a stretch of a file with its place: `att_…#L3-L9`, of what another agent shares with its owner:
    /// `scout/mem_…`.
    pub fn address(&self) -> String {
        self.placed(self.reference().to_string())
    }

    /// The same in short.
    pub(crate) fn short_address(&self) -> String {
        self.placed(self.reference().short())
    }

    fn placed(&self, reference: String) -> String {
        match self {
            Self::Attachment(record) => format!("{reference}#{}", record.part.place),
            Self::Shared(shared) => format!("{}/{reference}", shared.owner),
            Self::Message(_) | Self::Memory(..) | Self::Belief(_) | Self::Digest(..) => reference,
        }
    }

    /// The user's words, or a memory's text.
    pub(crate) fn own_words(&self) -> Option<&str> {
        match self {
            Self::Message(record) if record.message.role == Role::User => Some(&record.message.text),
            Self::Memory(record, _) => Some(&record.memory.text),
            Self::Message(_) | Self::Belief(_) | Self::Digest(..) | Self::Attachment(_) | Self::Shared(_) => {
                None
            }
        }
    }

    /// The agent that shares it, if it is another's.
    pub fn owner(&self) -> Option<&AgentName> {
        match self {
            Self::Shared(shared) => Some(&shared.owner),
            Self::Message(_)
            | Self::Memory(..)
            | Self::Belief(_)
            | Self::Digest(..)
            | Self::Attachment(_) => None,
        }
    }

    /// The message, if it is one.
    pub fn message(&self) -> Option<&MessageRecord> {
        match self {
            Self::Message(record) => Some(record),
            Self::Memory(..) | Self::Belief(_) | Self::Digest(..) | Self::Attachment(_) | Self::Shared(_) => {
                None
            }
        }
    }
}

/// In words, that a memory tells a plan for a day that is over at `now`, and that nothing replaced.
pub fn past_plan(record: &MemoryRecord, now: Time) -> Option<String> {
    let memory = &record.memory;
    let until = memory.valid_until.filter(|until| *until <= now && record.superseded_by.is_none())?;
    let is_planned = memory.temporal_type == TemporalType::TimeBounded;
    let names_day = || told(&memory.text, memory.valid_from).iter().any(|told| told.span.to == until.day());
    (is_planned && names_day()).then(|| format!("was planned for {}", until.day()))
}

/// The parts of a score and the lanes that found the record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// Where the dense lane had it: its rank and its similarity.
    pub dense_lane: Option<Lane>,
    /// Where the keyword lane had it: its rank and its score.
    pub lexical_lane: Option<Lane>,
    /// Where the memory lane had what was remembered of it: its rank and its similarity.
    pub memory_lane: Option<Lane>,
    /// The parts that add up to the score.
    pub score: Score,
    /// The share of its own words, term by term, if that was asked for.
    pub terms: Vec<TermShare>,
}

/// A lane's opinion of a hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lane {
    /// Its rank there, from 1.
    pub rank: usize,
    /// Its raw score there.
    pub score: f64,
}

/// The contribution of one term to a hit.
#[derive(Debug, Clone, PartialEq)]
pub struct TermShare {
    /// The term.
    pub term: String,
    /// How many messages hold it.
    pub holding: u64,
    /// How rare that makes it.
    pub idf: f64,
    /// Its contribution to the score.
    pub share: f64,
}
