//! Turn: a message as a turn of a conversation, and which of its clauses are kept.

use crate::{judge::worth::SpeakerKind, standalone::SpeakerContext};
use cairn_domain::Time;

/// Which clauses of a message are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepRule {
    /// Those that are worth it.
    Judged,
    /// All that tell something: somebody meant the message to be remembered.
    Everything,
}

/// The turn that a message is.
#[derive(Debug, Clone, Copy)]
pub struct MessageTurn<'a> {
    /// Who speaks to whom.
    pub context: SpeakerContext<'a>,
    /// Whether a person speaks.
    pub speaker: SpeakerKind,
    /// The words of the turn before; empty if there is none.
    pub before: &'a str,
    /// When it was said.
    pub said_at: Time,
    /// Which clauses are kept.
    pub keep: KeepRule,
}
