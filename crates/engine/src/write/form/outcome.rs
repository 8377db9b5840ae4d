//! The result of forming a message, and the progress of forming.

use crate::{
    error::Result,
    stored_json::from_stored_json,
    write::reasons::{Decision, Reasons},
};
use cairn_domain::MessageId;

/// The result of forming one message, with every step.
#[derive(Debug, Clone, PartialEq)]
pub struct Formed {
    /// The verdict on each statement.
    pub decisions: Vec<Decision>,
    /// Every step that led to each, in the same order; none where somebody else formed the message.
    pub reasons: Vec<Reasons>,
}

/// How far messages are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forming {
    /// Messages that were looked at.
    pub done: u32,
    /// Messages there are.
    pub messages: u32,
}

impl Formed {
    /// The stored decisions of a message that was formed before. Decisions that cannot be read are an error, not none.
    pub(super) fn from_stored_decisions(id: MessageId, decisions: &str) -> Result<Self> {
        let decisions = from_stored_json(&format!("what was decided about {id}"), decisions)?;
        Ok(Self { decisions, reasons: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_that_cannot_be_read_are_an_error_and_not_none() {
        let id = MessageId::from_bytes([1; 16]);
        assert_eq!(Formed::from_stored_decisions(id, "[]").expect("none").decisions, Vec::new());
        let damaged = Formed::from_stored_decisions(id, "").expect_err("no list of decisions");
        assert!(damaged.to_string().starts_with(&format!("what was decided about {id}")), "{damaged}");
    }
}
