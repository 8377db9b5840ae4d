//! Sharing: which memories of an agent another one may read, and how far that one trusts them.

use crate::{AgentName, Category, Invalid, Memory, MemoryId, Privacy, Time, WhoseWord, word::words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Threads, categories and entities that one share names, at most.
pub const MAX_SHARE_NAMES: usize = 32;

/// Memories of an owner that a reader may find: those to which any of these applies.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryShare {
    /// Whether every memory is shared, but for private ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everything: bool,
    /// Threads whose memories are shared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// Categories of memories that are shared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Category>,
    /// Addresses of entities: memories that name one of them are shared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// When it is over; never if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

impl MemoryShare {
    /// Checks that it shares something, not too much by name, and not only what is over.
    pub fn validate(&self, now: Time) -> Result<(), Invalid> {
        let names = self.threads.len() + self.categories.len() + self.entities.len();
        if !self.everything && names == 0 {
            let hint = "say what: --all, --thread, --category or --entity";
            return Err(Invalid::new("nothing is shared", hint));
        }
        if self.everything && names > 0 {
            let hint = "give --all alone, or the others without it";
            return Err(Invalid::new("everything is shared already", hint));
        }
        if names > MAX_SHARE_NAMES {
            let problem = format!("a share names at most {MAX_SHARE_NAMES} threads, categories and entities");
            return Err(Invalid::new(problem, "name fewer, or share everything with --all"));
        }
        if !self.holds(now) {
            return Err(Invalid::new("the share has already ended", "give a time to come with --until"));
        }
        Ok(())
    }

    /// Whether it is not over.
    pub fn holds(&self, now: Time) -> bool {
        self.until.is_none_or(|until| now < until)
    }

    /// Whether a memory is shared that names these entities. What is private, or forgotten, never is.
    pub fn covers(&self, memory: &Memory, entities: &[String]) -> bool {
        let named = || {
            memory.thread.as_ref().is_some_and(|thread| self.threads.contains(thread))
                || self.categories.contains(&memory.category)
                || entities.iter().any(|entity| self.entities.contains(entity))
        };
        memory.privacy != Privacy::Private && !memory.is_forgotten() && (self.everything || named())
    }
}

/// That an agent may write into another's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteGrant {
    /// When it is over; never if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Time>,
}

impl WriteGrant {
    /// Whether it is not over.
    pub fn holds(&self, now: Time) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// That an agent looks at another's memories when it is asked something. It permits nothing: what is shared, the owner's
/// side says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedSource {
    /// Highest trust that the owner's memories get, 0 to 1.
    pub trust_at_most: f64,
}

impl Default for SharedSource {
    fn default() -> Self {
        Self { trust_at_most: 1.0 }
    }
}

words!(
    /// How a shared memory turned out for its reader.
    TrustVerdict, "a verdict on what another agent shares" {
        /// It was right.
        Confirmed = "confirmed",
        /// It was wrong.
        Contradicted = "contradicted",
    }
);

/// One verdict on a memory that another agent shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustJudgment {
    /// The memory.
    pub memory: MemoryId,
    /// How it turned out.
    pub verdict: TrustVerdict,
    /// Whose word that is.
    pub by: WhoseWord,
}

/// The address of another agent's memory: `scout/mem_…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedRef {
    /// Whose it is.
    pub owner: AgentName,
    /// The memory.
    pub memory: MemoryId,
}

impl FromStr for SharedRef {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let parts = text
            .split_once('/')
            .and_then(|(owner, memory)| Some((owner.parse().ok()?, memory.parse().ok()?)));
        let (owner, memory) = parts.ok_or_else(|| {
            let shown: String = text.chars().take(80).collect();
            let problem = format!("`{}` is not a memory of another agent", shown.escape_debug());
            Invalid::new(problem, "use a ref that `cairn recall` gives: scout/mem_…")
        })?;
        Ok(Self { owner, memory })
    }
}

impl fmt::Display for SharedRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.memory)
    }
}
