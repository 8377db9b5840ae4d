//! The one error of this crate, and the hint that goes with each.

use std::{fmt::Write, io, path::PathBuf, sync::Arc, time::Duration};

/// What is said of a server that took too long.
pub(crate) const LATE: &str = "no answer in time";

/// What can go wrong between a text and its vector, or between a question and its answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelError {
    /// The configuration says that nothing is embedded.
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
        /// What is wrong with it.
        problem: String,
    },
    /// A model gives vectors of another length than it should.
    #[error("{id} gives vectors of {found} numbers, not of {expected}")]
    WrongDimension {
        /// Which model.
        id: String,
        /// What was promised.
        expected: usize,
        /// What came out.
        found: usize,
    },
    /// The model could not work on a text.
    #[error("the model {id} failed: {problem}")]
    Failed {
        /// Which model.
        id: String,
        /// What it said.
        problem: String,
    },
    /// Vectors are there, and nobody who could compare a question with them.
    #[error("the vectors were made by {name}, which is not configured")]
    NotConfigured {
        /// What they are kept under.
        name: String,
    },
    /// The settings of a model's server do not fit.
    #[error("the model's server cannot be used: {0}")]
    Config(String),
    /// No answer came from a model's server.
    #[error("{server} does not answer: {problem}")]
    Unreachable {
        /// The address, without secrets.
        server: String,
        /// What happened.
        problem: String,
    },
    /// A model's server said no.
    #[error("{server} refused with status {status}: {says}")]
    Refused {
        /// The address, without secrets.
        server: String,
        /// The status of HTTP.
        status: u16,
        /// The beginning of its answer, without secrets.
        says: String,
        /// When it wants to be asked again, if it said.
        retry_after: Option<Duration>,
    },
    /// A model's server answered with something else than such servers do.
    #[error("{server} gave an answer that cannot be used: {problem}")]
    BadAnswer {
        /// The address, without secrets.
        server: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The configuration names no language model.
    #[error("no language model is configured")]
    NoLanguageModel,
    /// A language model said something else than it was asked for. What it said is not shown: it may be private.
    #[error("the answer of {model} cannot be used: {problem}")]
    Unusable {
        /// Which model.
        model: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A language model failed several times in a row and is not asked for a while.
    #[error("{model} failed again and again and is left alone for a while")]
    Resting {
        /// Which model.
        model: String,
    },
    /// Language models have been asked as much today as the configuration allows.
    #[error("today's budget for language models is used up")]
    BudgetSpent,
    /// The model could not be had from anywhere.
    #[error("the model {id} could not be installed{}", listed(tried))]
    Install {
        /// Which model.
        id: String,
        /// Where it was looked for, and why that failed.
        tried: Vec<Attempt>,
    },
    /// A file or folder could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: Arc<io::Error>,
    },
}

/// One place where the model was looked for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The place.
    pub what: String,
    /// Why it failed.
    pub problem: String,
}

fn listed(tried: &[Attempt]) -> String {
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
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Refused { status: 408 | 429 | 500..=599, .. })
    }

    /// Whether the fault lies with the models there are and not with what was asked: another question would fare no
    /// better. A question that takes too long is at fault itself.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Unreachable { problem, .. } => problem != LATE,
            Self::Refused { status, .. } => !matches!(status, 400 | 413 | 422),
            Self::Config(_) | Self::NoLanguageModel | Self::Resting { .. } | Self::BudgetSpent => true,
            _ => false,
        }
    }

    /// When a server that refused wants to be asked again, if it said.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        if let Self::Refused { retry_after, .. } = self { *retry_after } else { None }
    }

    /// What the person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoEmbedder => "choose one under [embedder] in config.toml; keywords work without",
            Self::NotConfigured { .. } => {
                "name it under [previous_embedder] in config.toml, or run `cairn embed --change`"
            }
            Self::NotInstalled { .. } => "run `cairn init` to install it",
            Self::WrongDimension { id, .. } if id.starts_with("http:") => {
                "set `dimension` under [embedder] in config.toml to what the model gives"
            }
            Self::Damaged { .. } | Self::WrongDimension { .. } => "run `cairn init` to install it again",
            Self::Failed { .. } => {
                "run the command again; if it stays, run `cairn init` to install the model again"
            }
            Self::Config(_) => "mend what config.toml says of this model",
            Self::Unreachable { .. } => "check that the server runs and its url in config.toml",
            Self::Refused { status: 401 | 403, .. } => {
                "check the key in the environment variable that config.toml names"
            }
            Self::Refused { status: 404, .. } => "check the url and the model in config.toml",
            Self::Refused { status: 429, .. } => "the server is busy or a quota is used up: try again later",
            Self::Refused { .. } | Self::BadAnswer { .. } => {
                "check that the url in config.toml leads to a server of this kind: OpenAI-compatible, unless it says otherwise"
            }
            Self::NoLanguageModel => "name one in config.toml; everything works without",
            Self::Unusable { .. } => "what was asked is done without it; a larger model may answer better",
            Self::Resting { .. } => "check its server; it is tried again within a minute",
            Self::BudgetSpent => {
                "raise calls_per_day or tokens_per_day in config.toml, or wait for the next day (UTC)"
            }
            Self::Install { .. } => {
                "fetch the package or the two files on a machine that can, then run `cairn init --from FILE`"
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
