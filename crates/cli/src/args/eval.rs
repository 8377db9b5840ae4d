//! Arguments of `cairn eval`.

use super::growth::GrowthArgs;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum EvalCommand {
    /// Measure speed on a synthetic conversation
    #[command(
        after_help = "Examples:\n  cairn eval perf --messages 250000\n  cairn eval perf --messages 250000 --memories 50000 --vectors synthetic"
    )]
    Perf(PerfArgs),
    /// Measure how much of the evidence for questions is found
    #[command(
        after_help = "Example:\n  cairn eval retrieval --data conversations.jsonl.gz\n\nEach line is {\"type\":\"message\",\"conversation\",\"id\",\"session\",\"at\",\"role\",\"speaker\",\"text\"} or\n{\"type\":\"question\",\"conversation\",\"id\",\"category\",\"question\",\"evidence\":[ids]}."
    )]
    Retrieval(RetrievalArgs),
    /// Measure how much of the evidence for questions about agents' runs is found, class by class, beside plain BM25 and cosine
    #[command(
        after_help = "Examples:\n  cairn eval runs trajectories.jsonl.gz\n  cairn eval runs trajectories.jsonl.gz --half held\n\nLines are those of `cairn eval retrieval`; the assistant acts, the tool answers."
    )]
    Runs(RunsArgs),
    /// Measure how long it takes to form memories from an exchange, with many memories stored
    #[command(after_help = "Example:\n  cairn eval forming --memories 25000")]
    Forming {
        /// Number of stored memories
        #[arg(long, default_value_t = 2_000)]
        memories: u64,
        /// Number of exchanges to form
        #[arg(long, default_value_t = 200)]
        exchanges: usize,
    },
    /// Measure how long a dream takes with many memories stored, and how it slows down questions
    #[command(after_help = "Example:\n  cairn eval dreaming --memories 50000")]
    Dreaming {
        /// Number of stored memories
        #[arg(long, default_value_t = 2_000)]
        memories: u64,
        /// Number of questions to ask without a dream
        #[arg(long, default_value_t = 200)]
        questions: usize,
    },
    /// Measure concurrent clients: nine in ten requests recall, one remembers
    #[command(
        after_help = "Examples:\n  cairn eval load --clients 50 --seconds 60\n  cairn eval load --memories 25000 --kill"
    )]
    Load {
        /// Number of clients
        #[arg(long, default_value_t = 50)]
        clients: usize,
        /// Duration in seconds
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Number of memories stored before the clients start
        #[arg(long, default_value_t = 2_000)]
        memories: u64,
        /// Kill the server halfway and restart it; nothing acknowledged may be missing
        #[arg(long)]
        kill: bool,
    },
    /// Measure many agents on one server: waiting times of clients that ask all of them, in quiet and beside one noisy agent
    #[command(
        after_help = "Examples:\n  cairn eval fleet --agents 1000 --messages 2000 --seconds 60\n  CAIRN_DATABASE_URL=postgres://… cairn eval fleet --agents 1000 --messages 10000"
    )]
    Fleet {
        /// Number of agents
        #[arg(long, default_value_t = 100)]
        agents: usize,
        /// Number of messages of each agent
        #[arg(long, default_value_t = 200)]
        messages: usize,
        /// Number of clients
        #[arg(long, default_value_t = 50)]
        clients: usize,
        /// Number of clients that write to one agent without a pause in the second half
        #[arg(long, default_value_t = 4)]
        noisy: usize,
        /// Duration of each half in seconds
        #[arg(long, default_value_t = 30)]
        seconds: u64,
    },
    /// Measure how long a coding agent waits for its hooks, each in its own process: without and with a server
    #[command(
        after_help = "Examples:\n  cairn eval hooks --messages 250000\n  cairn eval hooks --messages 5000 --sessions 5"
    )]
    Hooks {
        /// Number of stored messages
        #[arg(long, default_value_t = 5_000)]
        messages: usize,
        /// Number of stored memories
        #[arg(long, default_value_t = 500)]
        memories: u64,
        /// Number of sessions, each with every hook once
        #[arg(long, default_value_t = 40)]
        sessions: usize,
    },
    /// Measure how much later the first byte of an answer comes through the proxy, beside a server
    #[command(after_help = "Example:\n  cairn eval proxy --requests 2000")]
    Proxy {
        /// Number of requests, each directly and through the proxy
        #[arg(long, default_value_t = 500)]
        requests: usize,
        /// Number of messages that each request repeats
        #[arg(long, default_value_t = 40)]
        history: usize,
    },
    /// Measure how much of the evidence for questions reaches a prompt, compared with a baseline that ignores the question
    #[command(
        after_help = "Example:\n  cairn eval coverage conversations.jsonl.gz --budget 2000\n\nLines are those of `cairn eval retrieval`; \"latest\":[ids] names the newest value."
    )]
    Coverage {
        /// Conversations with questions, gzipped or not
        #[arg(value_name = "FILE")]
        data: PathBuf,
        /// Token budget of each context
        #[arg(long, default_value_t = 2_000)]
        budget: usize,
    },
    /// Measure whether changes told in people's own words are noticed, and what only looks like one is left alone
    #[command(
        after_help = "Example:\n  cairn eval updates crates/eval/data/changes.jsonl --held\n\nEach line is {\"id\",\"lang\",\"kind\":\"update|no_update\",\"why\",\"messages\":[…],\"question\",\"answer\":[…],\"retired\":[…],\"old\",\"new\",\"split\"?}."
    )]
    Updates(LabeledArgs),
    /// Measure what is kept of labeled messages: what must not be lost, what is useful, and chatter
    #[command(
        after_help = "Example:\n  cairn eval forming-quality crates/eval/data/forming.jsonl --held\n\nEach line is a message with {\"set\",\"id\",\"keep\":0|1|2,\"notes\":[{\"type\",\"text\"}],\"split\"?}."
    )]
    FormingQuality(LabeledArgs),
    /// Measure what handoffs tell of labeled sessions: plans, decisions and corrections found, and lines that are noise
    #[command(
        after_help = "Example:\n  cairn eval handoffs crates/eval/data/forming.jsonl --held\n\nLines are those of `cairn eval forming-quality`."
    )]
    Handoffs(LabeledArgs),
    /// Answer a question about growth with figures, or say what to collect for one that needs people or models
    #[command(
        after_help = "Examples:\n  cairn eval growth --question entropy crates/eval/data/forming.jsonl\n  cairn eval growth --question standing\n  cairn eval growth --question year --plot year.svg\n\nLines of the question of entropy are those of `cairn eval forming-quality`."
    )]
    Growth(GrowthArgs),
    /// Measure how many questions to a life get a useful answer: ingest it, ask each question at its time, look at the first hits
    #[command(
        after_help = "Examples:\n  cairn eval life crates/eval/data/second-life.jsonl\n  cairn eval life examples/sample-life.jsonl crates/eval/data/sample-life-questions.jsonl --json\n\nA question is a line {\"type\":\"question\",\"conversation\",\"id\",\"category\",\"at\",\"question\",\"answer\":[words],\"retired\"?:[words],\n\"evidence\":[ids],\"latest\"?:[ids],\"derived\"?:true,\"before\"?:id}."
    )]
    Life(LifeArgs),
    /// Measure how many intentions told in talk are found, on which days, and how many are invented
    #[command(
        after_help = "Example:\n  cairn eval intentions crates/eval/data/intentions.jsonl --held\n\nEach line is {\"id\",\"lang\",\"role\",\"at\",\"text\",\"trigger\"?,\"due\"?,\"split\"?}; what has no trigger intends nothing."
    )]
    Intentions(LabeledArgs),
    /// Measure how many procedures planted in transcripts of a coding agent are mined, and how many are invented
    #[command(
        after_help = "Example:\n  cairn eval skills crates/eval/data/skills.jsonl --held\n\nEach line is a project: {\"id\",\"split\",\"procedures\":[{\"asked\",\"steps\",\"labels\"}],\"others\":[steps]}; `{}` in a step is a thing."
    )]
    Skills(LabeledArgs),
    /// Measure how many attacks make something the user's word, and how many plain texts are taken for one
    #[command(
        after_help = "Example:\n  cairn eval poisoning crates/eval/data/poisoning.jsonl --held\n\nEach line is {\"id\",\"lang\",\"form\",\"role\",\"text\",\"claim\"?,\"keeps\"?,\"split\"?}; what has no claim is no attack."
    )]
    Poisoning(LabeledArgs),
    /// Measure how many secrets are masked, and how many texts that only look like one are left alone
    #[command(
        after_help = "Example:\n  cairn eval secrets crates/eval/data/secrets.jsonl --held\n\nEach line is {\"id\",\"lang\",\"form\",\"text\",\"split\"?}; secrets stand in ⟦…⟧."
    )]
    Secrets(LabeledArgs),
    /// Train the judges that come with Cairn: what replaces what, and what is worth keeping
    #[command(
        after_help = "Example:\n  cairn eval train --changes crates/eval/data/changes.jsonl --messages crates/eval/data/forming.jsonl --out judges\n\nCases with \"split\":\"held\" are left out. The same files give the same weights."
    )]
    Train(TrainArgs),
    /// Measure how much of the evidence for questions becomes a memory
    #[command(
        after_help = "Example:\n  cairn eval capture --data conversations.jsonl.gz\n\nLines are those of `cairn eval retrieval`."
    )]
    Capture {
        /// Conversations with questions, gzipped or not
        #[arg(long, value_name = "FILE")]
        data: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct LabeledArgs {
    /// The cases, gzipped or not
    #[arg(value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// Only the cases that no judge was trained on and no rule was written on (`"split":"held"`)
    #[arg(long)]
    pub(crate) held: bool,
}

#[derive(Args)]
pub(crate) struct RunsArgs {
    /// Runs with questions, gzipped or not
    #[arg(value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// Which of the runs: every other one, counted from the first (tuned) or from the second (held), or all
    #[arg(long, value_enum, default_value_t = HalfArg::All)]
    pub(crate) half: HalfArg,
}

/// Which half of a data set is measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HalfArg {
    /// Everything
    All,
    /// The half that rules were written on
    Tuned,
    /// The half that they were not
    Held,
}

#[derive(Args)]
pub(crate) struct LifeArgs {
    /// The life: a transcript, as for `cairn ingest`
    #[arg(value_name = "LIFE")]
    pub(crate) life: PathBuf,
    /// The questions, if they stand in a file of their own
    #[arg(value_name = "QUESTIONS")]
    pub(crate) questions: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct TrainArgs {
    /// Files of changes, as for `cairn eval updates`
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub(crate) changes: Vec<PathBuf>,
    /// Files of labeled messages, as for `cairn eval forming-quality`
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub(crate) messages: Vec<PathBuf>,
    /// Use only the messages of these sets
    #[arg(long, value_name = "SET", num_args = 1..)]
    pub(crate) sets: Vec<String>,
    /// Only this judge: `worth` needs no embedder and is made in a minute
    #[arg(long, value_name = "JUDGE")]
    pub(crate) only: Option<TrainedJudgeArg>,
    /// The folder to write the weights to
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
}

/// A judge that can be trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrainedJudgeArg {
    /// Whether a statement takes another's place
    Change,
    /// Whether a clause is kept, and what kind of thing it says
    Worth,
}

#[derive(Args)]
pub(crate) struct PerfArgs {
    /// Number of messages
    #[arg(long, default_value_t = 5_000)]
    pub(crate) messages: usize,
    /// Number of memories stored in addition
    #[arg(long, default_value_t = 0)]
    pub(crate) memories: u64,
    /// Number of questions
    #[arg(long, default_value_t = 200)]
    pub(crate) questions: usize,
    /// Seed of the conversation
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Where vectors come from: none, synthetic (250,000 messages take minutes) or the real embedder
    #[arg(long, value_enum, default_value_t = VectorsArg::None)]
    pub(crate) vectors: VectorsArg,
}

/// Where the vectors of a measurement come from.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VectorsArg {
    /// Keywords only
    None,
    /// Clustered vectors from a seed
    Synthetic,
    /// The configured embedder
    Real,
}

#[derive(Args)]
pub(crate) struct RetrievalArgs {
    /// The conversations and questions
    #[arg(long, value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// Put all conversations in one agent
    #[arg(long)]
    pub(crate) pooled: bool,
    /// The ranking profile: default, seed, or NAME of a file profiles/NAME.toml in the home
    #[arg(long, default_value = "default")]
    pub(crate) profile: String,
    /// Also measure the ranking without each of its parts
    #[arg(long)]
    pub(crate) ablate: bool,
    /// Also measure these ranking profiles, on the same agents
    #[arg(long, value_name = "PROFILE")]
    pub(crate) beside: Vec<String>,
    /// Write a chart to this file (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
}
