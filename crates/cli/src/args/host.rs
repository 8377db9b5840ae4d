//! What the commands for the hosts of agents are told.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Hook {
    /// session-start, user-prompt-submit, post-tool-use, pre-compact, stop or session-end
    #[arg(required_unless_present = "report")]
    pub(crate) event: Option<String>,
    /// Let the session go on without an answer after so many milliseconds
    #[arg(long, default_value_t = 1_000, value_name = "MS")]
    pub(crate) within_ms: u64,
    /// Show how long hooks took, against what they may take
    #[arg(long, conflicts_with = "event")]
    pub(crate) report: bool,
}

#[derive(Args)]
pub(crate) struct Setup {
    /// Which program
    pub(crate) host: Host,
    /// Take out what a setup has put in
    #[arg(long)]
    pub(crate) remove: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// For this project only, not for everything: Claude Code and Cursor
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,
}

/// A program that agents run in.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    /// Claude Code: the tools, and hooks that tell and listen
    ClaudeCode,
    /// Claude Desktop: the tools
    ClaudeDesktop,
    /// Cursor: the tools
    Cursor,
    /// Codex: the tools
    Codex,
}
