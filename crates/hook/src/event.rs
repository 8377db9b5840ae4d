//! The events of coding agents that are listened to, named as Claude Code names them.

use std::{fmt, str::FromStr, time::Duration};

/// Something that happened in the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A session begins, or goes on after a pause or a compaction.
    SessionStart,
    /// The user has sent a prompt, and the model has not seen it yet.
    UserPromptSubmit,
    /// A tool is about to be used.
    PreToolUse,
    /// A tool has done its work.
    PostToolUse,
    /// A tool has failed.
    PostToolUseFailure,
    /// An agent that the agent started has done its work.
    SubagentStop,
    /// The conversation is about to be shortened.
    PreCompact,
    /// The agent has answered.
    Stop,
    /// The session is over.
    SessionEnd,
}

impl Event {
    /// Every event.
    pub const ALL: [Self; 9] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::SubagentStop,
        Self::PreCompact,
        Self::Stop,
        Self::SessionEnd,
    ];

    /// As it is written on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::UserPromptSubmit => "user-prompt-submit",
            Self::PreToolUse => "pre-tool-use",
            Self::PostToolUse => "post-tool-use",
            Self::PostToolUseFailure => "post-tool-use-failure",
            Self::SubagentStop => "subagent-stop",
            Self::PreCompact => "pre-compact",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
        }
    }

    /// How long it may take: 150 ms where somebody waits for the first word, 100 ms before each tool, 250 ms where nobody waits.
    pub fn budget(self) -> Duration {
        match self {
            Self::PreToolUse => Duration::from_millis(100),
            Self::SessionStart | Self::UserPromptSubmit => Duration::from_millis(150),
            Self::PostToolUse
            | Self::PostToolUseFailure
            | Self::SubagentStop
            | Self::PreCompact
            | Self::Stop
            | Self::SessionEnd => Duration::from_millis(250),
        }
    }

    /// How long it may take beside a server of the same home.
    pub fn served_budget(self) -> Duration {
        match self {
            Self::PreToolUse => Duration::from_millis(30),
            Self::SessionStart
            | Self::UserPromptSubmit
            | Self::PostToolUse
            | Self::PostToolUseFailure
            | Self::SubagentStop
            | Self::PreCompact
            | Self::Stop
            | Self::SessionEnd => self.budget(),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Event {
    type Err = cairn_domain::Invalid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|event| event.as_str() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            cairn_domain::Invalid::new(format!("`{text}` is not an event"), format!("use one of {known}"))
        })
    }
}
