//! What the commands are told that let programs in.

use cairn_domain::AgentName;
use clap::{Args, Subcommand};
use std::net::IpAddr;

#[derive(Args)]
pub(crate) struct Serve {
    /// The port; 0 takes any free one
    #[arg(long, default_value_t = 7777)]
    pub(crate) port: u16,
    /// The address; others than this machine's own need a key first
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
}

#[derive(Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key; it is shown once
    #[command(
        after_help = "Examples:\n  cairn key add laptop\n  cairn key add support --for support-bot --for main\n  cairn key add me --operator"
    )]
    Add {
        /// What it is called
        name: String,
        /// Only for this agent; may be given several times. Without it the key is for all
        #[arg(long = "for", value_name = "AGENT")]
        agents: Vec<AgentName>,
        /// For an operator: also what looks after agents and keys
        #[arg(long)]
        operator: bool,
    },
    /// List the keys, who made them and when they were last used
    #[command(after_help = "Example:\n  cairn key list")]
    List,
    /// Let a key open nothing any more
    #[command(after_help = "Example:\n  cairn key revoke laptop")]
    Revoke {
        /// Its id or its name
        key: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum ServiceCommand {
    /// Start `cairn serve` whenever you log in, and again if it ends
    #[command(
        after_help = "Examples:\n  cairn service install --dry-run\n  cairn service install --port 8080"
    )]
    Install {
        #[command(flatten)]
        serve: Serve,
        /// Print what would be written and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Whether it is installed and runs
    #[command(after_help = "Example:\n  cairn service status")]
    Status,
    /// Take it away again
    #[command(after_help = "Example:\n  cairn service remove")]
    Remove,
}
