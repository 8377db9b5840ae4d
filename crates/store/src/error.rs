//! The one error of this crate, and the hint that goes with each.

use crate::Server;
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
    /// A database server refused a statement, or cannot be reached.
    #[error("{problem}")]
    Server {
        /// What the server said, or why it cannot be reached.
        problem: String,
        /// Its code for that; none if it cannot be reached.
        code: Option<String>,
    },
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
            Self::Server { code, .. } => server_hint(code.as_deref().unwrap_or_default()).to_owned(),
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
        match self {
            Self::Database(error) => {
                matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
            }
            // Serialization failure, deadlock, too many connections.
            Self::Server { code: Some(code), .. } => matches!(code.as_str(), "40001" | "40P01" | "53300"),
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
    pub(crate) fn at(self, server: &Server) -> Self {
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

fn server_hint(code: &str) -> &'static str {
    match code {
        "" | "57P01" | "57P02" | "57P03" => {
            "check that the server runs and that host and port in CAIRN_DATABASE_URL or `[store] url` are right"
        }
        "28000" | "28P01" => "check user and password in CAIRN_DATABASE_URL or `[store] url`",
        "tls" => {
            "check the server's certificate, or add ?sslmode=disable to the address if the way to it is safe"
        }
        "3D000" => "make the database first: `createdb NAME`",
        "42501" => "this database user may not do that: see `cairn doctor`",
        "53300" => "the server has no connection left: raise its max_connections, or run fewer processes",
        "53100" | "53200" => "the server's disk or memory is full; nothing acknowledged was lost",
        "55P03" | "57014" => {
            "another process has held this memory for long: see `cairn doctor`, then try again"
        }
        _ => "run `cairn doctor`",
    }
}
