//! Arguments of `cairn handoff`.

use super::limit::LimitArgs;
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum HandoffCommand {
    /// Show where the last session, or a thread, left off
    #[command(after_help = "Examples:\n  cairn handoff show\n  cairn handoff show --thread pottery")]
    Show(HandoffThread),
    /// Write the handoff of the most recent session and of its thread
    #[command(after_help = "Examples:\n  cairn handoff write\n  cairn handoff write --thread pottery")]
    Write(HandoffThread),
    /// List handoffs and their condition, newest first
    #[command(after_help = "Example:\n  cairn handoff list")]
    List {
        #[command(flatten)]
        thread: HandoffThread,
        #[command(flatten)]
        limit: LimitArgs,
    },
}

#[derive(Args)]
pub(crate) struct HandoffThread {
    /// The thread [default: the last session]
    #[arg(long)]
    pub(crate) thread: Option<String>,
}
