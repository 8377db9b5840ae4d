//! Arguments of `cairn recall`, `cairn context` and `cairn memories`.

use super::limit::{LimitArgs, hits};
use cairn_domain::{Mode, RecordKind, RelationKind, Role, Time};
use cairn_engine::{
    Framing,
    limits::{DEFAULT_HITS, DEFAULT_TERMINAL_CONTEXT_TOKENS},
};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct RecallArgs {
    /// The question, in any language
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub(crate) query: Option<String>,
    /// The question asked just before, if this one leans on it ("And since when?")
    #[arg(long, value_name = "QUESTION", conflicts_with = "batch")]
    pub(crate) after: Option<String>,
    /// Maximum number of hits
    #[arg(short, default_value_t = DEFAULT_HITS, value_parser = hits)]
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
    /// Search only this mode and the modes it shares with
    #[arg(long)]
    pub(crate) mode: Option<Mode>,
    /// Kinds of record to search: memory, exchange, belief, digest, attachment [default: all]
    #[arg(long, value_delimiter = ',')]
    pub(crate) kind: Vec<RecordKind>,
    /// Only what had been said by this time
    #[arg(long, value_name = "TIME")]
    pub(crate) as_of: Option<Time>,
    /// Show how each score is made up
    #[arg(long)]
    pub(crate) explain: bool,
    /// Show hits in the order they were said
    #[arg(long)]
    pub(crate) timeline: bool,
    /// Do not strengthen the memories that are found
    #[arg(long)]
    pub(crate) read_only: bool,
    /// The ranking profile: default, seed, or NAME of a file profiles/NAME.toml in the home
    #[arg(long, default_value = "default")]
    pub(crate) profile: String,
    /// Answer each line {"id","query"} of a file (- is standard input) with one line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) batch: Option<PathBuf>,
    /// Do not wait for messages that are being embedded
    #[arg(long)]
    pub(crate) no_wait: bool,
}

#[derive(Args)]
pub(crate) struct ContextArgs {
    /// Topic of the prompt [default: the newest memories]
    #[arg(long)]
    pub(crate) query: Option<String>,
    /// The thread (lasting project) it belongs to
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// The current session: its own messages are left out
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The mode it is for: only this mode and the modes it shares with
    #[arg(long)]
    pub(crate) mode: Option<Mode>,
    /// Maximum number of tokens
    #[arg(long, default_value_t = DEFAULT_TERMINAL_CONTEXT_TOKENS)]
    pub(crate) budget: usize,
    /// The last exchanges of that session, word for word, for a host that has lost its transcript
    #[arg(long, requires = "session", conflicts_with = "query")]
    pub(crate) resume: bool,
    /// Whose the blocks are [default: as config.toml says]
    #[arg(long, value_name = "WHOSE")]
    pub(crate) framing: Option<FramingArg>,
    /// The host it is for: config.toml says which identity files each is given
    #[arg(long, default_value = "default")]
    pub(crate) host: String,
    /// Also show each section: whether it is there or why not, its tokens, its time and its refs
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Whose the blocks of a context are.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum FramingArg {
    /// The model's own: [YOUR WORKING MEMORY]
    FirstPerson,
    /// The system's: [CONTINUITY CONTEXT]
    System,
}

impl From<FramingArg> for Framing {
    fn from(framing: FramingArg) -> Self {
        match framing {
            FramingArg::FirstPerson => Self::FirstPerson,
            FramingArg::System => Self::System,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum MemoriesCommand {
    /// List memories, newest first
    #[command(after_help = "Example:\n  cairn memories list --limit 10")]
    List {
        /// Only memories of this session
        #[arg(long)]
        session: Option<String>,
        /// Include replaced and dormant memories
        #[arg(long)]
        all: bool,
        /// Only memories that are well stored and hardly come to mind any more
        #[arg(long, conflicts_with_all = ["session", "all"])]
        tip_of_the_tongue: bool,
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// List the memories that one leads to over its relations, nearest first
    #[command(
        after_help = "Example:\n  cairn memories related mem_0123456789abcdefghjkmnpqrs --hops 2 --relation causes"
    )]
    Related {
        /// A ref such as mem_…
        reference: String,
        /// Maximum number of relations on the way
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=6))]
        hops: u32,
        /// Only relations of this kind; may be given several times
        #[arg(long, value_name = "KIND")]
        relation: Vec<RelationKind>,
    },
    /// Show one memory and every step that led to it
    #[command(after_help = "Example:\n  cairn memories show mem_0123456789abcdefghjkmnpqrs")]
    Show {
        /// A ref such as mem_…
        reference: String,
    },
    /// Pin a memory, so that it never becomes dormant
    #[command(after_help = "Example:\n  cairn memories pin mem_0123456789abcdefghjkmnpqrs")]
    Pin {
        /// A ref such as mem_…
        reference: String,
    },
    /// Unpin a memory
    #[command(after_help = "Example:\n  cairn memories unpin mem_0123456789abcdefghjkmnpqrs")]
    Unpin {
        /// A ref such as mem_…
        reference: String,
    },
    /// Hide a memory and the message behind it until you `wake` it
    #[command(after_help = "Example:\n  cairn memories forget mem_0123456789abcdefghjkmnpqrs")]
    Forget {
        /// A ref such as mem_…
        reference: String,
    },
    /// Take back the last decision about a memory: a replaced one holds again, a joined one says what it said before
    #[command(after_help = "Example:\n  cairn memories undo mem_0123456789abcdefghjkmnpqrs")]
    Undo {
        /// A ref such as mem_…: the memory that was replaced, or the one that replaced it
        reference: String,
    },
    /// Wake a dormant memory
    #[command(after_help = "Example:\n  cairn memories wake mem_0123456789abcdefghjkmnpqrs")]
    Wake {
        /// A ref such as mem_…
        reference: String,
    },
}
