//! Arguments of `cairn remember`, `feedback`, `ingest` and `move-in`.

use cairn_domain::{AgentName, Invalid, Mode, Role, Time};
use cairn_engine::transcript::Format;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct RememberArgs {
    /// The text; - reads it from standard input
    pub(crate) text: String,
    /// Who said it
    #[arg(long, default_value = "user")]
    pub(crate) role: Role,
    /// The speaker's name
    #[arg(long)]
    pub(crate) speaker: Option<String>,
    /// The session it was said in [default: the day]
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The thread (lasting project) it belongs to
    #[arg(long)]
    pub(crate) thread: Option<String>,
    /// The mode: chat, code, booth or robot
    #[arg(long)]
    pub(crate) mode: Option<Mode>,
    /// When it was said
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<Time>,
    /// Your own id: a message with the same id and the same words is stored once
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Write into the memory of another agent, if an operator lets this one; as an agent, never as the user
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["role", "speaker"])]
    pub(crate) into: Option<AgentName>,
    /// Show every step of the decision
    #[arg(long, conflicts_with = "no_wait")]
    pub(crate) explain: bool,
    /// Return as soon as it is durable; memories are formed later
    #[arg(long)]
    pub(crate) no_wait: bool,
}

/// Whether something was helpful.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HelpfulArg {
    /// It helped
    Helpful,
    /// It did not help, or misled
    Unhelpful,
}

#[derive(Args)]
pub(crate) struct IngestArgs {
    /// A transcript, what another product left, a folder of them, or - for standard input
    pub(crate) path: PathBuf,
    /// auto, jsonl, claude-code, chatgpt or feed
    #[arg(long, default_value = "auto", value_parser = format)]
    pub(crate) format: FormatChoice,
    /// Lines are task output or external feeds, or what another agent has learned, said by nobody: `{"text","data_source":"task"|"feed"|"federation"}`
    #[arg(long, conflicts_with_all = ["format", "watch", "knowledge"])]
    pub(crate) feed: bool,
    /// Read Markdown and text files as knowledge that cites their lines; run again when they have changed
    #[arg(long, conflicts_with_all = ["format", "watch", "ack"])]
    pub(crate) knowledge: bool,
    /// The thread (lasting project) that the knowledge belongs to
    #[arg(long, requires = "knowledge")]
    pub(crate) thread: Option<String>,
    /// Print `{"ack":"<id>"}` for each message once it is durable
    #[arg(long)]
    pub(crate) ack: bool,
    /// Keep following the folder's transcripts as they are written
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) taking: TakingArgs,
}

/// How things are taken in: how far, whose, and when those were said that name no zone.
#[derive(Args)]
pub(crate) struct TakingArgs {
    /// Also wait until every message is embedded and memories are formed
    #[arg(long)]
    pub(crate) wait: bool,
    /// Import only this person or agent from a shared store
    #[arg(long, value_name = "NAME", conflicts_with = "split")]
    pub(crate) user: Option<String>,
    /// Create one agent per person or agent
    #[arg(long)]
    pub(crate) split: bool,
    /// The zone of times that name none [default: the machine's]
    #[arg(long, value_name = "ZONE")]
    pub(crate) timezone: Option<String>,
}

#[derive(Args)]
pub(crate) struct MoveInArgs {
    /// A file or folder of another product [default: the usual places of your home]
    pub(crate) path: Option<PathBuf>,
    /// Do it without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Write what is proposed for identity files into this folder, for `cairn operator plan --identity`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) proposals: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) taking: TakingArgs,
}

/// The format asked for; `None` is auto.
#[derive(Clone, Copy)]
pub(crate) struct FormatChoice(pub(crate) Option<Format>);

fn format(text: &str) -> Result<FormatChoice, Invalid> {
    if text == "auto" {
        Ok(FormatChoice(None))
    } else {
        text.parse().map(|format| FormatChoice(Some(format)))
    }
}
