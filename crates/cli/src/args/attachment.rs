//! Arguments of `cairn attach` and `cairn attachments`.

use super::limit::LimitArgs;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct AttachArgs {
    /// The files, at most 15 MB each
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) turn: TurnArgs,
}

#[derive(Args)]
pub(crate) struct AttachmentsArgs {
    #[command(flatten)]
    pub(crate) turn: TurnArgs,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

#[derive(Args)]
pub(crate) struct TurnArgs {
    /// The session (one run)
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The thread (lasting project)
    #[arg(long)]
    pub(crate) thread: Option<String>,
}
