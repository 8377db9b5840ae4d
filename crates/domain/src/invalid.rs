//! The one error of this crate: a value that was refused, and what to do instead.

/// A value that does not fit its noun. `hint` tells the person who gave it what would fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Invalid {
    /// The mistake, naming the value.
    pub problem: String,
    /// The way out, for people.
    pub hint: String,
}

impl Invalid {
    /// A refusal and its way out.
    pub fn new(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { problem: problem.into(), hint: hint.into() }
    }
}
