//! A message as the keyword index knows it.

use cairn_domain::{Mode, Role, Time};

/// The facts about a message that the keyword index stores besides its terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document {
    /// Its position in the order of recording.
    pub seq: u32,
    /// When it was said.
    pub said_at: Time,
    /// The id of its session.
    pub session: u32,
    /// The id of its thread.
    pub thread: Option<u32>,
    /// The message before it in its session.
    pub previous: Option<u32>,
    /// Its length in terms.
    pub length: u32,
    /// Who spoke.
    pub role: Role,
    /// The mode it was said in.
    pub mode: Mode,
}
