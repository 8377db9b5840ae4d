//! The one error of this crate, and the hint that goes with each.

use cairn_domain::{AgentName, Invalid, MessageId, Ref};
use cairn_models::ModelError;
use cairn_store::StoreError;
use std::{io, path::PathBuf};

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, EngineError>;

/// Errors that reach a user of the engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Something handed in does not fit.
    #[error("{0}")]
    Invalid(#[from] Invalid),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// An embedder failed.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// A reading command named an agent that is not there.
    #[error("there is no agent `{name}` in {home}")]
    NoSuchAgent {
        /// Who was asked for.
        name: AgentName,
        /// Where.
        home: String,
        /// Who is there.
        known: Vec<AgentName>,
    },
    /// No record has this ref.
    #[error("nothing is stored under {0}")]
    NotFound(String),
    /// A belief that the gate withholds from agents.
    #[error("{0} is a belief that agents may not see")]
    Withheld(Ref),
    /// No operator lets this agent write into that memory.
    #[error("{writer} may not write into the memory of {owner}")]
    NotPermitted {
        /// Who wanted to write.
        writer: AgentName,
        /// Into whose memory.
        owner: AgentName,
    },
    /// The configuration file does not fit.
    #[error("{}: {problem}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// The problem found in it.
        problem: String,
    },
    /// A bundle that cannot be read, or not whole.
    #[error("{}: {problem}", path.display())]
    Bundle {
        /// The file.
        path: PathBuf,
        /// The problem found in it.
        problem: String,
        /// How to fix it.
        hint: &'static str,
    },
    /// Others wrote to the memory each time this was about to be committed.
    #[error("could not {doing}: other processes wrote at the same time, {attempts} times in a row")]
    Contended {
        /// The action that failed, for the message.
        doing: &'static str,
        /// How often it was tried.
        attempts: u64,
    },
    /// The store took a message and did not say what became of it.
    #[error("the store did not acknowledge {0}")]
    Unacknowledged(MessageId),
    /// A file of the user's could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// The action that failed, for the message.
        doing: &'static str,
        /// To which file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl EngineError {
    pub(crate) fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source }
    }

    /// Advice for the person who sees the error.
    pub fn hint(&self) -> String {
        match self {
            Self::Invalid(invalid) => invalid.hint.clone(),
            Self::Store(error) => error.hint(),
            Self::Model(error) => error.hint().to_owned(),
            Self::NoSuchAgent { name, known, .. } if known.is_empty() => {
                format!(
                    "there is no agent here yet: `cairn --agent {name} init` or the first `remember` creates it"
                )
            }
            Self::NoSuchAgent { known, .. } => {
                let known: Vec<&str> = known.iter().map(AgentName::as_str).collect();
                format!("existing agents: {}; choose one with --agent", known.join(", "))
            }
            Self::NotFound(reference) if reference.starts_with("mem_") => {
                "`cairn memories list --all` shows every memory; check the spelling and the agent".to_owned()
            }
            Self::NotFound(reference) if reference.starts_with("session ") => {
                "`cairn sessions` lists them; check the spelling and the agent".to_owned()
            }
            Self::NotFound(_) => "refs come from `cairn recall`; check the spelling and the agent".to_owned(),
            Self::Withheld(_) => {
                "use `recall` for the memories it is based on; a person can show it with `cairn why`"
                    .to_owned()
            }
            Self::NotPermitted { writer, owner } => {
                format!(
                    "an operator permits it: `cairn operator share {owner} --to {writer} --write`; nothing was stored"
                )
            }
            Self::Config { .. } => {
                "fix the file or move it away; `cairn config show` prints a complete one".to_owned()
            }
            Self::Bundle { hint, .. } => (*hint).to_owned(),
            Self::Contended { .. } => {
                "try again when fewer processes write to this agent; nothing was lost".to_owned()
            }
            Self::Unacknowledged(_) => {
                "send it again: a message that is already stored is not stored twice".to_owned()
            }
            Self::File { .. } => "check the path and its permissions".to_owned(),
        }
    }

    /// Whether the caller's words are at fault rather than the machine.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::Invalid(_))
    }
}
