//! What is asked, and of what.

use super::Profile;
use cairn_domain::{Mode, Role, Time};
use cairn_store::{Document, View};

/// A question to the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The words. Any characters are welcome; none is an operator.
    pub text: String,
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
            k: 10,
            thread: None,
            within_thread: false,
            session: None,
            sender: None,
            mode: None,
            as_of: None,
            explain: false,
            profile: Profile::default(),
        }
    }
}

/// What a name that nobody uses is looked up as: no message has it.
const NOBODY: u32 = u32::MAX;

/// The question's filters with names looked up.
pub(super) struct Filter {
    /// The thread asked in.
    thread: Option<u32>,
    within_thread: bool,
    session: Option<u32>,
    sender: Option<Role>,
    mode: Option<Mode>,
    as_of: Option<Time>,
}

impl Filter {
    pub(super) fn of(question: &Question, view: &mut View<'_>) -> cairn_store::Result<Self> {
        let thread = question.thread.as_deref().map(|name| view.thread_id(name)).transpose()?;
        let session = question.session.as_deref().map(|name| view.session_id(name)).transpose()?;
        Ok(Self {
            thread: thread.map(|id| id.unwrap_or(NOBODY)),
            within_thread: question.within_thread,
            session: session.map(|id| id.unwrap_or(NOBODY)),
            sender: question.sender,
            mode: question.mode,
            as_of: question.as_of,
        })
    }

    /// Whether the asker may know of this message at all. What is not visible lends nothing to its neighbours.
    pub(super) fn sees(&self, document: &Document) -> bool {
        self.as_of.is_none_or(|as_of| document.said_at <= as_of)
            && self.mode.is_none_or(|mode| document.mode.shares_with(mode))
    }

    /// Whether this message may be a hit.
    pub(super) fn admits(&self, document: &Document) -> bool {
        self.sees(document)
            && self.sender.is_none_or(|sender| document.role == sender)
            && self.session.is_none_or(|session| session == document.session)
            && (!self.within_thread || self.in_thread(document))
    }

    /// What belonging to the thread asked in multiplies a message's score with.
    pub(super) fn boost(&self, document: &Document, profile: &Profile) -> f64 {
        if self.in_thread(document) { profile.thread_boost } else { 1.0 }
    }

    /// Whether this message belongs to the thread asked in.
    fn in_thread(&self, document: &Document) -> bool {
        self.thread.is_some() && document.thread == self.thread
    }

    /// Whether anything is hidden from the asker.
    pub(super) fn hides(&self) -> bool {
        self.as_of.is_some() || self.mode.is_some()
    }

    /// Whether anything could be left out at all.
    pub(super) fn filters(&self) -> bool {
        self.hides() || self.within_thread || self.session.is_some() || self.sender.is_some()
    }
}
