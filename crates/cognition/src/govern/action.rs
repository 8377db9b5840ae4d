//! An action that an agent proposes: a tool, with the commands that it runs and the paths that it touches.

use super::{shell::ShellCommand, touched::PathAccess};

/// An action before it is done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProposedAction {
    /// The tool.
    pub tool: String,
    /// The command line, or the path, in the words of whoever proposes it; empty if there is none.
    pub words: String,
    /// The commands that it runs.
    pub commands: Vec<ShellCommand>,
    /// The paths that it touches.
    pub paths: Vec<ActionPath>,
}

/// A path that an action touches, as it was found on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionPath {
    /// Where it is: as it was written and, if links lead elsewhere, where they lead.
    pub places: Vec<String>,
    /// How it is touched.
    pub access: PathAccess,
    /// Whether everything below it is touched as well.
    pub is_deep: bool,
    /// Whether it is only known when it runs.
    pub hidden: bool,
}

impl ProposedAction {
    /// The action in one line.
    pub fn text(&self) -> String {
        if self.words.is_empty() { self.tool.clone() } else { format!("{}: {}", self.tool, self.words) }
    }

    /// `command`, `path` or `tool`: the narrowest that it is.
    pub fn class(&self) -> &'static str {
        match (self.commands.is_empty(), self.paths.is_empty()) {
            (false, _) => "command",
            (true, false) => "path",
            (true, true) => "tool",
        }
    }
}
