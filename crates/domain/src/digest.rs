//! Digests: texts that were generated over records. A digest cites what it stands on and is no evidence of anything.

use crate::{DigestId, Time, word::words};

words!(
    /// The scope that a digest condenses.
    DigestKind, "a kind of digest" {
        /// A day.
        Day = "day",
        /// A week, over its days.
        Week = "week",
        /// A month, over its weeks.
        Month = "month",
        /// Looking back over a layer.
        Retrospective = "retrospective",
        /// The present of a layer.
        Current = "current",
        /// Looking ahead in a layer.
        Future = "future",
        /// Everything known about an entity.
        Profile = "profile",
        /// Everything known in one category.
        Category = "category",
        /// A stretch of conversation that is old and hardly opened.
        Stretch = "stretch",
    }
);

/// A text that was generated over records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// The kind of scope it condenses.
    pub kind: DigestKind,
    /// Name of the scope: `thread:…`, `session:…`, a layer, the slug of an entity, a category; empty for the whole agent.
    pub scope: String,
    /// Since when …
    pub from: Time,
    /// … and until when what it condenses was so.
    pub until: Time,
    /// The text: one line for each thing it says.
    pub text: String,
    /// The records it stands on: refs of memories, of messages and of other digests.
    pub sources: Vec<String>,
    /// The hash of what it was made of.
    pub inputs: String,
    /// `rules`, or the language model that worded it.
    pub made_by: String,
}

impl Digest {
    /// Its name, the same for every version.
    pub fn id(&self) -> DigestId {
        DigestId::of(self.kind.as_str(), &self.scope, self.from)
    }

    /// Name of the scope, for people: `the week from 2026-11-09`, `lisbon`, `current of short-term`.
    pub fn condenses(&self) -> String {
        let (from, scope) = (self.from.day(), &self.scope);
        let span = match self.kind {
            DigestKind::Day => from.to_string(),
            DigestKind::Week => format!("the week from {from}"),
            DigestKind::Month => format!("the month from {from}"),
            DigestKind::Retrospective | DigestKind::Current | DigestKind::Future => {
                return format!("{} of {scope}", self.kind);
            }
            DigestKind::Category => return format!("category {scope}"),
            DigestKind::Profile | DigestKind::Stretch => return scope.clone(),
        };
        if scope.is_empty() { span } else { format!("{span} in {scope}") }
    }
}
