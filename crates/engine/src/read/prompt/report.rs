//! Reports: which sections a context has, why not the others, and what each took.

use std::time::Duration;

/// The name of the section of intentions, by which it is known which were told.
pub(crate) const INTENTIONS: &str = "intentions";

/// Why a section is in a context, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionOutcome {
    /// It is there.
    Included,
    /// It had nothing to say.
    Silent,
    /// The model has been shown all of it, in this session or in another section.
    ShownBefore,
    /// There was no room for any of it.
    NoRoom,
}

impl SectionOutcome {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Included => "included",
            Self::Silent => "nothing to say",
            Self::ShownBefore => "shown before",
            Self::NoRoom => "no room",
        }
    }
}

/// One section of a context, with what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionReport {
    /// Its name.
    pub name: &'static str,
    /// Its priority: the least comes first.
    pub priority: u8,
    /// Whether it is there, or why not.
    pub outcome: SectionOutcome,
    /// Its tokens.
    pub tokens: usize,
    /// How long it took.
    pub took: Duration,
    /// The refs that stand in it.
    pub refs: Vec<String>,
}
