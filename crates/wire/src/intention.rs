//! Intentions, for programs.

use cairn_domain::{Day, IntentionState, MessageId, Time};
use cairn_engine::{IntentionTrigger, SeenIntention};
use schemars::JsonSchema;
use serde::Serialize;

/// Intentions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Intentions {
    /// Those that are due first, then by their day.
    pub intentions: Vec<Intention>,
}

/// What was asked to be told later, or promised.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Intention {
    /// The message that tells it.
    #[serde(rename = "ref")]
    pub reference: MessageId,
    /// How it stands: pending, due, done or expired.
    pub state: IntentionState,
    /// When it was told.
    pub at: Time,
    /// Who told it.
    pub who: String,
    /// The words.
    pub text: String,
    /// The day it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Day>,
    /// The minute of that day, counted from midnight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minute: Option<u16>,
    /// The person it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The file it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The terms of the topic it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub topic: Vec<String>,
}

impl From<&SeenIntention> for Intention {
    fn from(seen: &SeenIntention) -> Self {
        let mut intention = Self {
            reference: seen.message,
            state: seen.state,
            at: seen.at,
            who: seen.who.clone(),
            text: seen.words.clone(),
            due: None,
            minute: None,
            person: None,
            file: None,
            topic: Vec::new(),
        };
        match &seen.trigger {
            IntentionTrigger::Day { day, minute } => (intention.due, intention.minute) = (Some(*day), *minute),
            IntentionTrigger::Person(name) => intention.person = Some(name.clone()),
            IntentionTrigger::File(path) => intention.file = Some(path.clone()),
            IntentionTrigger::Topic(terms) => intention.topic.clone_from(terms),
            IntentionTrigger::Anytime => {}
        }
        intention
    }
}

impl<'a> FromIterator<&'a SeenIntention> for Intentions {
    fn from_iter<I: IntoIterator<Item = &'a SeenIntention>>(seen: I) -> Self {
        Self { intentions: seen.into_iter().map(Intention::from).collect() }
    }
}
