//! Patterns and reflections, for programs: what repeats, and what an agent makes of what it remembers.

use cairn_domain::{ProposalId, ProposalStatus, Time};
use cairn_engine::{ObservedPattern, ReflectionDraft};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whatever repeats in what an agent knows of its work and of itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Patterns {
    /// The most often seen first.
    pub patterns: Vec<SeenPattern>,
}

/// Something that repeats, or that was learned from what did. It changes nothing; what follows from it is proposed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SeenPattern {
    /// Where it was seen: `growth`, `friction`, `procedure`, `recurring`, `lesson` or `reflection`.
    pub source: &'static str,
    /// The pattern in one sentence.
    pub text: String,
    /// How often it was seen.
    pub times: usize,
    /// The project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// When it was seen last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_at: Option<Time>,
    /// Refs of the records that it rests on: what a proposal may give as evidence.
    pub evidence: Vec<String>,
    /// The proposal that came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalId>,
    /// Where that proposal stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ProposalStatus>,
}

/// Keeps what the agent makes of some records.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReflectRequest {
    /// The thought, in the agent's words.
    #[schemars(length(min = 1, max = 500))]
    pub text: String,
    /// Refs of the memories and messages that it looks back on.
    #[schemars(length(min = 1, max = 20))]
    pub on: Vec<String>,
    /// The session that it belongs to.
    #[serde(default)]
    pub session: Option<String>,
    /// The project that it belongs to.
    #[serde(default)]
    pub thread: Option<String>,
}

impl ReflectRequest {
    /// The draft of the reflection.
    pub fn draft(self) -> ReflectionDraft {
        let Self { text, on, session, thread } = self;
        ReflectionDraft { text, on, session, thread }
    }
}

impl<'a> FromIterator<&'a ObservedPattern> for Patterns {
    fn from_iter<I: IntoIterator<Item = &'a ObservedPattern>>(patterns: I) -> Self {
        let pattern = |pattern: &ObservedPattern| SeenPattern {
            source: pattern.source.as_str(),
            text: pattern.text.clone(),
            times: pattern.times,
            thread: pattern.thread.clone(),
            last_at: pattern.last_at,
            evidence: pattern.evidence.clone(),
            proposal: pattern.proposal.map(|(id, _)| id),
            status: pattern.proposal.map(|(_, status)| status),
        };
        Self { patterns: patterns.into_iter().map(pattern).collect() }
    }
}
