//! The one error of this crate, and the hint that goes with each.

use cairn_domain::Invalid;
use cairn_engine::EngineError;
use cairn_store::StoreError;
use std::{io, path::PathBuf};

/// What can go wrong for an operator.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// Something handed in does not fit.
    #[error("{0}")]
    Invalid(#[from] Invalid),
    /// The engine failed.
    #[error("{0}")]
    Engine(#[from] EngineError),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// Nobody has made a key for the operator yet.
    #[error("this home has no operator yet")]
    NoKey,
    /// The passphrase opens nothing, or the key is not one of an operator's.
    #[error("{0}")]
    NotLetIn(&'static str),
    /// What was asked for is refused; nothing was changed.
    #[error("{problem}")]
    Refused {
        /// Why.
        problem: String,
        /// What to do instead.
        hint: String,
    },
    /// A file could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl OperatorError {
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source }
    }

    /// What the person can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Invalid(invalid) => invalid.hint.clone(),
            Self::Engine(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::NoKey => {
                "make the operator's key with `cairn operator init`; it asks for a passphrase".to_owned()
            }
            Self::NotLetIn(_) => "try again; nothing was changed".to_owned(),
            Self::Refused { hint, .. } => hint.clone(),
            Self::File { .. } => "check the path and its permissions".to_owned(),
        }
    }

    /// Whether the caller's words are at fault rather than the machine.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Invalid(_) => true,
            Self::Engine(error) => error.is_usage(),
            _ => false,
        }
    }
}
