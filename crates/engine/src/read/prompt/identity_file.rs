//! The files of an identity: their names, their tags, their templates, and who is given which.

use serde::{Deserialize, Serialize};

/// A file of an agent's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum IdentityFile {
    /// Who the agent is.
    #[serde(rename = "SOUL.md")]
    Soul,
    /// How it works.
    #[serde(rename = "AGENTS.md")]
    Agents,
    /// Who the user is.
    #[serde(rename = "ANCHOR.md")]
    Anchor,
    /// The environment that it works in.
    #[serde(rename = "TOOLS.md")]
    Tools,
    /// Corrections and lasting facts; for the main session alone.
    #[serde(rename = "MEMORY.md")]
    Memory,
}

impl IdentityFile {
    /// Every file, in the order in which they are given.
    pub const ALL: [Self; 5] = [Self::Soul, Self::Agents, Self::Anchor, Self::Tools, Self::Memory];

    /// Its name in the folder `identity`.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Soul => "SOUL.md",
            Self::Agents => "AGENTS.md",
            Self::Anchor => "ANCHOR.md",
            Self::Tools => "TOOLS.md",
            Self::Memory => "MEMORY.md",
        }
    }

    /// The tag that its text stands in.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Soul => "soul",
            Self::Agents => "operating_instructions",
            Self::Anchor => "anchor",
            Self::Tools => "environment_knowledge",
            Self::Memory => "memory",
        }
    }

    /// The text that a new agent begins with.
    pub fn template(self) -> &'static str {
        match self {
            Self::Soul => include_str!("../../../identity/SOUL.md"),
            Self::Agents => include_str!("../../../identity/AGENTS.md"),
            Self::Anchor => include_str!("../../../identity/ANCHOR.md"),
            Self::Tools => include_str!("../../../identity/TOOLS.md"),
            Self::Memory => include_str!("../../../identity/MEMORY.md"),
        }
    }

    /// Whether nobody has written anything into it yet: it says what belongs there, not who somebody is. Templates only grow, so
    /// those of earlier versions are known, too.
    pub(crate) fn is_template(self, text: &str) -> bool {
        let template: Vec<&str> = self.template().lines().map(str::trim).collect();
        text.lines().map(str::trim).all(|line| line.is_empty() || template.contains(&line))
    }
}

/// Who is given an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityAudience {
    /// The host: which files it gets, the configuration says.
    pub host: String,
    /// The session that it is for.
    pub session: SessionKind,
}

/// Whose session it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionKind {
    /// The user's own.
    #[default]
    Main,
    /// One that another agent has begun.
    SubAgent,
}
