//! Handoffs: where a session or a thread stood, in lines that each name the records they quote. A handoff is derived: losing
//! one loses nothing.

use crate::{Day, MILLIS_PER_HOUR, Time, word::words};

/// A handoff is fresh for this long.
pub const HANDOFF_FRESH_MS: i64 = MILLIS_PER_HOUR;
/// It is stale until it is this old, and orphaned from then on.
pub const HANDOFF_STALE_MS: i64 = 24 * MILLIS_PER_HOUR;

words!(
    /// Why a handoff was written.
    HandoffReason, "a reason for a handoff" {
        /// An exchange ended.
        Exchange = "exchange",
        /// The session ended.
        SessionEnd = "session_end",
        /// The conversation is about to be shortened.
        Compaction = "compaction",
        /// The program that serves the agent stops.
        Shutdown = "shutdown",
        /// Nobody has spoken for hours.
        Gap = "gap",
        /// Somebody asked for it.
        Requested = "requested",
    }
);

words!(
    /// The condition of a handoff.
    HandoffHealth, "a condition of a handoff" {
        /// There is none.
        Absent = "absent",
        /// At most an hour old.
        Fresh = "fresh",
        /// At most a day old.
        Stale = "stale",
        /// Older, and nobody has come for it.
        Orphaned = "orphaned",
        /// A later session has begun with it.
        Consumed = "consumed",
        /// It cannot be read; it is kept aside and never shown to a model.
        Quarantined = "quarantined",
    }
);

impl HandoffHealth {
    /// The condition of a handoff that can be read, by its age.
    pub fn of_age(written_at: Time, consumed_at: Option<Time>, now: Time) -> Self {
        let age = now.millis() - written_at.millis();
        match consumed_at {
            Some(_) => Self::Consumed,
            None if age <= HANDOFF_FRESH_MS => Self::Fresh,
            None if age <= HANDOFF_STALE_MS => Self::Stale,
            None => Self::Orphaned,
        }
    }
}

words!(
    /// A section of a handoff.
    HandoffPart, "a section of a handoff" {
        /// Decisions and changed values, the newest last.
        WhereWeAre = "Where we are",
        /// Names that were talked about most.
        KeyTopics = "Key topics",
        /// Commitments, questions that nobody answered, active projects.
        OpenThreads = "Open threads",
        /// Promises and appointments with their days.
        Dates = "Dates",
        /// Files that were named.
        Files = "Files",
        /// How the talk went.
        RelationalState = "Relational State",
    }
);

/// One line of a handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffLine {
    text: String,
    /// The day it is due.
    pub due: Option<Day>,
    /// The records it quotes.
    pub refs: Vec<String>,
}

impl HandoffLine {
    /// A line that quotes these records. Its text stands on one line.
    pub fn new(text: &str, due: Option<Day>, refs: Vec<String>) -> Self {
        Self { text: text.split_whitespace().collect::<Vec<_>>().join(" "), due, refs }
    }

    /// Its text: one line without spaces at its ends.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A section with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffSection {
    /// Which.
    pub part: HandoffPart,
    /// Its lines; at least one.
    pub lines: Vec<HandoffLine>,
}

/// Where a session or a thread stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handoff {
    /// The agent.
    pub agent: String,
    /// The lasting project, if there is one.
    pub thread: Option<String>,
    /// The session that was last at work.
    pub session: String,
    /// When it was written.
    pub written_at: Time,
    /// Why it was written.
    pub reason: HandoffReason,
    /// Exchanges of the session so far.
    pub exchanges: u32,
    /// How often the conversation was shortened since the thread was last begun anew.
    pub compactions: u32,
    /// The sections that have lines, in order.
    pub sections: Vec<HandoffSection>,
}

impl Handoff {
    /// The lines of a section.
    pub fn lines(&self, part: HandoffPart) -> &[HandoffLine] {
        self.sections.iter().find(|section| section.part == part).map_or(&[], |section| &section.lines)
    }

    /// The refs of everything that it quotes, each once.
    pub fn refs(&self) -> Vec<&str> {
        let lines = self.sections.iter().flat_map(|section| &section.lines);
        let mut refs: Vec<&str> = lines.flat_map(|line| line.refs.iter().map(String::as_str)).collect();
        refs.sort_unstable();
        refs.dedup();
        refs
    }
}

/// The subject of a handoff: the last session of the agent, or a thread.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandoffScope {
    /// The last session; consumed by the next one.
    Session,
    /// A thread; overwritten, never consumed.
    Thread(String),
}

impl HandoffScope {
    /// As it is stored: `session`, `thread:tides`.
    pub fn key(&self) -> String {
        match self {
            Self::Session => "session".to_owned(),
            Self::Thread(thread) => format!("thread:{thread}"),
        }
    }

    /// The scope that [`HandoffScope::key`] wrote.
    pub fn of_key(key: &str) -> Self {
        key.strip_prefix("thread:").map_or(Self::Session, |thread| Self::Thread(thread.to_owned()))
    }

    /// The thread, if it is one.
    pub fn thread(&self) -> Option<&str> {
        match self {
            Self::Session => None,
            Self::Thread(thread) => Some(thread),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// covers: X-W19
    #[test]
    fn a_handoff_is_fresh_then_stale_then_orphaned_unless_somebody_came_for_it() {
        let written = Time::from_millis(0);
        let hours = |hours: i64| Time::from_millis(hours * MILLIS_PER_HOUR);
        for (age, consumed, health) in [
            (0, None, HandoffHealth::Fresh),
            (1, None, HandoffHealth::Fresh),
            (2, None, HandoffHealth::Stale),
            (24, None, HandoffHealth::Stale),
            (25, None, HandoffHealth::Orphaned),
            (24 * 21, None, HandoffHealth::Orphaned),
            (2, Some(hours(1)), HandoffHealth::Consumed),
        ] {
            assert_eq!(HandoffHealth::of_age(written, consumed, hours(age)), health, "{age} h");
        }
    }

    #[test]
    fn a_scope_survives_its_key() {
        for scope in [
            HandoffScope::Session,
            HandoffScope::Thread("session".into()),
            HandoffScope::Thread("a:b".into()),
        ] {
            assert_eq!(HandoffScope::of_key(&scope.key()), scope);
        }
    }
}
