//! Where each host keeps its configuration, and what belongs there.

use super::{
    edit::{Edit, JsonEntries},
    language::language_edit,
};
use crate::{
    args::{SetupArgs, SetupHost},
    command::invocation::Invocation,
    failure::Failure,
};
use cairn_hook::{Event, Host};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The name of our entries.
pub(super) const ENTRY_NAME: &str = "cairn";
/// A host's timeout for a hook; the hook itself gives up long before.
const HOOK_TIMEOUT_SECONDS: u64 = 10;
/// The plugin that calls our hooks in opencode, which has none of its own.
const OPENCODE_PLUGIN: &str = include_str!("opencode.js");

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
    let server = || Edit::Json(JsonEntries { values: vec![mcp_server(launch)], ..JsonEntries::default() });
    let in_home = |variable: &str, folder: &str| {
        std::env::var_os(variable).map_or_else(|| user.join(folder), PathBuf::from)
    };
    Ok(match (args.host, args.project.as_deref()) {
        (SetupHost::ClaudeCode, Some(project)) => vec![
            (project.join(".mcp.json"), server()),
            (project.join(".claude").join("settings.json"), Edit::Json(hooks(Host::ClaudeCode, launch))),
        ],
        (SetupHost::ClaudeCode, None) => {
            let folder = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
            let state = folder.as_deref().unwrap_or(&user).join(".claude.json");
            let folder = folder.unwrap_or_else(|| user.join(".claude"));
            vec![
                (state, server()),
                (folder.join("settings.json"), Edit::Json(hooks(Host::ClaudeCode, launch))),
            ]
        }
        (SetupHost::Cursor, project) => {
            let folder = project.unwrap_or(&user).join(".cursor");
            let hooks = JsonEntries { defaults: vec![("version", json!(1))], ..hooks(Host::Cursor, launch) };
            vec![(folder.join("mcp.json"), server()), (folder.join("hooks.json"), Edit::Json(hooks))]
        }
        (SetupHost::Gemini, project) => {
            let folder = project.unwrap_or(&user).join(".gemini");
            let both = JsonEntries { values: vec![mcp_server(launch)], ..hooks(Host::Gemini, launch) };
            vec![(folder.join("settings.json"), Edit::Json(both))]
        }
        (SetupHost::Opencode, project) => opencode(project, &user, launch),
        (SetupHost::ClaudeDesktop | SetupHost::Codex | SetupHost::Language, Some(_)) => {
            return Err(Failure::usage("this program has no project settings", "omit --project"));
        }
        (SetupHost::ClaudeDesktop, None) => {
            let folder = dirs::config_dir().unwrap_or_else(|| user.join(".config")).join("Claude");
            vec![(folder.join("claude_desktop_config.json"), server())]
        }
        (SetupHost::Language, None) => vec![(launch.home.join("config.toml"), language_edit(args.remove)?)],
        (SetupHost::Codex, None) => {
            let folder = in_home("CODEX_HOME", ".codex");
            let (command, args) = (launch.program.clone(), launch.args("mcp"));
            vec![
                (folder.join("config.toml"), Edit::Toml { command, args }),
                (folder.join("hooks.json"), Edit::Json(hooks(Host::Codex, launch))),
            ]
        }
    })
}

/// The server and the plugin of opencode.
fn opencode(project: Option<&Path>, user: &Path, launch: &Launch) -> Vec<(PathBuf, Edit)> {
    let command: Vec<String> = std::iter::once(launch.program.clone()).chain(launch.args("mcp")).collect();
    let server = json!({"type": "local", "command": command, "enabled": true});
    let server = JsonEntries { values: vec![(vec!["mcp", ENTRY_NAME], server)], ..JsonEntries::default() };
    let command: Vec<&String> = std::iter::once(&launch.program).chain(&launch.whose).collect();
    let plugin = OPENCODE_PLUGIN.replace("__COMMAND__", &json!(command).to_string());
    let (file, folder) = if let Some(project) = project {
        (project.join("opencode.json"), project.join(".opencode"))
    } else {
        // It keeps to XDG on every system.
        let config = std::env::var_os("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty());
        let folder = config.map_or_else(|| user.join(".config"), PathBuf::from).join("opencode");
        (folder.join("opencode.json"), folder)
    };
    vec![(file, Edit::Json(server)), (folder.join("plugins").join("cairn.js"), Edit::Whole(plugin))]
}

/// How the MCP server is started, in the form that most JSON configurations share.
fn mcp_server(launch: &Launch) -> (Vec<&'static str>, Value) {
    (vec!["mcpServers", ENTRY_NAME], json!({"command": launch.program, "args": launch.args("mcp")}))
}

/// The hooks of a host: an entry for each event, in its own form.
fn hooks(host: Host, launch: &Launch) -> JsonEntries {
    let entry = |event: Event| {
        let host_option = if host == Host::ClaudeCode { String::new() } else { format!(" --host {host}") };
        let command = launch.line(&format!("hook {event}{host_option}"));
        let handler = json!({"type": "command", "command": command, "timeout": HOOK_TIMEOUT_SECONDS});
        let entry = match host {
            Host::Cursor => json!({"command": command, "timeout": HOOK_TIMEOUT_SECONDS}),
            Host::Gemini => {
                let milliseconds = HOOK_TIMEOUT_SECONDS * 1_000;
                let handler = json!({"name": ENTRY_NAME, "type": "command", "command": command, "timeout": milliseconds});
                json!({"hooks": [handler]})
            }
            Host::ClaudeCode | Host::Codex | Host::Opencode => json!({"hooks": [handler]}),
        };
        let entry = with_matcher(host, event, entry);
        let names = host.event_names(event).iter();
        names.map(move |name| (vec!["hooks", *name], entry.clone())).collect::<Vec<_>>()
    };
    JsonEntries { lists: Event::ALL.into_iter().flat_map(entry).collect(), ..JsonEntries::default() }
}

/// An entry with the occasions of its event that it is for.
fn with_matcher(host: Host, event: Event, mut entry: Value) -> Value {
    let of_tool = matches!(event, Event::PreToolUse | Event::PostToolUse | Event::PostToolUseFailure);
    match (host, event) {
        (Host::ClaudeCode | Host::Gemini, _) if of_tool => entry["matcher"] = json!("*"),
        // Gemini CLI announces an automatic compression before every request, whether it comes to one or not.
        (Host::Gemini, Event::PreCompact) => entry["matcher"] = json!("manual"),
        _ => {}
    }
    entry
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
