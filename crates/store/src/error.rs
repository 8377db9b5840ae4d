//! The one error of this crate, and the hint that goes with each.

use rusqlite::ErrorCode;
use std::{io, path::PathBuf};

/// What can go wrong below the engine.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The database refused a statement.
    #[error("the database says: {0}")]
    Database(#[from] rusqlite::Error),
    /// The database was written by a newer Cairn.
    #[error("this memory has schema {found}, and this cairn knows schemas up to {known}")]
    Newer {
        /// The schema in the file.
        found: i64,
        /// The newest schema this program knows.
        known: i64,
    },
    /// Pages of the database cannot be read.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// The archive and the database tell different stories, and nothing was changed.
    #[error("{problem}")]
    Damaged {
        /// What does not fit.
        problem: String,
        /// How to mend it.
        hint: String,
    },
    /// What was asked for does not fit what is there; nothing was changed.
    #[error("{problem}")]
    Refused {
        /// What does not fit.
        problem: String,
        /// What to do instead.
        hint: String,
    },
    /// The store's threads are gone.
    #[error("the store was closed while this was under way")]
    Closed,
}

impl StoreError {
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source }
    }

    /// What the person can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::File { source, .. } => file_hint(source.kind()).to_owned(),
            Self::Database(error) => database_hint(error.sqlite_error_code()).to_owned(),
            Self::Newer { .. } => "install the newest cairn; nothing was changed".to_owned(),
            Self::Corrupt(_) => SALVAGE.to_owned(),
            Self::Damaged { hint, .. } | Self::Refused { hint, .. } => hint.clone(),
            Self::Closed => "run the command again".to_owned(),
        }
    }

    /// Whether the database file itself is broken, so that only the archive can bring it back.
    pub fn is_corruption(&self) -> bool {
        let code = if let Self::Database(error) = self { error.sqlite_error_code() } else { None };
        matches!(self, Self::Corrupt(_))
            || matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
    }

    /// Whether waiting a moment may help.
    pub(crate) fn is_busy(&self) -> bool {
        let code = if let Self::Database(error) = self { error.sqlite_error_code() } else { None };
        matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }
}

const SALVAGE: &str =
    "run `cairn doctor --fix`: it sets the damaged file aside and restores every word from the archive";

fn file_hint(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: free some space and run the command again; nothing acknowledged was lost"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "give this user write access to the folder, or choose another with --home"
        }
        _ => "check the path and the disk; nothing acknowledged was lost",
    }
}

fn database_hint(code: Option<ErrorCode>) -> &'static str {
    match code {
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => {
            "the disk may be full: free some space and run the command again; nothing acknowledged was lost"
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            "give this user write access to the folder, or choose another with --home"
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => SALVAGE,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another process has held this memory for a minute: see `cairn doctor`, then try again"
        }
        _ => "run `cairn doctor`",
    }
}
