//! What the commands that take something in are told.

use cairn_domain::{Invalid, Mode, Role, Time};
use cairn_engine::transcript::Format;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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

/// Whether something was of use.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Helpful {
    /// It helped
    Helpful,
    /// It did not help, or misled
    Unhelpful,
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

fn format(text: &str) -> Result<FormatChoice, Invalid> {
    if text == "auto" {
        Ok(FormatChoice(None))
    } else {
        text.parse().map(|format| FormatChoice(Some(format)))
    }
}
