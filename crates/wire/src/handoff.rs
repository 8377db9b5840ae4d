//! Handoffs, for programs.

use cairn_domain::{HandoffHealth, HandoffReason, Time};
use cairn_engine::StoredHandoff;
use schemars::JsonSchema;
use serde::Serialize;

/// Handoffs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Handoffs {
    /// The last written first.
    pub handoffs: Vec<Handoff>,
}

/// Where a thread, or the last session, stood.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Handoff {
    /// `session` for the last session, `thread:NAME` for a thread.
    pub scope: String,
    /// Its condition.
    pub health: HandoffHealth,
    /// When it was written.
    pub written_at: Time,
    /// When a later session began with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consumed_at: Option<Time>,
    /// The lasting project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The session that was last at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Why it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<HandoffReason>,
    /// Exchanges of that session then.
    pub exchanges: u32,
    /// How often the conversation was shortened since the thread was last begun anew.
    pub compactions: u32,
    /// The sections that have lines, in order; none if it cannot be read.
    pub sections: Vec<HandoffSection>,
    /// All of it as Markdown.
    pub text: String,
}

/// A section of a handoff.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HandoffSection {
    /// Its heading: Where we are, Key topics, Open threads, Dates, Files, Relational State.
    pub title: String,
    /// Its lines.
    pub lines: Vec<HandoffLine>,
}

/// A line of a handoff: a quotation with its sources.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct HandoffLine {
    /// The line.
    pub text: String,
    /// The day it is due: 2026-11-20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// The records it quotes.
    pub refs: Vec<String>,
}

impl From<&StoredHandoff> for Handoff {
    fn from(stored: &StoredHandoff) -> Self {
        let StoredHandoff { scope, health, written_at, consumed_at, handoff, text, .. } = stored;
        let line = |line: &cairn_domain::HandoffLine| HandoffLine {
            text: line.text().to_owned(),
            due: line.due.map(|day| day.to_string()),
            refs: line.refs.clone(),
        };
        let section = |section: &cairn_domain::HandoffSection| HandoffSection {
            title: section.part.to_string(),
            lines: section.lines.iter().map(line).collect(),
        };
        let read = handoff.as_ref();
        Self {
            scope: scope.key(),
            health: *health,
            written_at: *written_at,
            consumed_at: *consumed_at,
            thread: read.and_then(|it| it.thread.clone()).or_else(|| scope.thread().map(str::to_owned)),
            session: read.map(|it| it.session.clone()),
            reason: read.map(|it| it.reason),
            exchanges: read.map_or(0, |it| it.exchanges),
            compactions: read.map_or(0, |it| it.compactions),
            sections: read.map_or_else(Vec::new, |it| it.sections.iter().map(section).collect()),
            text: text.clone(),
        }
    }
}

impl<'a> FromIterator<&'a StoredHandoff> for Handoffs {
    fn from_iter<I: IntoIterator<Item = &'a StoredHandoff>>(stored: I) -> Self {
        Self { handoffs: stored.into_iter().map(Handoff::from).collect() }
    }
}
