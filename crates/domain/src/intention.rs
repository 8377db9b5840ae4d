//! Intentions: what somebody means to do, or to be told, later.

use crate::{Day, Invalid, MessageId, Ref, word::words};
use std::{fmt, str::FromStr};

words!(
    /// How an intention stands.
    IntentionState, "a state of an intention" {
        /// Its day is here, or was and nobody has said that it is done.
        Due = "due",
        /// Its day has not come, or its occasion.
        Pending = "pending",
        /// It is done: the talk says so, or somebody did.
        Done = "done",
        /// Somebody dropped it.
        Dropped = "dropped",
        /// Its day is long over.
        Expired = "expired",
    }
);

words!(
    /// The decision about an intention.
    IntentionDecision, "a decision about an intention" {
        /// Nothing: it waits for its trigger.
        Open = "open",
        /// It is done.
        Done = "done",
        /// It is not to be done.
        Dropped = "dropped",
    }
);

words!(
    /// The kind of thing that makes an intention due.
    TriggerKind, "a trigger of an intention" {
        /// A day comes.
        Day = "day",
        /// Somebody is spoken of or to.
        Person = "person",
        /// A file is worked on.
        File = "file",
        /// Something is spoken of.
        Topic = "topic",
        /// The next occasion.
        Anytime = "anytime",
    }
);

/// The thing that makes an intention due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntentionTrigger {
    /// Of which kind it is.
    pub kind: TriggerKind,
    /// The person, the file or the words of the topic; empty for a day.
    pub subject: String,
    /// The day, where the speaker is.
    pub day: Option<Day>,
    /// The minute of that day, counted from midnight, if one was named.
    pub minute: Option<u32>,
}

impl IntentionTrigger {
    /// The next occasion.
    pub fn anytime() -> Self {
        Self { kind: TriggerKind::Anytime, subject: String::new(), day: None, minute: None }
    }

    /// A day, and on it a minute.
    pub fn on_day(day: Day, minute: Option<u32>) -> Self {
        Self { kind: TriggerKind::Day, day: Some(day), minute, ..Self::anytime() }
    }

    /// Something that is spoken of or worked on.
    pub fn at(kind: TriggerKind, subject: impl Into<String>) -> Self {
        Self { kind, subject: subject.into(), ..Self::anytime() }
    }
}

/// The name of an intention: the message that tells it, and which of its intentions it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IntentionRef {
    /// The message.
    pub message: MessageId,
    /// Which of its intentions, counted from 0.
    pub place: u32,
}

impl fmt::Display for IntentionRef {
    /// The ref of the message; behind it `/2` for the second intention that it tells.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, place } = self;
        if *place == 0 { write!(f, "{message}") } else { write!(f, "{message}/{}", place + 1) }
    }
}

impl IntentionRef {
    /// The name in short, as it stands before a model.
    pub fn short(&self) -> String {
        let message = Ref::Message(self.message).short();
        if self.place == 0 { message } else { format!("{message}/{}", self.place + 1) }
    }

    /// The ref of the message and the place, of a name that may be in short.
    pub fn split(text: &str) -> Result<(&str, u32), Invalid> {
        let Some((message, place)) = text.trim().split_once('/') else { return Ok((text.trim(), 0)) };
        let place = u32::from_str(place).ok().and_then(|place| place.checked_sub(1)).ok_or_else(|| {
            let problem = format!("`{}` is no intention of a message", place.escape_debug());
            Invalid::new(problem, "write it as `cairn intentions` shows it, for example msg_…/2")
        })?;
        Ok((message, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_intention_is_its_message_and_its_place() {
        let message = MessageId::from_bytes([7; 16]);
        for place in [0, 1, 11] {
            let name = IntentionRef { message, place }.to_string();
            assert_eq!(IntentionRef::split(&name), Ok((message.to_string().as_str(), place)), "{name}");
        }
        assert!(IntentionRef::split("msg_1/0").is_err() && IntentionRef::split("msg_1/x").is_err());
    }
}
