//! A statement, and the frame by which two statements are compared.

use super::word::ClauseWord;

/// The value that a subject has of an attribute, as a sentence says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// `user`, `agent`, a name or a noun phrase; what belongs to somebody as `user/sister`.
    pub subject: String,
    /// The slot: `residence`, `employer`, `name`, `likes`, `has/dog`, or a verb or noun of the text.
    pub attribute: String,
    /// The value, in lower case and without accents.
    pub value: String,
    /// It is said not to be so.
    pub negated: bool,
    /// One subject has one such value at a time.
    pub single: bool,
    /// The sentence says itself that something changed.
    pub change: bool,
    /// The value that it says no longer holds.
    pub old: Option<String>,
    /// How sure the reading is, 0–1.
    pub confidence: f64,
    pub(crate) frame: StatementFrame,
}

/// A statement that is believed less than this is still to be made sure of.
const PENDING_BELOW: f64 = 0.25;

impl Statement {
    /// Whether it is still to be made sure of: its source is of little confidence, or its reading is unsure.
    ///
    /// pending if source confidence × confidence of the reading < 0.25
    pub fn is_pending(&self, source_confidence: f64) -> bool {
        source_confidence * self.confidence < PENDING_BELOW
    }
}

/// The normalized form by which statements are compared.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct StatementFrame {
    /// The subject and the attribute by the keys of their words.
    pub subject: String,
    pub attribute: String,
    /// The value alone, and with everything around it.
    pub value: Vec<ClauseWord>,
    pub parts: Vec<ValuePart>,
    pub old: Vec<ClauseWord>,
    /// Whether only names and numbers fill this slot.
    pub thing: bool,
    /// Index of the grammar that parsed it.
    pub grammar: usize,
}

/// Words that belong together, and the word or case that binds them to the sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ValuePart {
    pub marker: String,
    pub words: Vec<ClauseWord>,
}

impl ValuePart {
    /// Words that nothing binds.
    pub(super) fn plain(words: Vec<ClauseWord>) -> Self {
        Self { marker: String::new(), words }
    }
}

impl StatementFrame {
    /// Every word of the value.
    pub(crate) fn words(&self) -> impl Iterator<Item = &ClauseWord> {
        self.parts.iter().flat_map(|part| &part.words)
    }
}
