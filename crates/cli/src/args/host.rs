//! Arguments of `cairn hook` and `cairn setup`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct HookArgs {
    /// session-start, user-prompt-submit, pre-tool-use, post-tool-use, post-tool-use-failure, subagent-stop, pre-compact, stop or session-end
    #[arg(required_unless_present = "report")]
    pub(crate) event: Option<String>,
    /// The program that calls: claude-code, codex, gemini, opencode or cursor
    #[arg(long, default_value = "claude-code", value_name = "PROGRAM")]
    pub(crate) host: String,
    /// Give up after this many milliseconds; the session continues without an answer
    #[arg(long, default_value_t = 1_000, value_name = "MS")]
    pub(crate) within_ms: u64,
    /// Show how long hooks took, compared with their budgets
    #[arg(long, conflicts_with = "event")]
    pub(crate) report: bool,
}

#[derive(Args)]
pub(crate) struct SetupArgs {
    /// The program to configure
    pub(crate) host: SetupHost,
    /// Undo an earlier setup
    #[arg(long)]
    pub(crate) remove: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Configure only this project (Claude Code, Cursor, Gemini CLI and opencode)
    #[arg(long, value_name = "FOLDER")]
    pub(crate) project: Option<PathBuf>,
}

/// A program that runs agents.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SetupHost {
    /// Claude Code: tools and hooks
    ClaudeCode,
    /// Claude Desktop: tools
    ClaudeDesktop,
    /// Cursor: tools and hooks
    Cursor,
    /// Codex: tools and hooks
    Codex,
    /// Gemini CLI: tools and hooks
    Gemini,
    /// opencode: tools and a plugin
    Opencode,
    /// Cairn itself: let a program that is installed (claude, codex, llm, ollama) word memories more clearly
    Language,
}
