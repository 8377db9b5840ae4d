//! The error type of this crate, with a hint for each variant.

use std::{fmt::Write, io, path::PathBuf, pin::Pin, sync::Arc, time::Duration};

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, ModelError>;

/// A boxed future: what an asynchronous method of a trait object returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The problem of an [`Unreachable`](ModelError::Unreachable) server that took too long.
pub(crate) const TIMED_OUT: &str = "no answer in time";

/// Failures between a text and its vector, or between a question and its answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelError {
    /// The configuration turns embedding off.
    #[error("no embedder is configured")]
    NoEmbedder,
    /// The local model's files are not there.
    #[error("the model {id} is not installed in {}", folder.display())]
    NotInstalled {
        /// Which model.
        id: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// A file of the model is not what it should be.
    #[error("{} is damaged: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage, for people.
        problem: String,
    },
    /// A model returns vectors of the wrong dimension.
    #[error("{id} returns vectors of dimension {found} instead of {expected}")]
    WrongDimension {
        /// Which model.
        id: String,
        /// The configured dimension.
        expected: usize,
        /// The actual dimension.
        found: usize,
    },
    /// The model could not work on a text.
    #[error("the model {id} failed: {problem}")]
    Failed {
        /// Which model.
        id: String,
        /// Its message.
        problem: String,
    },
    /// There are vectors, but the embedder that could compare a question with them is not configured.
    #[error("the vectors were made by {name}, which is not configured")]
    NotConfigured {
        /// The embedder's name.
        name: String,
    },
    /// The settings of a model server are invalid.
    #[error("the model server's settings are invalid: {0}")]
    Config(String),
    /// No answer came from a model server.
    #[error("{server} does not answer: {problem}")]
    Unreachable {
        /// The address, without secrets.
        server: String,
        /// The failure.
        problem: String,
    },
    /// A model server refused the request.
    #[error("{server} refused with status {status}: {says}")]
    Refused {
        /// The address, without secrets.
        server: String,
        /// The HTTP status.
        status: u16,
        /// The beginning of its answer, without secrets.
        says: String,
        /// Its `Retry-After`, if it sent one.
        retry_after: Option<Duration>,
    },
    /// A model server did not answer in the format of its protocol.
    #[error("{server} sent an invalid answer: {problem}")]
    BadAnswer {
        /// The address, without secrets.
        server: String,
        /// The problem, for people.
        problem: String,
    },
    /// The configuration names no language model.
    #[error("no language model is configured")]
    NoLanguageModel,
    /// A language model did not give the requested shape. Its words are not shown: they may be private.
    #[error("the answer of {model} cannot be used: {problem}")]
    Unusable {
        /// Which model.
        model: String,
        /// The problem, without the model's words.
        problem: String,
    },
    /// A language model failed several times in a row and is paused.
    #[error("{model} failed repeatedly and is paused for a minute")]
    Resting {
        /// Which model.
        model: String,
    },
    /// The configured daily budget for language models is used up.
    #[error("today's budget for language models is used up")]
    BudgetSpent,
    /// No source had the model.
    #[error("the model {id} could not be installed{}", listed(tried))]
    Install {
        /// Which model.
        id: String,
        /// The sources tried, and why each failed.
        tried: Vec<InstallAttempt>,
    },
    /// A file or folder could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// A verb: `read`, `write`.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// The system's error.
        source: Arc<io::Error>,
    },
}

/// A source that did not have the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallAttempt {
    /// The source.
    pub what: String,
    /// Why it failed.
    pub problem: String,
}

fn listed(tried: &[InstallAttempt]) -> String {
    let mut list = String::new();
    for attempt in tried {
        let _ = write!(list, "\n  {}: {}", attempt.what, attempt.problem);
    }
    list
}

impl ModelError {
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source: Arc::new(source) }
    }

    /// Whether the same request may succeed a little later.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Refused { status: 408 | 429 | 500..=599, .. })
    }

    /// Whether the models are at fault rather than the question, so that another question would fail, too. A timeout counts
    /// against the question.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Unreachable { problem, .. } => problem != TIMED_OUT,
            Self::Refused { status, .. } => !matches!(status, 400 | 413 | 422),
            Self::Config(_) | Self::NoLanguageModel | Self::Resting { .. } | Self::BudgetSpent => true,
            _ => false,
        }
    }

    /// The `Retry-After` of a refusal, if the server sent one.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        if let Self::Refused { retry_after, .. } = self { *retry_after } else { None }
    }

    /// The next step, for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoEmbedder => {
                "choose one under [embedder] in config.toml; keyword search works without one"
            }
            Self::NotConfigured { .. } => {
                "name it under [previous_embedder] in config.toml, or run `cairn embed --change`"
            }
            Self::NotInstalled { .. } => "run `cairn init` to install it",
            Self::WrongDimension { id, .. } if id.starts_with("http:") => {
                "set `dimension` under [embedder] in config.toml to the dimension of the model's vectors"
            }
            Self::Damaged { .. } | Self::WrongDimension { .. } => "run `cairn init` to install it again",
            Self::Failed { .. } => {
                "run the command again; if it fails again, run `cairn init` to reinstall the model"
            }
            Self::Config(_) => "fix this model's settings in config.toml",
            Self::Unreachable { .. } => "check that the server is running, and its url in config.toml",
            Self::Refused { status: 401 | 403, .. } => {
                "check the key in the environment variable that config.toml names"
            }
            Self::Refused { status: 404, .. } => "check the url and the model in config.toml",
            Self::Refused { status: 429, .. } => "the server is busy or a quota is used up: try again later",
            Self::Refused { .. } | Self::BadAnswer { .. } => {
                "check that the url in config.toml leads to a server of this kind: OpenAI-compatible, unless it says otherwise"
            }
            Self::NoLanguageModel => "name one in config.toml; everything works without one",
            Self::Unusable { .. } => "the work is done without it; a larger model may answer better",
            Self::Resting { .. } => "check its server; the next attempt is within a minute",
            Self::BudgetSpent => {
                "raise calls_per_day or tokens_per_day in config.toml, or wait for the next day (UTC)"
            }
            Self::Install { .. } => {
                "download the package or the two files on another machine, then run `cairn init --from FILE`"
            }
            Self::File { source, .. } => file_hint(source.kind()),
        }
    }
}

fn file_hint(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: free some space and run the command again"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "give this user write access to the folder, or choose another with CAIRN_MODELS"
        }
        _ => "check the path and the disk",
    }
}
