//! What an operator tells.

use cairn_domain::Time;
use clap::{Args, Subcommand};

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
    /// Tell whether this home has an operator
    #[command(after_help = "Example:\n  cairn operator status")]
    Status,
}
