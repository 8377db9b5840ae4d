//! Records on lines of a brief.

use super::page::ContextLine;
use crate::quote::{line, quoted, speaker};
use cairn_cognition::{confidence::SHORTENED_CHARS, excerpt::excerpt};
use cairn_domain::{Memory, Message, Ref};

/// A memory on a line.
pub(crate) fn memory_line(memory: &Memory) -> ContextLine {
    let line =
        format!("{} {} {}", Ref::Memory(memory.id).short(), memory.valid_from.day(), line(&memory.text));
    ContextLine::new(vec![memory.id.to_string()], line)
}

/// A message on a line: who said what, shortened.
pub(crate) fn message_line(message: &Message) -> ContextLine {
    let who = speaker(message);
    let words = quoted(&excerpt(&message.text, SHORTENED_CHARS, |_| 0.0));
    let line = format!("{} {} {who}: {words}", Ref::Message(message.id).short(), message.at.day());
    ContextLine::new(vec![message.id.to_string()], line)
}
