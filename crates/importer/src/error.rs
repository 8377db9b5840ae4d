//! Why something could not be read.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why an import could not go on, with a way out.
#[derive(Debug, thiserror::Error)]
pub enum ImporterError {
    /// A file or folder could not be opened, listed or copied.
    #[error("{} cannot be read: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A database could not be read.
    #[error("{} cannot be read as a database: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// SQLite's reason.
        source: rusqlite::Error,
    },
    /// The contents are not of the form that they seemed to be.
    #[error("{}: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        problem: String,
    },
    /// The agent could not store it.
    #[error(transparent)]
    Engine(#[from] cairn_engine::EngineError),
    /// Nothing that is known was found.
    #[error("Cairn does not recognize {}", path.display())]
    Unknown {
        /// The file or folder.
        path: PathBuf,
    },
}

/// The crate's result.
pub type Result<T, E = ImporterError> = std::result::Result<T, E>;

impl ImporterError {
    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path: path.clone(), source }
    }

    pub(crate) fn database(path: &Path) -> impl Fn(rusqlite::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Database { path: path.clone(), source }
    }

    pub(crate) fn malformed(path: &Path, problem: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), problem: problem.into() }
    }

    /// A way out of it.
    pub fn hint(&self) -> String {
        match self {
            Self::File { .. } => "check that it exists and that you may read it".to_owned(),
            Self::Database { .. } => "close the program that it belongs to, and try again".to_owned(),
            Self::Malformed { .. } => {
                "ask the product for a new export, or give the file it came from".to_owned()
            }
            Self::Engine(error) => error.hint(),
            Self::Unknown { .. } => format!("known are: {}", crate::product::known_names()),
        }
    }
}
