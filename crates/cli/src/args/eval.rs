//! What `cairn eval` is told.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum EvalCommand {
    /// Measure speed on a synthetic life
    #[command(
        after_help = "Examples:\n  cairn eval perf --messages 250000\n  cairn eval perf --messages 250000 --memories 50000 --vectors synthetic"
    )]
    Perf(Perf),
    /// Measure what is found of conversations with questions
    #[command(
        after_help = "Example:\n  cairn eval retrieval --data conversations.jsonl.gz\n\nEach line is {\"type\":\"message\",\"conversation\",\"id\",\"session\",\"at\",\"role\",\"speaker\",\"text\"} or\n{\"type\":\"question\",\"conversation\",\"id\",\"category\",\"question\",\"evidence\":[ids]}."
    )]
    Retrieval(Retrieval),
    /// Measure how long it takes to decide what an exchange becomes, beside many memories
    #[command(after_help = "Example:\n  cairn eval forming --memories 25000")]
    Forming {
        /// How many memories there are
        #[arg(long, default_value_t = 2_000)]
        memories: u64,
        /// How many exchanges are formed
        #[arg(long, default_value_t = 200)]
        exchanges: usize,
    },
    /// Measure how long a dream takes beside many memories, and what questions notice of it
    #[command(after_help = "Example:\n  cairn eval dreaming --memories 50000")]
    Dreaming {
        /// How many memories there are
        #[arg(long, default_value_t = 2_000)]
        memories: u64,
        /// How many questions are asked while nobody dreams
        #[arg(long, default_value_t = 200)]
        questions: usize,
    },
    /// Measure many clients at once: nine in ten requests ask, one remembers
    #[command(
        after_help = "Examples:\n  cairn eval load --clients 50 --seconds 60\n  cairn eval load --memories 25000 --kill"
    )]
    Load {
        /// How many clients
        #[arg(long, default_value_t = 50)]
        clients: usize,
        /// For how long
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// How many memories there are before they begin
        #[arg(long, default_value_t = 2_000)]
        memories: u64,
        /// Kill the server halfway and start it again; nothing acknowledged may be missing
        #[arg(long)]
        kill: bool,
    },
    /// Measure how long a coding agent's host waits for its hooks, each a process of its own: alone, and beside a server
    #[command(
        after_help = "Examples:\n  cairn eval hooks --messages 250000\n  cairn eval hooks --messages 5000 --sessions 5"
    )]
    Hooks {
        /// How many messages there are
        #[arg(long, default_value_t = 5_000)]
        messages: usize,
        /// How many memories there are
        #[arg(long, default_value_t = 500)]
        memories: u64,
        /// How many sessions, each with every hook once
        #[arg(long, default_value_t = 40)]
        sessions: usize,
    },
    /// Measure what a prompt gets of conversations with questions, beside a packing that knows no question
    #[command(
        after_help = "Example:\n  cairn eval coverage conversations.jsonl.gz --budget 2000\n\nLines are those of `cairn eval retrieval`; \"latest\":[ids] names the newest value."
    )]
    Coverage {
        /// Conversations with questions, packed or not
        #[arg(value_name = "FILE")]
        data: PathBuf,
        /// How many tokens each context may have
        #[arg(long, default_value_t = 2_000)]
        budget: usize,
    },
    /// Measure what of conversations with questions becomes a memory
    #[command(
        after_help = "Example:\n  cairn eval capture --data conversations.jsonl.gz\n\nLines are those of `cairn eval retrieval`."
    )]
    Capture {
        /// Conversations with questions, packed or not
        #[arg(long, value_name = "FILE")]
        data: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct Perf {
    /// How many messages the life has
    #[arg(long, default_value_t = 5_000)]
    pub(crate) messages: usize,
    /// How many memories there are beside them
    #[arg(long, default_value_t = 0)]
    pub(crate) memories: u64,
    /// How many questions are asked
    #[arg(long, default_value_t = 200)]
    pub(crate) questions: usize,
    /// Another seed is another life
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where vectors come from: nowhere, a seed (a life of 250,000 messages takes minutes) or the embedder
    #[arg(long, value_enum, default_value_t = Vectors::None)]
    pub(crate) vectors: Vectors,
}

/// Where the vectors of a measurement come from.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Vectors {
    /// Keywords only
    None,
    /// Clustered vectors from a seed
    Synthetic,
    /// The configured embedder
    Real,
}

#[derive(Args)]
pub(crate) struct Retrieval {
    /// The conversations and questions
    #[arg(long, value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// All conversations in one agent
    #[arg(long)]
    pub(crate) pooled: bool,
    /// The ranking profile: default, seed, or NAME of a file profiles/NAME.toml in the home
    #[arg(long, default_value = "default")]
    pub(crate) profile: String,
    /// Also measure the ranking without each of its parts
    #[arg(long)]
    pub(crate) ablate: bool,
    /// Draw the figures into this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
}
