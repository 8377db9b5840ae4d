//! Arguments of `cairn beliefs`.

use super::limit::LimitArgs;
use cairn_domain::{BeliefKind, BeliefStatus};
use clap::{Args, Subcommand};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct BeliefsArgs {
    #[command(subcommand)]
    pub(crate) what: Option<BeliefsCommand>,
    #[command(flatten)]
    pub(crate) filter: BeliefsFilter,
}

#[derive(Subcommand)]
pub(crate) enum BeliefsCommand {
    /// List beliefs, the best supported first
    #[command(
        after_help = "Examples:\n  cairn beliefs list\n  cairn beliefs list --kind project_state --all"
    )]
    List(BeliefsFilter),
    /// Check the evidence of candidates, or read the sources of one again; changes nothing
    #[command(
        after_help = "Examples:\n  cairn beliefs diagnose\n  cairn beliefs diagnose blf_0123456789abcdefghjkmnpqrs"
    )]
    Diagnose {
        /// A single belief
        #[arg(value_name = "REF")]
        reference: Option<String>,
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// Show one belief with all evidence for and against it
    #[command(after_help = "Examples:\n  cairn beliefs show blf_0123456789abcdefghjkmnpqrs")]
    Show {
        /// Its ref
        #[arg(value_name = "REF")]
        reference: String,
    },
}

#[derive(Args)]
pub(crate) struct BeliefsFilter {
    /// Only this kind, such as `project_state`
    #[arg(long)]
    pub(crate) kind: Option<BeliefKind>,
    /// Only this subject: `user`, `project`, `project:atlas`
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// Only this status [default: active and stale]
    #[arg(long)]
    pub(crate) status: Option<BeliefStatus>,
    /// Only beliefs that are due for revalidation
    #[arg(long)]
    pub(crate) due: bool,
    /// Include beliefs that are no longer held
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}
