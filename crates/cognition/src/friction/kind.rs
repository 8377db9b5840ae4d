//! The kinds of friction, and friction as it was seen.

use std::collections::BTreeSet;

/// The kinds of friction, those that say most first: a failure is told once, as the first kind that it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrictionKind {
    /// It fails one way and works another, each time.
    Detour,
    /// A program, a module or a file is not there, each time.
    Missing,
    /// Changes of files do not apply.
    MissedEdit,
    /// A command takes longer than a call may.
    Timeout,
    /// The same call again right after it failed, with nothing changed.
    BlindRetry,
    /// The same failure again, and no change of a file that ended it.
    RepeatedFailure,
    /// The same call with the same result many times for one request.
    CallLoop,
    /// The user does not let it run.
    RefusedCall,
    /// The user says again how something is to be done.
    CorrectedHabit,
    /// The user says that what was done is still not right.
    Unsolved,
}

impl FrictionKind {
    /// All of them, in the order in which they claim a failure.
    pub const ALL: [Self; 10] = [
        Self::Detour,
        Self::Missing,
        Self::MissedEdit,
        Self::Timeout,
        Self::BlindRetry,
        Self::RepeatedFailure,
        Self::CallLoop,
        Self::RefusedCall,
        Self::CorrectedHabit,
        Self::Unsolved,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Detour => "detour",
            Self::Missing => "missing",
            Self::MissedEdit => "missed_edit",
            Self::Timeout => "timeout",
            Self::BlindRetry => "blind_retry",
            Self::RepeatedFailure => "repeated_failure",
            Self::CallLoop => "call_loop",
            Self::RefusedCall => "refused_call",
            Self::CorrectedHabit => "corrected_habit",
            Self::Unsolved => "unsolved",
        }
    }
}

/// Friction that was seen in a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Friction {
    /// The kind.
    pub kind: FrictionKind,
    /// By what the same friction is known again, whatever was counted: no figures, no words of an output.
    pub key: String,
    /// The thing it is about: a command, a tool, the user's words.
    pub subject: String,
    /// The line that tells it, word for word; empty if none does.
    pub line: String,
    /// The command that works.
    pub instead: Option<String>,
    /// How often it was seen.
    pub times: usize,
    /// The requests during which it was seen.
    pub exchanges: BTreeSet<i64>,
    /// Where it was seen, the newest last.
    pub seen: Vec<WorkRef>,
}

/// Where something was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkRef {
    /// In the result of a tool, by its index.
    Result(usize),
    /// In the words of the user, by their index.
    Request(usize),
}
