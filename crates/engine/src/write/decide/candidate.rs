//! The candidate: a statement in front of the gate, and what it may replace.

use cairn_cognition::statement::Statement;
use cairn_domain::{DataSource, Memory, MemoryId, SpeaksAgainst, Time, may_attest, may_join, may_replace};

/// A statement, as the gate looks at it.
pub(crate) struct GateCandidate<'a> {
    pub(crate) text: &'a str,
    pub(crate) statements: &'a [Statement],
    /// The slugs of its entities, sorted.
    pub(crate) entities: &'a [String],
    pub(crate) arousal: f64,
    /// A person asked to remember it.
    pub(crate) explicit: bool,
    /// Its words give orders, or come from nowhere that could know: it replaces and changes nothing.
    pub(crate) unbelieved: bool,
    /// Where its words come from.
    pub(crate) data_source: DataSource,
    /// When they were said.
    pub(crate) said_at: Time,
    /// They claim a time that has not come yet.
    pub(crate) from_the_future: bool,
    /// The memories that it corrects, and the only ones that it may replace; `None`: whatever it cannot stand beside.
    pub(crate) corrects: Option<&'a [MemoryId]>,
}

impl GateCandidate<'_> {
    /// Whether it may replace a memory: what may change, and by whose word it is may be. A file ends what it said itself when
    /// it is read again, and nothing else.
    pub(crate) fn may_replace(&self, memory: &Memory) -> bool {
        let how = match self.corrects {
            _ if self.from_the_future => SpeaksAgainst::FromTheFuture,
            Some(named) if named.contains(&memory.id) => SpeaksAgainst::Named,
            Some(_) => return false,
            None => SpeaksAgainst::Found,
        };
        !memory.immutable && may_replace(self.data_source, memory.data_source, how)
    }

    /// Whether a memory that was said later holds against it. Somebody's word that could not replace it does not.
    pub(crate) fn yields_to(&self, newer: &Memory) -> bool {
        self.from_the_future || may_replace(newer.data_source, self.data_source, SpeaksAgainst::Found)
    }

    /// Whether its words may become part of the text of a memory.
    pub(crate) fn may_join(&self, memory: &Memory) -> bool {
        may_join(self.data_source, memory.data_source)
    }

    /// Whether its words may be counted for a memory that says the same.
    pub(crate) fn may_attest(&self, memory: &Memory) -> bool {
        may_attest(self.data_source, memory.data_source)
    }
}
