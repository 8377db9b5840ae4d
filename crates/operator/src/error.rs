//! The error type of this crate, with a hint for each variant.

use cairn_domain::Invalid;
use cairn_engine::EngineError;
use cairn_store::StoreError;
use std::{io, path::PathBuf};

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, OperatorError>;

/// Failures of an operator's work.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// An argument is invalid.
    #[error("{0}")]
    Invalid(#[from] Invalid),
    /// Nothing would change.
    #[error("{0}")]
    Unchanged(Invalid),
    /// The engine failed.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// The home has no operator key yet.
    #[error("this home has no operator yet")]
    NoKey,
    /// The passphrase is wrong, or the key is not an operator's.
    #[error("{0}")]
    SignInFailed(&'static str),
    /// The key or the declaration is limited to other agents.
    #[error("this goes beyond what the operator's key is limited to")]
    BeyondLimit,
    /// The request is refused; nothing was changed.
    #[error("{problem}")]
    Refused {
        /// Why.
        problem: String,
        /// The next step, for the user.
        hint: String,
    },
    /// A file could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// A verb: `read`, `write`.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl OperatorError {
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source }
    }

    /// The next step, for the user.
    pub fn hint(&self) -> String {
        match self {
            Self::Invalid(invalid) | Self::Unchanged(invalid) => invalid.hint.clone(),
            Self::Engine(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::NoKey => "create the operator's key with `cairn operator init`".to_owned(),
            Self::SignInFailed(_) => "try again; nothing was changed".to_owned(),
            Self::BeyondLimit => {
                "name only agents that this key is for, or use one without a limit; nothing was changed"
                    .to_owned()
            }
            Self::Refused { hint, .. } => hint.clone(),
            Self::File { .. } => "check the path and its permissions".to_owned(),
        }
    }

    /// Whether the caller's arguments are at fault.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Invalid(_) | Self::Unchanged(_) => true,
            Self::Engine(error) => error.is_usage(),
            _ => false,
        }
    }
}
