//! The candidate: a statement in front of the gate, and what it may replace.

use cairn_cognition::statement::Statement;
use cairn_domain::{DataSource, Memory, MemoryId, Time};

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
    /// The only memories that it may replace; `None`: whatever it cannot stand beside.
    pub(crate) replaces: Option<&'a [MemoryId]>,
}

impl GateCandidate<'_> {
    /// Whether it may replace a memory. What may not change cannot be replaced; what the user said is replaced by what the
    /// user says, and what an agent said by the user or an agent, unless the memory is named. A file ends what it said itself
    /// when it is read again, and nothing else.
    pub(crate) fn may_replace(&self, memory: &Memory) -> bool {
        let may_speak = match self.replaces {
            Some(only) => only.contains(&memory.id),
            None => match self.data_source {
                DataSource::UserMessage => true,
                DataSource::AssistantMessage | DataSource::Task | DataSource::System => {
                    self.data_source == memory.data_source
                }
                DataSource::File | DataSource::Feed | DataSource::Federation => false,
            },
        };
        !memory.immutable && may_speak
    }
}
