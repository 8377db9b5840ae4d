//! Injection: text that gives orders to whoever reads it.

/// Why a text is suspected of giving orders to its reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Injection {
    /// The words that gave it away.
    pub words: String,
    /// What kind of order it is.
    pub kind: &'static str,
}

/// Whether a text gives orders to whoever reads it.
pub fn injection(_text: &str) -> Option<Injection> {
    None
}
