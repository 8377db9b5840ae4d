//! Where each host keeps its configuration, and what belongs there.

use super::{edit::Edit, language::language_edit};
use crate::{
    args::{SetupArgs, SetupHost},
    command::invocation::Invocation,
    failure::Failure,
};
use cairn_hook::Event;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The name of our entries.
pub(super) const ENTRY_NAME: &str = "cairn";
/// Claude Code's timeout for a hook; the hook itself gives up long before.
const HOOK_TIMEOUT_SECONDS: u64 = 10;

/// How the program is started.
pub(super) struct Launch {
    pub(super) program: String,
    /// The home that it opens.
    home: PathBuf,
    /// Arguments that name the home and the agent, if they are not the usual ones.
    whose: Vec<String>,
}

impl Launch {
    pub(super) fn of(invocation: &Invocation) -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(format!("cannot locate this program: {error}"), "start it by its full path")
        })?;
        let mut whose = Vec::new();
        let home = invocation.home.path();
        if Some(home) != std::env::home_dir().map(|user| user.join(".cairn")).as_deref() {
            let home = std::path::absolute(home).unwrap_or_else(|_| home.to_owned());
            whose.extend(["--home".to_owned(), home.display().to_string()]);
        }
        if invocation.agent.as_str() != "main" {
            whose.extend(["--agent".to_owned(), invocation.agent.to_string()]);
        }
        Ok(Self { program: program.display().to_string(), home: home.to_owned(), whose })
    }

    /// The arguments of a command.
    pub(super) fn args(&self, command: &str) -> Vec<String> {
        self.whose.iter().map(String::as_str).chain(command.split(' ')).map(str::to_owned).collect()
    }

    /// The same as one line of a shell.
    fn line(&self, command: &str) -> String {
        let words = std::iter::once(self.program.clone()).chain(self.args(command));
        words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The files of a host, with what is to stand in each.
pub(super) fn places(args: &SetupArgs, launch: &Launch) -> Result<Vec<(PathBuf, Edit)>, Failure> {
    let user = std::env::home_dir()
        .ok_or_else(|| Failure::new("there is no home folder", "set HOME, or name a --project"))?;
    let server = || Edit::Json(vec![(vec!["mcpServers", ENTRY_NAME], as_json(launch))]);
    Ok(match (args.host, args.project.as_deref()) {
        (SetupHost::ClaudeCode, Some(project)) => vec![
            (project.join(".mcp.json"), server()),
            (project.join(".claude").join("settings.json"), hooks(launch)),
        ],
        (SetupHost::ClaudeCode, None) => {
            let folder = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
            let state = folder.as_deref().unwrap_or(&user).join(".claude.json");
            let folder = folder.unwrap_or_else(|| user.join(".claude"));
            vec![(state, server()), (folder.join("settings.json"), hooks(launch))]
        }
        (SetupHost::Cursor, project) => {
            vec![(project.unwrap_or(&user).join(".cursor").join("mcp.json"), server())]
        }
        (SetupHost::ClaudeDesktop | SetupHost::Codex | SetupHost::Language, Some(_)) => {
            return Err(Failure::usage("this program has no project settings", "omit --project"));
        }
        (SetupHost::ClaudeDesktop, None) => {
            let folder = dirs::config_dir().unwrap_or_else(|| user.join(".config")).join("Claude");
            vec![(folder.join("claude_desktop_config.json"), server())]
        }
        (SetupHost::Language, None) => vec![(launch.home.join("config.toml"), language_edit(args.remove)?)],
        (SetupHost::Codex, None) => {
            let folder = std::env::var_os("CODEX_HOME").map_or_else(|| user.join(".codex"), PathBuf::from);
            let (command, args) = (launch.program.clone(), launch.args("mcp"));
            vec![(folder.join("config.toml"), Edit::Toml { command, args })]
        }
    })
}

/// How the MCP server is started, in the form that JSON configurations share.
fn as_json(launch: &Launch) -> Value {
    json!({"command": launch.program, "args": launch.args("mcp")})
}

/// Claude Code's hooks: one entry for each event.
fn hooks(launch: &Launch) -> Edit {
    let hook = |event: Event| {
        let command = launch.line(&format!("hook {event}"));
        let mut entry =
            json!({"hooks": [{"type": "command", "command": command, "timeout": HOOK_TIMEOUT_SECONDS}]});
        if matches!(event, Event::PreToolUse | Event::PostToolUse | Event::PostToolUseFailure) {
            entry["matcher"] = json!("*");
        }
        (vec!["hooks", event.host_name()], entry)
    };
    Edit::JsonLists(Event::ALL.into_iter().map(hook).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_meant() {
        for (word, read) in
            [("/usr/bin/cairn", "/usr/bin/cairn"), ("/a b/c", "'/a b/c'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(quoted(word), read);
        }
    }
}
