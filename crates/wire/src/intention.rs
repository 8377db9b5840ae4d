//! Intentions, for programs.

use cairn_domain::{IntentionState, Role, Time, TriggerKind};
use cairn_engine::{IntentionDraft, SeenIntention};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Intentions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Intentions {
    /// Those that are due first, then by their day, then the newest.
    pub intentions: Vec<Intention>,
}

/// Something that was asked to be told later, or promised.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Intention {
    /// The message that tells it; behind it `/2` for the second that it tells.
    #[serde(rename = "ref")]
    pub reference: String,
    /// How it stands: due, pending, done, dropped or expired.
    pub state: IntentionState,
    /// Who told it: the user asked, the assistant promised.
    pub role: Role,
    /// When it was told.
    pub at: Time,
    /// The words.
    pub text: String,
    /// The kind of its trigger: day, person, file, topic or anytime.
    pub trigger: TriggerKind,
    /// The person, the file or the terms of the topic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The day it is for, or was put off to, as 2026-11-20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// The time of that day, as 09:30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

impl From<&SeenIntention> for Intention {
    fn from(seen: &SeenIntention) -> Self {
        let record = &seen.record;
        Self {
            reference: record.name().to_string(),
            state: seen.state,
            role: record.role,
            at: record.said_at,
            text: record.words.clone(),
            trigger: record.kind,
            subject: Some(record.subject.clone()).filter(|subject| !subject.is_empty()),
            due: seen.due_day().map(|day| day.to_string()),
            time: seen.due_time(),
        }
    }
}

impl<'a> FromIterator<&'a SeenIntention> for Intentions {
    fn from_iter<I: IntoIterator<Item = &'a SeenIntention>>(seen: I) -> Self {
        Self { intentions: seen.into_iter().map(Intention::from).collect() }
    }
}

/// An intention to set. It has one trigger; without one it is read in the words, and if there is none it comes up the next day.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntendRequest {
    /// The words: what is to be done.
    pub text: String,
    /// The day, as 2026-11-20 or in words such as "next Friday".
    #[serde(default)]
    pub on: Option<String>,
    /// The minute of that day, counted from midnight.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_439))]
    pub minute: Option<u32>,
    /// The person who has to be spoken of.
    #[serde(default)]
    pub person: Option<String>,
    /// The file that has to be worked on.
    #[serde(default)]
    pub file: Option<String>,
    /// The topic that has to come up.
    #[serde(default)]
    pub topic: Option<String>,
    /// The running session.
    #[serde(default)]
    pub session: Option<String>,
    /// The lasting project.
    #[serde(default)]
    pub thread: Option<String>,
}

impl IntendRequest {
    /// The intention that somebody sets.
    pub fn draft(self, role: Role) -> IntentionDraft {
        let Self { text, on, minute, person, file, topic, session, thread } = self;
        IntentionDraft { text, role, on, minute, person, file, topic, session, thread }
    }
}

/// Until when an intention is put off.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnoozeRequest {
    /// The day, as 2026-11-20 or in words such as "next Friday".
    pub until: String,
}
