//! `govern.toml`: the operator's rules. A file that cannot be read asks before everything, so that breaking it opens nothing.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    limits::{MAX_GOVERN_FILE_BYTES, MAX_GOVERN_RULES},
};
use cairn_cognition::govern::{
    governor::GovernRule,
    pattern::{CommandPattern, PathPattern, ToolPattern},
    touched::PathAccess,
};
use cairn_domain::{Friction, Invalid};
use serde::Deserialize;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The file's name in the home.
pub const GOVERN_FILE: &str = "govern.toml";

/// The operator's rules of a home.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GovernRules {
    /// In the order they were written.
    pub rules: Vec<GovernRule>,
    /// The friction that a repeated action meets, if an operator wants any.
    pub repeats: Option<RepeatRule>,
}

/// An agent that does the same again and again is stopped for a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepeatRule {
    /// The same action so many times in a row.
    pub after: u32,
    /// The least friction then.
    pub mode: Friction,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GovernFile {
    #[serde(default)]
    rule: Vec<WrittenRule>,
    #[serde(default)]
    repeats: Option<RepeatRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRule {
    name: Option<String>,
    tool: Option<String>,
    command: Option<String>,
    path: Option<String>,
    access: Option<PathAccess>,
    mode: Friction,
    reason: String,
    instead: Option<String>,
    rollback: Option<String>,
}

impl Agent {
    /// The rules of this agent's home; if they cannot be read, everything is asked about. `user_home` is what `~` stands for.
    pub fn govern_rules(&self, user_home: Option<&Path>) -> GovernRules {
        // An agent's folder is HOME/agents/NAME.
        let Some(home) = self.folder.ancestors().nth(2) else { return GovernRules::default() };
        match GovernRules::read(home, user_home) {
            Ok(rules) => rules.unwrap_or_default(),
            Err(error) => GovernRules::unreadable(&error.to_string()),
        }
    }
}

impl GovernRules {
    /// The rules of a home; none if there is no such file. `user_home` is what `~` stands for.
    pub fn read(home: &Path, user_home: Option<&Path>) -> Result<Option<Self>> {
        let path = home.join(GOVERN_FILE);
        let text = match fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_GOVERN_FILE_BYTES => {
                let problem = format!("{} has {} bytes", path.display(), metadata.len());
                return Err(Invalid::new(problem, "keep it shorter; fewer, wider rules").into());
            }
            Ok(_) => fs::read_to_string(&path).map_err(EngineError::file("read", &path))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(EngineError::file("read", path)(error)),
        };
        let mut rules = Self::parse(&text, user_home)?;
        if !rules.is_empty() {
            rules.rules.push(own_rule(home)?);
        }
        Ok(Some(rules).filter(|rules| !rules.is_empty()))
    }

    /// The rules that a text states.
    pub fn parse(text: &str, user_home: Option<&Path>) -> Result<Self> {
        let file: GovernFile = toml::from_str(text).map_err(|error| {
            let hint = "see docs/govern.md for the keys of a rule: tool, command, path, access, mode, reason";
            Invalid::new(format!("{GOVERN_FILE} cannot be read: {}", error.to_string().trim()), hint)
        })?;
        if file.rule.len() > MAX_GOVERN_RULES {
            let problem = format!("{GOVERN_FILE} has {} rules", file.rule.len());
            return Err(Invalid::new(problem, format!("up to {MAX_GOVERN_RULES} are allowed")).into());
        }
        let rule = |(at, written): (usize, WrittenRule)| read_rule(at, written, user_home);
        let rules =
            file.rule.into_iter().enumerate().map(rule).collect::<std::result::Result<_, Invalid>>()?;
        Ok(Self { rules, repeats: file.repeats })
    }

    /// The rules that hold while the file cannot be read: everything is asked about.
    pub fn unreadable(problem: &str) -> Self {
        let rule = GovernRule {
            name: "unreadable".to_owned(),
            tool: None,
            command: None,
            path: None,
            access: PathAccess::Write,
            mode: Friction::Ask,
            reason: format!("the operator's rules cannot be read, so everything is asked about: {problem}"),
            instead: None,
            rollback: None,
        };
        Self { rules: vec![rule], repeats: None }
    }

    fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.repeats.is_none()
    }
}

fn read_rule(
    at: usize,
    written: WrittenRule,
    user_home: Option<&Path>,
) -> std::result::Result<GovernRule, Invalid> {
    let name = written.name.unwrap_or_else(|| (at + 1).to_string());
    let wrong =
        |error: Invalid| Invalid::new(format!("{GOVERN_FILE}, rule {name}: {}", error.problem), error.hint);
    if written.tool.is_none() && written.command.is_none() && written.path.is_none() {
        let hint = "add tool, command or path; tool = \"*\" means every tool";
        return Err(wrong(Invalid::new("it matches nothing", hint)));
    }
    if written.reason.trim().is_empty() {
        return Err(wrong(Invalid::new(
            "it has no reason",
            "say why in a sentence; whoever is stopped reads it",
        )));
    }
    let home = user_home.and_then(Path::to_str);
    Ok(GovernRule {
        tool: written.tool.map(|text| ToolPattern::parse(&text)).transpose().map_err(wrong)?,
        command: written.command.map(|text| CommandPattern::parse(&text)).transpose().map_err(wrong)?,
        path: written.path.map(|text| PathPattern::parse(&text, home)).transpose().map_err(wrong)?,
        access: written.access.unwrap_or(PathAccess::Write),
        mode: written.mode,
        reason: written.reason,
        instead: written.instead,
        rollback: written.rollback,
        name,
    })
}

/// Where there are rules, no tool changes them.
fn own_rule(home: &Path) -> Result<GovernRule> {
    let home: PathBuf = fs::canonicalize(home).map_err(EngineError::file("find", home))?;
    let path = home.join("{govern.toml,config.toml,keys.json,keys,keys/**}");
    Ok(GovernRule {
        name: "own-files".to_owned(),
        tool: None,
        command: None,
        path: Some(PathPattern::parse(&path.to_string_lossy(), None)?),
        access: PathAccess::Write,
        mode: Friction::Refuse,
        reason: "rules, configuration and keys are written by the operator".to_owned(),
        instead: Some("ask the operator to run `cairn operator apply`".to_owned()),
        rollback: None,
    })
}
