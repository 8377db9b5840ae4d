//! The messages of a run that answer a question.

/// The messages of a run, by their index, that answer a question about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunAnswer {
    /// Best first. None if the question does not ask for steps, or no step answers it.
    pub messages: Vec<usize>,
    /// Those of them that show an older state of what the first one shows.
    pub older_states: Vec<usize>,
}
