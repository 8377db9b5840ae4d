//! What the commands about beliefs are told.

use super::Limit;
use cairn_domain::{BeliefKind, BeliefStatus};
use clap::{Args, Subcommand};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Beliefs {
    #[command(subcommand)]
    pub(crate) what: Option<BeliefsCommand>,
    #[command(flatten)]
    pub(crate) filter: BeliefsFilter,
}

#[derive(Subcommand)]
pub(crate) enum BeliefsCommand {
    /// List them, the best supported first
    #[command(
        after_help = "Examples:\n  cairn beliefs list\n  cairn beliefs list --kind project_state --all"
    )]
    List(BeliefsFilter),
    /// What the evidence of candidates looks like, or of one: its sources read again; changes nothing
    #[command(
        after_help = "Examples:\n  cairn beliefs diagnose\n  cairn beliefs diagnose blf_0123456789abcdefghjkmnpqrs"
    )]
    Diagnose {
        /// One of them
        #[arg(value_name = "REF")]
        reference: Option<String>,
        #[command(flatten)]
        limit: Limit,
    },
    /// Show one, with all that speaks for and against it
    #[command(after_help = "Examples:\n  cairn beliefs show blf_0123456789abcdefghjkmnpqrs")]
    Show {
        /// Its ref
        #[arg(value_name = "REF")]
        reference: String,
    },
}

#[derive(Args)]
pub(crate) struct BeliefsFilter {
    /// Only of this kind, such as `project_state`
    #[arg(long)]
    pub(crate) kind: Option<BeliefKind>,
    /// Only about this: `user`, `project`, `project:atlas`
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// Only of this status; without it those that are active or stale
    #[arg(long)]
    pub(crate) status: Option<BeliefStatus>,
    /// Only those that are to be looked at again by now
    #[arg(long)]
    pub(crate) due: bool,
    /// Those that no longer stand, too
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) limit: Limit,
}
