//! Arguments of `cairn restart`.

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum RestartCommand {
    /// Show a session's key and the calls that a restart may make; changes nothing
    #[command(after_help = "Example:\n  cairn restart plan s-17")]
    Plan {
        /// The session
        session: String,
        /// Maximum calls for resuming
        #[arg(long, value_name = "N", default_value_t = 2)]
        calls: u32,
    },
    /// Resume an interrupted session at a server, or hand it back
    #[command(
        after_help = "Example:\n  CAIRN_KEY=… cairn restart run main/s-17/msg_0123456789abcdefghjkmnpqrs --server http://127.0.0.1:7777 --message \"going on with the release\""
    )]
    Run(RestartRunArgs),
}

#[derive(Args)]
pub(crate) struct RestartRunArgs {
    /// The session's key, as `cairn restart plan` showed it
    pub(crate) key: String,
    /// Where the server is
    #[arg(long, value_name = "URL")]
    pub(crate) server: String,
    /// The message that resumes the session
    #[arg(long, value_name = "TEXT")]
    pub(crate) message: String,
    /// Maximum calls for resuming: one for the message, one for its context
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) calls: u32,
    /// Maximum milliseconds of each call
    #[arg(long, value_name = "MS", default_value_t = 5_000, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub(crate) within_ms: u64,
}
