//! Arguments of `cairn evolution`, `cairn research`, `cairn operator training`, `cairn patterns` and `cairn reflect`.

use super::limit::LimitArgs;
use cairn_engine::ShardId;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum WorkCommand {
    /// Show how work with tools goes: each request with its calls, and the problems that keep coming back
    #[command(
        after_help = "Examples:\n  cairn evolution report\n  cairn evolution show\n  cairn evolution show ex_0123456789abcdefghjkmnpqrs"
    )]
    Evolution {
        #[command(subcommand)]
        what: EvolutionCommand,
    },
    /// Show each session's work as research may see it, and export what an operator approved
    #[command(
        after_help = "Examples:\n  cairn research list\n  cairn research show shd_0123456789abcdef01234567\n  cairn research export shards.jsonl"
    )]
    Research {
        #[command(subcommand)]
        what: ResearchCommand,
    },
    /// List what repeats: problems with tools, procedures, lessons, the agent's own thoughts, and what inquiries came to
    #[command(
        after_help = "Examples:\n  cairn patterns\n  cairn patterns --thread tides\n\nWhat follows from one is proposed with `cairn propose`, with its records as evidence."
    )]
    Patterns(EvolutionFilter),
    /// Keep what the agent makes of some memories or messages: one memory, as its own word, that names them
    #[command(
        after_help = "Example:\n  cairn reflect \"I give dates before I have looked them up.\" --on mem_0123456789abcdefghjkmnpqrs"
    )]
    Reflect(ReflectArgs),
}

#[derive(Args)]
pub(crate) struct ReflectArgs {
    /// The thought; - reads it from standard input
    pub(crate) text: String,
    /// The memories and messages that it looks back on
    #[arg(long, value_name = "REF", value_delimiter = ',', num_args = 1.., required = true)]
    pub(crate) on: Vec<String>,
    /// The session that it belongs to
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The thread that it belongs to
    #[arg(long)]
    pub(crate) thread: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum EvolutionCommand {
    /// List the newest requests with their work, or show everything that belongs to one, joined by its exchange
    #[command(
        after_help = "Examples:\n  cairn evolution show\n  cairn evolution show ex_0123456789abcdefghjkmnpqrs"
    )]
    Show {
        /// An exchange, or a message in it
        #[arg(value_name = "REF")]
        reference: Option<String>,
        #[command(flatten)]
        of: EvolutionFilter,
    },
    /// Show the problems that keep coming back, and what became of the fixes proposed for them
    #[command(after_help = "Examples:\n  cairn evolution report\n  cairn evolution report --thread tides")]
    Report(EvolutionFilter),
}

#[derive(Args)]
pub(crate) struct EvolutionFilter {
    /// Only this thread; a coding agent's is named after its folder
    #[arg(long)]
    pub(crate) thread: Option<String>,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
}

#[derive(Subcommand)]
pub(crate) enum ResearchCommand {
    /// List the shards: the work of each session, redacted, with its class and what was decided about it
    #[command(after_help = "Example:\n  cairn research list --thread tides")]
    List(EvolutionFilter),
    /// Show one shard exactly as an export would write it, with the masked places marked: look through it before you approve it
    #[command(after_help = "Example:\n  cairn research show shd_0123456789abcdef01234567")]
    Show {
        /// The shard; `cairn research list` lists them
        shard: ShardId,
    },
    /// Write the shards that an operator approved to a file, one JSON object a line; refused if none is
    #[command(after_help = "Example:\n  cairn research export shards.jsonl")]
    Export {
        /// The file, which must be new
        file: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct TrainingArgs {
    /// The shard; `cairn research list` lists them, `cairn research show` shows what would leave
    pub(crate) shard: ShardId,
    /// Approve it for export
    #[arg(long, required_unless_present_any = ["exclude", "end"])]
    pub(crate) approve: bool,
    /// Exclude it from every export
    #[arg(long, conflicts_with = "approve")]
    pub(crate) exclude: bool,
    /// Take the decision back
    #[arg(long, conflicts_with_all = ["approve", "exclude"])]
    pub(crate) end: bool,
    /// The reason, for the ledger
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Confirm; without this flag, shows what would change
    #[arg(long, requires = "reason")]
    pub(crate) yes: bool,
}
