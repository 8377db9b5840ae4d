//! The one error of this crate, and the hint that goes with each.

use rusqlite::ErrorCode;
use std::{fmt, io, path::PathBuf};

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Failures of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// The action that failed, as a verb.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The database refused a statement.
    #[error("the database says: {0}")]
    Database(#[from] rusqlite::Error),
    /// A database server refused a statement, or cannot be reached.
    #[error("{problem}")]
    Server {
        /// The server's message, or why it cannot be reached.
        problem: String,
        /// Its code for that; none if it cannot be reached.
        code: Option<String>,
    },
    /// The database was written by a newer Cairn.
    #[error("this memory has schema version {found}, but this cairn supports versions up to {known}")]
    Newer {
        /// The schema in the file.
        found: i64,
        /// The newest schema this program knows.
        known: i64,
    },
    /// Pages of the database cannot be read.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// Stored data contradicts itself or cannot have been written by Cairn; nothing was changed.
    #[error("{problem}")]
    Damaged {
        /// The inconsistency, and where it is stored.
        problem: String,
        /// How to repair it.
        hint: String,
    },
    /// The request does not fit the stored data; nothing was changed.
    #[error("{problem}")]
    Refused {
        /// The mismatch.
        problem: String,
        /// Suggested action.
        hint: String,
    },
    /// The store was closed, or its runtime shut down, before the work finished. Never used for bad data.
    #[error("the store was closed during the operation")]
    Closed,
    /// The work panicked: a mistake in this program.
    #[error("the operation stopped because of a bug in cairn")]
    Panicked,
}

impl StoreError {
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source }
    }

    /// A stored value that Cairn cannot have written: `what` is wrong with it, and `at`, its table and column, says where
    /// to look.
    pub(crate) fn damaged(what: impl fmt::Display, at: impl fmt::Display) -> Self {
        Self::Damaged {
            problem: format!("the database is damaged at {at}: {what}"),
            hint: INSPECT.to_owned(),
        }
    }

    /// Advice for the person at the terminal.
    pub fn hint(&self) -> String {
        match self {
            Self::File { source, .. } => file_hint(source.kind()).to_owned(),
            Self::Database(error) => database_hint(error.sqlite_error_code()).to_owned(),
            Self::Server { code, .. } => server_hint(code.as_deref().unwrap_or_default()).to_owned(),
            Self::Newer { .. } => "install the newest cairn; nothing was changed".to_owned(),
            Self::Corrupt(_) => SALVAGE.to_owned(),
            Self::Damaged { hint, .. } | Self::Refused { hint, .. } => hint.clone(),
            Self::Closed => "run the command again".to_owned(),
            Self::Panicked => "run `cairn doctor`; nothing acknowledged was lost".to_owned(),
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
        match self {
            Self::Database(error) => {
                matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
            }
            // Serialization failure, deadlock, too many connections.
            Self::Server { code: Some(code), .. } => matches!(code.as_str(), "40001" | "40P01" | "53300"),
            _ => false,
        }
    }

    /// Whether nothing can be written at the moment, while what is there can be read: another process holds the lock, the disk is
    /// full, or the place may only be read.
    pub fn is_unwritable(&self) -> bool {
        match self {
            Self::Database(error) => matches!(
                error.sqlite_error_code(),
                Some(
                    ErrorCode::DatabaseBusy
                        | ErrorCode::DatabaseLocked
                        | ErrorCode::ReadOnly
                        | ErrorCode::DiskFull
                        | ErrorCode::SystemIoFailure
                )
            ),
            Self::File { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::StorageFull
                    | io::ErrorKind::ReadOnlyFilesystem
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::QuotaExceeded
            ),
            _ => false,
        }
    }

    /// Whether the connection to a server is gone, or the server is going down or coming up.
    pub(crate) fn is_lost(&self) -> bool {
        match self {
            Self::Server { code: None, .. } => true,
            Self::Server { code: Some(code), .. } => {
                code.starts_with("08") || matches!(code.as_str(), "57P01" | "57P02" | "57P03")
            }
            _ => false,
        }
    }

    /// The server's code for what went wrong.
    pub(crate) fn server_code(&self) -> Option<&str> {
        if let Self::Server { code, .. } = self { code.as_deref() } else { None }
    }

    /// Says which server an error is about.
    pub(crate) fn at(self, server: impl fmt::Display) -> Self {
        match self {
            Self::Server { problem, code } => Self::Server { problem: format!("{server}: {problem}"), code },
            other => other,
        }
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        if let Some(said) = error.as_db_error() {
            let detail = said.detail().map_or_else(String::new, |detail| format!(" ({detail})"));
            let problem = format!("the database says: {}{detail}", said.message());
            return Self::Server { problem, code: Some(said.code().code().to_owned()) };
        }
        // The error itself and everything that caused it: a refused connection stands at the end.
        let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
        let mut words: Vec<String> = causes.map(ToString::to_string).collect();
        words.dedup_by(|later, earlier| earlier.contains(later.as_str()));
        let problem = words.join(": ");
        // Values that do not fit a column are a fault of this program; most of the rest is the connection.
        let ours = ["error serializing", "error deserializing", "invalid column", "query returned"];
        let code = if ours.iter().any(|begin| problem.starts_with(begin)) {
            Some("client")
        } else if problem.contains("TLS") || problem.contains("certificate") {
            Some("tls")
        } else if problem.contains("password") || problem.contains("authentication") {
            Some("28P01")
        } else {
            None
        };
        Self::Server { problem, code: code.map(str::to_owned) }
    }
}

const INSPECT: &str = "run `cairn verify` to see everything that is wrong, then `cairn doctor --fix`";
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
            "another process has locked this memory for a minute: run `cairn doctor`, then try again"
        }
        _ => "run `cairn doctor`",
    }
}

fn server_hint(code: &str) -> &'static str {
    match code {
        "" | "57P01" | "57P02" | "57P03" => {
            "check that the database server is running, and the host and port in CAIRN_DATABASE_URL or `[store] url`"
        }
        "28000" | "28P01" => "check the user and password in CAIRN_DATABASE_URL or `[store] url`",
        "tls" => {
            "check the server's certificate, or add ?sslmode=disable to the address if the network is trusted"
        }
        "3D000" => "create the database first: `createdb NAME`",
        "42501" => "this database user lacks a permission: run `cairn doctor`",
        "53300" => "the server has no connection left: raise its max_connections, or run fewer processes",
        "53100" | "53200" => "the server's disk or memory is full; nothing acknowledged was lost",
        "55P03" | "57014" => {
            "another process has locked this memory for a long time: run `cairn doctor`, then try again"
        }
        _ => "run `cairn doctor`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_names_its_place_and_the_command_that_shows_the_rest() {
        let error = StoreError::damaged("an id of 3 bytes instead of 16", "memory.memory_id");
        assert!(matches!(error, StoreError::Damaged { .. }));
        assert!(error.to_string().contains("memory.memory_id: an id of 3 bytes"), "{error}");
        assert!(error.hint().contains("`cairn verify`") && error.hint().contains("`cairn doctor --fix`"));
    }
}
