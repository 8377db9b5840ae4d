//! A question, and the scope it searches.

use super::Profile;
use cairn_domain::{DataSource, Memory, Message, Mode, RecordKind, Role, Time};
use cairn_store::{Document, KeywordIndex, MessageFilter, View};

/// A question to the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The words. Any characters are welcome; none is an operator.
    pub text: String,
    /// The question asked just before in the same conversation: what a follow-up leans on.
    pub after: Option<String>,
    /// How many hits, at most.
    pub k: usize,
    /// The thread that is asked in: its messages are boosted.
    pub thread: Option<String>,
    /// Whether only that thread is searched.
    pub within_thread: bool,
    /// Only this session.
    pub session: Option<String>,
    /// Only what this role said.
    pub sender: Option<Role>,
    /// The posture that is asked in: only modes that share with it are searched. `None`: all.
    pub mode: Option<Mode>,
    /// Only what had been said by then.
    pub as_of: Option<Time>,
    /// Kinds of record that may be hits; all if none is named.
    pub kinds: Vec<RecordKind>,
    /// Whether what no longer holds is given in its place, as it came to be, instead of behind what replaced it.
    pub timeline: bool,
    /// Whether a message is given in its own words even where a memory says it better.
    pub verbatim: bool,
    /// Ask no other home: one home asks another so.
    pub no_peers: bool,
    /// Whether hits say what each term brought.
    pub explain: bool,
    /// How hits are ranked.
    pub profile: Profile,
}

impl Question {
    /// A question with nothing but its words.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            after: None,
            k: 10,
            thread: None,
            within_thread: false,
            session: None,
            sender: None,
            mode: None,
            as_of: None,
            kinds: Vec::new(),
            timeline: false,
            verbatim: false,
            no_peers: false,
            explain: false,
            profile: Profile::default(),
        }
    }

    /// Whether this may be a hit.
    pub fn wants(&self, kind: RecordKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// The id that an unknown name is looked up as: no message has it.
const UNKNOWN_NAME_ID: u32 = u32::MAX;

/// The records a question may find, with names looked up, and the thread it is asked in.
#[derive(Clone, Copy)]
pub(crate) struct SearchScope {
    pub(crate) filter: MessageFilter,
    thread: Option<u32>,
}

impl SearchScope {
    pub(crate) fn of(question: &Question, view: &mut View<'_>) -> cairn_store::Result<Self> {
        let thread = question.thread.as_deref().map(|name| view.thread_id(name)).transpose()?;
        let session = question.session.as_deref().map(|name| view.session_id(name)).transpose()?;
        let thread = thread.map(|id| id.unwrap_or(UNKNOWN_NAME_ID));
        let filter = MessageFilter {
            thread: thread.filter(|_| question.within_thread),
            session: session.map(|id| id.unwrap_or(UNKNOWN_NAME_ID)),
            sender: question.sender,
            mode: question.mode,
            as_of: question.as_of,
            before: None,
        };
        Ok(Self { filter, thread })
    }

    /// The same in an index that a newer view of another thread may have brought further than this one sees.
    pub(crate) fn seen_by(self, view: &mut View<'_>, index: &KeywordIndex) -> cairn_store::Result<Self> {
        let seen = view.next_seq()?;
        let before = (u64::from(seen) < index.messages()).then_some(seen);
        Ok(Self { filter: MessageFilter { before, ..self.filter }, ..self })
    }

    /// Whether the question asks for one session, one speaker or one thread only.
    pub(crate) fn is_limited(&self, question: &Question) -> bool {
        question.session.is_some() || question.sender.is_some() || self.filter.thread.is_some()
    }

    /// Whether a memory may be a hit: it was made of what may be one.
    pub(crate) fn admits_memory(&self, question: &Question, memory: &Memory) -> bool {
        let spoken = match question.sender {
            None => true,
            Some(Role::User) => memory.data_source == DataSource::UserMessage,
            Some(Role::Assistant) => memory.data_source == DataSource::AssistantMessage,
            Some(Role::System | Role::Tool) => false,
        };
        spoken
            && (question.session.is_none() || memory.session == question.session)
            && (self.filter.thread.is_none() || memory.thread == question.thread)
            && question.mode.is_none_or(|mode| memory.mode.shares_with(mode))
    }

    /// Whether a message that no index was asked about may be a hit.
    pub(crate) fn admits_message(&self, question: &Question, message: &Message) -> bool {
        question.as_of.is_none_or(|as_of| message.at <= as_of)
            && question.mode.is_none_or(|mode| message.mode.shares_with(mode))
            && question.sender.is_none_or(|sender| message.role == sender)
            && question.session.as_ref().is_none_or(|session| message.session == *session)
            && (self.filter.thread.is_none() || message.thread == question.thread)
    }

    /// Factor of a message's score for belonging to the thread asked in.
    pub(crate) fn thread_boost(&self, document: &Document, profile: &Profile) -> f64 {
        let in_thread = self.thread.is_some() && document.thread == self.thread;
        if in_thread { profile.thread_boost } else { 1.0 }
    }
}
