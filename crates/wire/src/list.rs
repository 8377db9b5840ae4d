//! Lists of records, and counts.

use crate::{Belief, Digest, Entity, Key, Memory, Message, ReachedMemory, Receipt, WholeAttachment};
use cairn_domain::{AgentName, Time};
use cairn_engine::OpenedRecord;
use cairn_store::{DayRecord, SessionRecord, ThreadRecord};
use schemars::JsonSchema;
use serde::Serialize;

/// How much an agent holds and what it takes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Stats {
    /// The agent.
    pub agent: AgentName,
    /// Messages kept.
    pub messages: u64,
    /// Turns of conversation.
    pub exchanges: u64,
    /// Runs.
    pub sessions: u64,
    /// Lasting projects.
    pub threads: u64,
    /// Memories.
    pub memories: u64,
    /// Messages that were looked at for what is worth remembering.
    pub formed: u64,
    /// Beliefs.
    pub beliefs: u64,
    /// Digests.
    pub digests: u64,
    /// Names that memories hold.
    pub entities: u64,
    /// Messages that have their vectors.
    pub embedded: u64,
    /// Messages that wait for theirs.
    pub pending_embeddings: u64,
    /// Messages that a language model was asked about.
    pub refined: u64,
    /// Messages that one could be asked about.
    pub pending_refinements: u64,
    /// Bytes in all, backups left out.
    pub disk_bytes: u64,
    /// Bytes of the archive within.
    pub archive_bytes: u64,
    /// Bytes of derived indexes within.
    pub index_bytes: u64,
}

impl Stats {
    /// Counts of an agent's records.
    pub fn new(agent: &AgentName, stats: &cairn_engine::Stats) -> Self {
        let counts = stats.counts;
        Self {
            agent: agent.clone(),
            messages: counts.messages,
            exchanges: counts.exchanges,
            sessions: counts.sessions,
            threads: counts.threads,
            memories: counts.memories,
            formed: counts.formed,
            beliefs: counts.beliefs,
            digests: counts.digests,
            entities: counts.entities,
            embedded: counts.embedded,
            pending_embeddings: stats.pending_embeddings,
            refined: counts.refined,
            pending_refinements: stats.pending_refinements,
            disk_bytes: stats.disk_bytes,
            archive_bytes: stats.archive_bytes,
            index_bytes: stats.index_bytes,
        }
    }
}

/// One disposable run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Session {
    /// Its name.
    pub session: String,
    /// A title taken from its first real sentence; null until there is one.
    pub title: Option<String>,
    /// The thread of its newest message.
    pub thread: Option<String>,
    /// The mode of its newest message.
    pub mode: String,
    /// How many messages it has.
    pub messages: u64,
    /// When its first message was said.
    pub first_at: Time,
    /// When its newest message was said.
    pub last_at: Time,
}

impl From<&SessionRecord> for Session {
    fn from(session: &SessionRecord) -> Self {
        Self {
            session: session.name.clone(),
            title: session.title.clone(),
            thread: session.thread.clone(),
            mode: session.mode.clone(),
            messages: session.messages,
            first_at: session.first_at,
            last_at: session.last_at,
        }
    }
}

/// A lasting project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Thread {
    /// Its name.
    pub thread: String,
    /// How many messages it has.
    pub messages: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// When its first message was said.
    pub first_at: Time,
    /// When its newest message was said.
    pub last_at: Time,
}

impl From<&ThreadRecord> for Thread {
    fn from(thread: &ThreadRecord) -> Self {
        Self {
            thread: thread.name.clone(),
            messages: thread.messages,
            sessions: thread.sessions,
            first_at: thread.first_at,
            last_at: thread.last_at,
        }
    }
}

/// A day (UTC) on which something was said.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Day {
    /// The midnight at which it begins.
    pub begins_at: Time,
    /// Messages said on it.
    pub messages: u64,
}

impl From<&DayRecord> for Day {
    fn from(day: &DayRecord) -> Self {
        Self { begins_at: day.begins_at, messages: day.messages }
    }
}

/// The record that a ref names.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Opened {
    /// A memory.
    Memory(Box<Memory>),
    /// A belief.
    Belief(Box<Belief>),
    /// A digest.
    Digest(Box<Digest>),
    /// A file that was attached.
    Attachment(Box<WholeAttachment>),
    /// A message, or the messages of an exchange.
    Messages {
        /// The ref that was asked for.
        #[serde(rename = "ref")]
        reference: String,
        /// The messages.
        messages: Vec<Message>,
    },
}

impl From<&OpenedRecord> for Opened {
    fn from(opened: &OpenedRecord) -> Self {
        match opened {
            OpenedRecord::Memory(record) => Self::Memory(Box::new(record.as_ref().into())),
            OpenedRecord::Belief(record) => Self::Belief(Box::new(record.as_ref().into())),
            OpenedRecord::Digest(record) => Self::Digest(Box::new(record.as_ref().into())),
            OpenedRecord::Attachment(seen) => Self::Attachment(Box::new(seen.as_ref().into())),
            OpenedRecord::Messages(reference, messages) => Self::Messages {
                reference: reference.to_string(),
                messages: messages.iter().map(Message::from).collect(),
            },
        }
    }
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident { $(#[$field_doc:meta])* $field:ident: $item:ty })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Serialize, JsonSchema)]
        pub struct $name {
            $(#[$field_doc])*
            pub $field: Vec<$item>,
            /// Where the next part begins; there is none if this is missing.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub next: Option<String>,
        }

        impl<I: Into<$item>> FromIterator<I> for $name {
            fn from_iter<T: IntoIterator<Item = I>>(items: T) -> Self {
                Self { $field: items.into_iter().map(Into::into).collect(), next: None }
            }
        }
    )+};
}

lists! {
    /// Agents.
    Agents {
        /// By name.
        agents: Stats
    }
    /// Keys.
    Keys {
        /// The newest first.
        keys: Key
    }
    /// Memories.
    Memories {
        /// The newest first.
        memories: Memory
    }
    /// Memories that one leads to.
    ReachedMemories {
        /// The nearest first.
        reached: ReachedMemory
    }
    /// Beliefs.
    Beliefs {
        /// The best supported first.
        beliefs: Belief
    }
    /// Receipts.
    Receipts {
        /// The newest first.
        receipts: Receipt
    }
    /// Entities.
    Entities {
        /// The most frequent first.
        entities: Entity
    }
    /// Sessions.
    Sessions {
        /// The one spoken in last first.
        sessions: Session
    }
    /// Threads.
    Threads {
        /// The one spoken in last first.
        threads: Thread
    }
    /// Days.
    Days {
        /// The latest first.
        days: Day
    }
    /// Records in full.
    Records {
        /// In the order asked for.
        records: Opened
    }
    /// Messages of a session.
    Messages {
        /// The last recorded first.
        messages: Message
    }
    /// Messages in the order in which they were said.
    Timeline {
        /// The oldest first.
        entries: Message
    }
}
