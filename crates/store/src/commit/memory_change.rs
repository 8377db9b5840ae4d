//! The changes that a rhythm makes to memories, and how each is told.

use super::{formation::MemoryAttachments, memory_end::MemoryEnd};
use cairn_domain::{RelationKind, Status, Tier, Time};

/// One thing that a rhythm changes about a memory, and why.
#[derive(Debug, Clone)]
pub struct MemoryEffect {
    /// The memory.
    pub on: MemoryEnd,
    /// The change.
    pub what: MemoryChange,
    /// Why.
    pub reason: String,
}

/// A change that a rhythm makes to a memory.
#[derive(Debug, Clone)]
pub enum MemoryChange {
    /// It loses stability with time: from, to. So small and so frequent that it is counted and not noted one by one.
    Fades(f64, f64),
    /// Its utility drifts back to the middle: from, to. Counted as well.
    Drifts(f64, f64),
    /// It becomes more stable: from, to.
    Steadies(f64, f64),
    /// It is rehearsed, which makes it more stable: from, to.
    Rehearsed(f64, f64),
    /// It is kept another way: from, to.
    Tier(Tier, Tier),
    /// It stands elsewhere in its life: from, to.
    Status(Status, Status),
    /// It belongs to another layer: from, to.
    Layer(String, String),
    /// Its time is over: it is replaced by nothing, and dormant.
    Expired {
        /// How it stood.
        was: Status,
        /// Until when it held.
        until: Time,
    },
    /// Another memory stands for it from now on.
    Replaced {
        /// Which.
        by: MemoryEnd,
        /// How it stood.
        was: Status,
        /// From when on.
        until: Time,
    },
    /// It says something else.
    Says {
        /// The text before.
        was: String,
        /// The text after.
        text: String,
        /// Sources, statements, names and relations to add.
        bound: Box<MemoryAttachments>,
    },
    /// A relation that goes out from it is surer.
    Surer {
        /// To which memory.
        to: u32,
        /// Of which kind.
        kind: RelationKind,
        /// From, to.
        confidence: (f64, f64),
    },
    /// It belongs to another memory.
    Related {
        /// Which.
        to: MemoryEnd,
        /// How.
        kind: RelationKind,
        /// How sure that is.
        confidence: f64,
    },
    /// It no longer belongs to another memory.
    Unrelated {
        /// Which.
        to: u32,
        /// How it did.
        kind: RelationKind,
    },
    /// It no longer waits for something important.
    Untagged,
    /// A property of something it speaks of has changed: what it was, what it is. Noted, nothing else.
    Property(String, String),
}

impl MemoryChange {
    /// Its word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fades(..) | Self::Steadies(..) => "stability",
            Self::Rehearsed(..) => "rehearsed",
            Self::Drifts(..) => "utility",
            Self::Tier(..) => "tier",
            Self::Status(..) | Self::Expired { .. } | Self::Replaced { .. } => "status",
            Self::Layer(..) => "layer",
            Self::Says { .. } => "text",
            Self::Surer { .. } | Self::Related { .. } | Self::Unrelated { .. } => "relation",
            Self::Untagged => "tag",
            Self::Property(..) => "property",
        }
    }

    /// Whether each one is noted, or only how many there were.
    pub fn is_noted(&self) -> bool {
        !matches!(self, Self::Fades(..) | Self::Drifts(..) | Self::Untagged)
    }

    /// The other memory that takes part in it.
    pub(super) fn other_end(&self) -> Option<MemoryEnd> {
        match self {
            Self::Replaced { by, .. } => Some(*by),
            Self::Related { to, .. } => Some(*to),
            Self::Surer { to, .. } | Self::Unrelated { to, .. } => Some(MemoryEnd::Known(*to)),
            Self::Fades(..)
            | Self::Drifts(..)
            | Self::Steadies(..)
            | Self::Rehearsed(..)
            | Self::Tier(..)
            | Self::Status(..)
            | Self::Layer(..)
            | Self::Expired { .. }
            | Self::Says { .. }
            | Self::Untagged
            | Self::Property(..) => None,
        }
    }

    /// From what, to what, in words; `other` is the ref of the other memory that takes part in it.
    pub(super) fn rendered(&self, other: &str) -> (String, String) {
        let numbers = |was: &f64, becomes: &f64| (format!("{was:.4}"), format!("{becomes:.4}"));
        match self {
            Self::Fades(was, becomes)
            | Self::Drifts(was, becomes)
            | Self::Steadies(was, becomes)
            | Self::Rehearsed(was, becomes) => numbers(was, becomes),
            Self::Tier(was, becomes) => (was.to_string(), becomes.to_string()),
            Self::Status(was, becomes) => (was.to_string(), becomes.to_string()),
            Self::Layer(was, becomes) | Self::Property(was, becomes) => (was.clone(), becomes.clone()),
            Self::Expired { was, until } => {
                (was.to_string(), format!("superseded, its time was over {}", until.minute()))
            }
            Self::Replaced { was, .. } => (was.to_string(), format!("superseded by {other}")),
            Self::Says { was, text, .. } => (was.clone(), text.clone()),
            Self::Surer { kind, confidence: (was, becomes), .. } => {
                (format!("{kind} {other} {was:.2}"), format!("{kind} {other} {becomes:.2}"))
            }
            Self::Related { kind, confidence, .. } => {
                (String::new(), format!("{kind} {other} {confidence:.2}"))
            }
            Self::Unrelated { kind, .. } => (format!("{kind} {other}"), String::new()),
            Self::Untagged => ("tagged".to_owned(), String::new()),
        }
    }
}
