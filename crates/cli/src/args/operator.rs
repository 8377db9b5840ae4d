//! Arguments of `cairn erase`, `cairn operator` and `cairn review`.

use super::{evolution::TrainingArgs, govern::LeaseArgs, limit::LimitArgs, sharing::ShareArgs};
use cairn_domain::{BeliefKind, Consumer, ProvenanceMode, ReviewDecision, Time};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct EraseArgs {
    /// Messages, exchanges, memories or beliefs to erase, with the words they are based on
    #[arg(value_name = "REF")]
    pub(crate) refs: Vec<String>,
    /// Everything said before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) before: Option<Time>,
    /// Everything said in this session
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Everything said in this thread
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// Everything the agent has stored
    #[arg(long)]
    pub(crate) all: bool,
    /// The reason, for the ledger; do not repeat the erased words
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Erase; without this flag, nothing is changed
    #[arg(long, requires = "reason")]
    pub(crate) yes: bool,
}

#[derive(Subcommand)]
pub(crate) enum OperatorCommand {
    /// Create this home's operator key, protected by a passphrase
    #[command(
        after_help = "Example:\n  cairn operator init\n\nAsks for the passphrase on the terminal, or reads it from CAIRN_OPERATOR_PASSPHRASE. It is not stored anywhere:\nwithout it, nobody can review, erase or change what is protected."
    )]
    Init,
    /// Show whether this home has an operator, and how far beliefs are trusted
    #[command(after_help = "Example:\n  cairn operator status")]
    Status,
    /// Show what a change would and would not do; changes nothing
    #[command(
        after_help = "Examples:\n  cairn operator plan --mode enforce\n  cairn operator plan --low-risk operator_preference,tooling_state\n  cairn operator plan --config new-config.toml\n  cairn operator plan --identity drafts/SOUL.md"
    )]
    Plan {
        #[command(flatten)]
        change: ProtectedChangeArgs,
    },
    /// Apply a change after backing up what was there; requires signing in
    #[command(
        after_help = "Example:\n  cairn operator apply --mode enforce --reason \"40 beliefs reviewed\" --yes"
    )]
    Apply {
        #[command(flatten)]
        change: ProtectedChangeArgs,
        /// The reason, for the ledger
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Confirm
        #[arg(long)]
        yes: bool,
    },
    /// Restore what was there before a change
    #[command(after_help = "Example:\n  cairn operator rollback 23 --reason \"too early\" --yes")]
    Rollback {
        /// The number of its receipt
        receipt: u64,
        /// The reason, for the ledger
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Confirm
        #[arg(long)]
        yes: bool,
    },
    /// Permit an agent something for a while, or end that; requires signing in
    #[command(
        after_help = "Examples:\n  cairn operator lease release --objective \"publish 1.4\" --command \"git push\" --until 2026-12-01 --actions 3\n  cairn operator lease release --objective \"publish 1.4\" --command \"git push\" --until 2026-12-01 --reason \"release day\" --yes\n  cairn operator lease release --end --reason \"published\" --yes"
    )]
    Lease(LeaseArgs),
    /// Let an agent read memories of another, or write into its memory, or end that; requires signing in
    #[command(
        after_help = "Examples:\n  cairn operator share scout --to main --thread harbor\n  cairn operator share scout --to main --category procedure --entity postgresql --until 2026-12-01 --reason \"one project\" --yes\n  cairn operator share scout --to main --end --reason \"project over\" --yes\n  cairn operator share main --to scout --write --reason \"it reports\" --yes"
    )]
    Share(ShareArgs),
    /// Decide whether a shard of work may be exported for research; none is by default; requires signing in
    #[command(
        after_help = "Examples:\n  cairn research list\n  cairn research show shd_0123456789abcdef01234567\n  cairn operator training shd_0123456789abcdef01234567 --approve --reason \"looked through\" --yes\n  cairn operator training shd_0123456789abcdef01234567 --end --reason \"taken back\" --yes"
    )]
    Training(TrainingArgs),
    /// Show the ledger: who did what and why, newest first
    #[command(after_help = "Example:\n  cairn operator log --limit 20")]
    Log(LimitArgs),
}

#[derive(Subcommand)]
pub(crate) enum ReviewCommand {
    /// List proposals and beliefs that wait for review, the best supported beliefs first
    #[command(after_help = "Examples:\n  cairn review list\n  cairn review list --all")]
    List {
        /// Include beliefs that were postponed or verified, and proposals that were decided
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// Show a belief or a proposal, its evidence, and what accepting it would do; changes nothing
    #[command(
        after_help = "Examples:\n  cairn review show blf_0123456789abcdefghjkmnpqrs\n  cairn review show prp_0123456789abcdefghjkmnpqrs"
    )]
    Show {
        /// Its ref
        #[arg(value_name = "REF")]
        reference: String,
    },
    /// Decide about a belief or a proposal; requires signing in
    #[command(
        after_help = "Examples:\n  cairn review decide blf_0123456789abcdefghjkmnpqrs accept_verified --reason \"she told me herself\"\n  cairn review decide blf_0123456789abcdefghjkmnpqrs accept_verified --for recall --reason \"not unasked\"\n  cairn review decide blf_0123456789abcdefghjkmnpqrs defer --reason \"ask her first\" --until 2026-12-01\n  cairn review decide prp_0123456789abcdefghjkmnpqrs accept_verified --reason \"it is so\""
    )]
    Decide(DecideArgs),
    /// Undo a decision; leaves a receipt
    #[command(after_help = "Example:\n  cairn review rollback 17 --reason \"too early\" --yes")]
    Rollback {
        /// The number of its receipt
        receipt: u64,
        /// The reason, for the ledger
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// Confirm
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args)]
pub(crate) struct DecideArgs {
    /// The belief or proposal
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// The decision: `accept_verified`, `reject`, `defer` or `retract`
    pub(crate) decision: ReviewDecision,
    /// The reason, for the ledger
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The `confirms` value from `review show`; the decision fails if the text or a source has changed since
    #[arg(long, value_name = "HASH")]
    pub(crate) confirm: Option<String>,
    /// Postpone the review until this time [default: in a week]
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<Time>,
    /// Who may receive the accepted belief: `context_injection`, `recall` [default: all]
    #[arg(long = "for", value_name = "CONSUMER", value_delimiter = ',', num_args = 1..)]
    pub(crate) consumers: Vec<Consumer>,
}

/// The one thing to change.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ProtectedChangeArgs {
    /// How far beliefs are trusted: observe, diagnostic or enforce
    #[arg(long)]
    pub(crate) mode: Option<ProvenanceMode>,
    /// Kinds of belief to verify without a review if a source says so word for word; empty for none
    #[arg(long, value_name = "KINDS", value_delimiter = ',', num_args = 0..)]
    pub(crate) low_risk: Option<Vec<BeliefKind>>,
    /// A file to replace config.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A file to replace the file of the same name in the agent's identity
    #[arg(long, value_name = "FILE")]
    pub(crate) identity: Option<PathBuf>,
    /// A file to replace govern.toml, the governor's rules
    #[arg(long, value_name = "FILE")]
    pub(crate) govern: Option<PathBuf>,
}
