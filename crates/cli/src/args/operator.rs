//! What an operator tells.

use cairn_domain::{BeliefKind, Consumer, ProvenanceMode, ReviewDecision, Time};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Erase {
    /// Messages, exchanges, memories or beliefs, as `recall` prints them: with the words that they rest on
    #[arg(value_name = "REF")]
    pub(crate) refs: Vec<String>,
    /// What was said before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<Time>,
    /// What was said in this session
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// What was said in this thread
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// Every word of the agent
    #[arg(long)]
    pub(crate) all: bool,
    /// Why, for the ledger; do not repeat the words
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Do it; without it nothing is changed
    #[arg(long, requires = "reason")]
    pub(crate) yes: bool,
}

#[derive(Subcommand)]
pub(crate) enum OperatorCommand {
    /// Make the operator's key of this home, sealed with a passphrase
    #[command(
        after_help = "Example:\n  cairn operator init\n\nThe passphrase is asked for on the terminal, or taken from CAIRN_OPERATOR_PASSPHRASE. It is kept nowhere:\nwithout it nobody decides, erases or changes what is protected."
    )]
    Init,
    /// Tell whether this home has an operator, and how far beliefs are trusted
    #[command(after_help = "Example:\n  cairn operator status")]
    Status,
    /// Show what a change would do and what it would not; changes nothing
    #[command(
        after_help = "Examples:\n  cairn operator plan --mode enforce\n  cairn operator plan --low-risk operator_preference,tooling_state\n  cairn operator plan --config new-config.toml\n  cairn operator plan --identity drafts/SOUL.md"
    )]
    Plan {
        #[command(flatten)]
        change: Change,
    },
    /// Carry a change out, after a copy of what was there; an operator signs in for it
    #[command(
        after_help = "Example:\n  cairn operator apply --mode enforce --reason \"40 beliefs reviewed\" --yes"
    )]
    Apply {
        #[command(flatten)]
        change: Change,
        /// Why, for the ledger
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Do it
        #[arg(long)]
        yes: bool,
    },
    /// Put back what was there before a change
    #[command(after_help = "Example:\n  cairn operator rollback 23 --reason \"too early\" --yes")]
    Rollback {
        /// The number of its receipt
        receipt: u64,
        /// Why, for the ledger
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Do it
        #[arg(long)]
        yes: bool,
    },
    /// The ledger: who did what and why, the newest first
    #[command(after_help = "Example:\n  cairn operator log --limit 20")]
    Log(super::Limit),
}

#[derive(Subcommand)]
pub(crate) enum ReviewCommand {
    /// What waits, the best supported first
    #[command(after_help = "Examples:\n  cairn review list\n  cairn review list --all")]
    List {
        /// Also what was put off, and what is verified
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        limit: super::Limit,
    },
    /// What a belief says, what its sources say now, and what is recommended; changes nothing
    #[command(after_help = "Example:\n  cairn review show blf_0123456789abcdefghjkmnpqrs")]
    Show {
        /// Its ref
        #[arg(value_name = "REF")]
        reference: String,
    },
    /// Decide about a belief; an operator signs in for it
    #[command(
        after_help = "Examples:\n  cairn review decide blf_0123456789abcdefghjkmnpqrs accept_verified --reason \"she told me herself\"\n  cairn review decide blf_0123456789abcdefghjkmnpqrs accept_verified --for recall --reason \"not unasked\"\n  cairn review decide blf_0123456789abcdefghjkmnpqrs defer --reason \"ask her first\" --until 2026-12-01"
    )]
    Decide(Decide),
    /// Undo a decision, with a receipt of its own
    #[command(after_help = "Example:\n  cairn review rollback 17 --reason \"too early\" --yes")]
    Rollback {
        /// The number of its receipt
        receipt: u64,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Do it
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub(crate) struct Decide {
    /// The belief
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// What becomes of it: `accept_verified`, `reject`, `defer` or `retract`
    pub(crate) decision: ReviewDecision,
    /// Why, for the ledger
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// What `review show` told to confirm; nothing is decided if the text or a source has changed since
    #[arg(long, value_name = "HASH")]
    pub(crate) confirm: Option<String>,
    /// Until when it is put off [default: a week]
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<Time>,
    /// Who may be given it, if it is accepted: `context_injection`, `recall` [default: all]
    #[arg(long = "for", value_name = "CONSUMER", value_delimiter = ',', num_args = 1..)]
    pub(crate) consumers: Vec<Consumer>,
}

/// What is to be changed: one thing.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Change {
    /// How far beliefs are trusted: observe, diagnostic or enforce
    #[arg(long)]
    pub(crate) mode: Option<ProvenanceMode>,
    /// Kinds of belief that may be verified without a look, if a source says so word for word; empty for none
    #[arg(long, value_name = "KINDS", value_delimiter = ',', num_args = 0..)]
    pub(crate) low_risk: Option<Vec<BeliefKind>>,
    /// A file to take the place of config.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A file to take the place of the one of its name in the agent's identity
    #[arg(long, value_name = "FILE")]
    pub(crate) identity: Option<PathBuf>,
}
