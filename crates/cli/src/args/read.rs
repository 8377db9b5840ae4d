//! What the commands that bring something back are told.

use super::{Limit, hits};
use cairn_domain::{Mode, RecordKind, Role, Time};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Recall {
    /// The question; any characters are welcome
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) query: Option<String>,
    /// How many hits, at most
    #[arg(short, default_value_t = 10, value_parser = hits)]
    pub(crate) k: usize,
    /// Prefer this thread
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// Search only that thread
    #[arg(long, requires = "thread")]
    pub(crate) within_thread: bool,
    /// Search only this session
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Search only what this role said
    #[arg(long)]
    pub(crate) sender: Option<Role>,
    /// Search only modes that share with this one
    #[arg(long)]
    pub(crate) mode: Option<Mode>,
    /// Kinds of record to search, of memory, exchange, belief and digest; all of them if none is named
    #[arg(long, value_delimiter = ',')]
    pub(crate) kind: Vec<RecordKind>,
    /// Only what had been said by then
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<Time>,
    /// Show what each score is made of
    #[arg(long)]
    pub(crate) explain: bool,
    /// Show hits in the order in which they were said
    #[arg(long)]
    pub(crate) timeline: bool,
    /// Strengthen nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// The ranking profile: default, seed, or NAME of a file profiles/NAME.toml in the home
    #[arg(long, default_value = "default")]
    pub(crate) profile: String,
    /// Answer every line {"id","query"} of a file (- is standard input) with a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) batch: Option<PathBuf>,
    /// Do not wait for vectors that are being made
    #[arg(long)]
    pub(crate) no_wait: bool,
}

#[derive(Args)]
pub(crate) struct Context {
    /// What the prompt is about; without it, the newest memories
    #[arg(long)]
    pub(crate) query: Option<String>,
    /// The lasting project it belongs to
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// The running session: what it has said itself is left out
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The posture it is for: only modes that share with it
    #[arg(long)]
    pub(crate) mode: Option<Mode>,
    /// How many tokens it may have, at most
    #[arg(long, default_value_t = 2_000)]
    pub(crate) budget: usize,
}

#[derive(Subcommand)]
pub(crate) enum MemoriesCommand {
    /// List the newest
    #[command(after_help = "Example:\n  cairn memories list --limit 10")]
    List {
        /// Only those of this session
        #[arg(long)]
        session: Option<String>,
        /// Replaced and dormant ones, too
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        limit: Limit,
    },
    /// Show one, and why it is what it is
    #[command(after_help = "Example:\n  cairn memories show mem_0123456789abcdefghjkmnpqrs")]
    Show {
        /// A ref such as mem_…
        reference: String,
    },
    /// Let no rhythm ever put it to rest
    #[command(after_help = "Example:\n  cairn memories pin mem_0123456789abcdefghjkmnpqrs")]
    Pin {
        /// A ref such as mem_…
        reference: String,
    },
    /// Take that back
    #[command(after_help = "Example:\n  cairn memories unpin mem_0123456789abcdefghjkmnpqrs")]
    Unpin {
        /// A ref such as mem_…
        reference: String,
    },
    /// Put it to rest: dormant, never deleted
    #[command(after_help = "Example:\n  cairn memories forget mem_0123456789abcdefghjkmnpqrs")]
    Forget {
        /// A ref such as mem_…
        reference: String,
    },
    /// Wake it again
    #[command(after_help = "Example:\n  cairn memories wake mem_0123456789abcdefghjkmnpqrs")]
    Wake {
        /// A ref such as mem_…
        reference: String,
    },
}
