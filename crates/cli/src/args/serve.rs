//! Arguments of `cairn serve`, `proxy`, `console`, `key` and `service`.

use cairn_domain::AgentName;
use clap::{Args, Subcommand};
use std::net::IpAddr;

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// The port; 0 picks a free one
    #[arg(long, default_value_t = 7777)]
    pub(crate) port: u16,
    /// The address; to listen beyond this machine, add a key first
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
}

/// Shown below the help of `cairn proxy`.
pub(super) const PROXY_EXAMPLES: &str = "Examples:
  cairn proxy
  OPENAI_BASE_URL=http://127.0.0.1:7780/v1 my-program
  ANTHROPIC_BASE_URL=http://127.0.0.1:7780 claude
  cairn proxy --upstream http://127.0.0.1:11434/v1    # a server of your own

Your program sends its own key; it is passed on and kept nowhere. See docs/proxy.md.
Environment: CAIRN_PROXY_UPSTREAM, CAIRN_LOG (error, warn, info, debug)";

#[derive(Args)]
pub(crate) struct ProxyArgs {
    /// The provider's address [default: OpenAI's and Anthropic's, by the protocol of each request]
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// The port; 0 picks a free one
    #[arg(long, default_value_t = 7780)]
    pub(crate) port: u16,
    /// The address, of this machine only
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) bind: IpAddr,
    /// Add a context to every request that does not say `x-cairn-context: off`
    #[arg(long)]
    pub(crate) context: bool,
}

#[derive(Args)]
pub(crate) struct ConsoleArgs {
    /// Live a sample life (fiction), with its nights, in a temporary home, and show that
    #[arg(long)]
    pub(crate) demo: bool,
    /// Print the address without opening a browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// The port of a new server; 7777 or, if that is taken, a free one
    #[arg(long)]
    pub(crate) port: Option<u16>,
}

#[derive(Subcommand)]
pub(crate) enum KeyCommand {
    /// Create a key; it is shown once
    #[command(
        after_help = "Examples:\n  cairn key add laptop\n  cairn key add support --for support-bot --for main\n  cairn key add chat --capture\n  cairn key add me --operator"
    )]
    Add {
        /// A name for the key
        name: String,
        /// Only for this agent; may be given several times [default: all agents]
        #[arg(long = "for", value_name = "AGENT")]
        agents: Vec<AgentName>,
        /// Create a key for a program that captures conversations: it may hand in what the user said
        #[arg(long, conflicts_with = "operator")]
        capture: bool,
        /// Create an operator's key, which may also manage agents and keys; asks for the operator's passphrase
        #[arg(long)]
        operator: bool,
    },
    /// List the keys, who created them and when they were last used
    #[command(after_help = "Example:\n  cairn key list")]
    List,
    /// Revoke a key; an operator's asks for the operator's passphrase
    #[command(after_help = "Example:\n  cairn key revoke laptop")]
    Revoke {
        /// Its id or name
        key: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum ServiceCommand {
    /// Start `cairn serve` whenever you log in, and restart it if it fails
    #[command(
        after_help = "Examples:\n  cairn service install --dry-run\n  cairn service install --port 8080"
    )]
    Install {
        #[command(flatten)]
        serve: ServeArgs,
        /// Print what would be written; change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Show whether the service is installed and running
    #[command(after_help = "Example:\n  cairn service status")]
    Status,
    /// Remove the service
    #[command(after_help = "Example:\n  cairn service remove")]
    Remove,
}
