//! Who speaks, so that a statement can name them.

/// Who speaks to whom, and of whom they spoke last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeakerContext<'a> {
    /// How the memory names the speaker: `User`, `Assistant`, or a name.
    pub speaker: &'a str,
    /// Whom they talk to, if that is known.
    pub other: Option<&'a str>,
    /// The last person or thing that was named before this text.
    pub last_entity: Option<&'a str>,
}
