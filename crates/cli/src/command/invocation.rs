//! A command line with its environment: the home, the agent, and how to print the answer.

use crate::{
    args::{Cli, Command},
    clock::{NamedTime, clock},
    extractor::ChildExtractor,
    failure::Failure,
    show,
};
use cairn_domain::{AgentName, Invalid};
use cairn_engine::{Agent, Home, Missing};
use serde::Serialize;
use std::{ffi::OsString, path::PathBuf, sync::Arc};

/// The facts of its invocation that every command needs.
pub(crate) struct Invocation {
    pub(crate) home: Home,
    pub(crate) agent: AgentName,
    /// Answer in JSON instead of text for people.
    pub(crate) json: bool,
}

impl Invocation {
    /// Reads the global flags and the environment.
    pub(crate) fn new(cli: &Cli) -> Result<Self, Failure> {
        let agent: AgentName = agent_name(cli.agent.clone())?.parse()?;
        let named_time =
            if cli.command.runs_until_stopped() { NamedTime::Running } else { NamedTime::Frozen };
        let home = Home::new(home_path(cli.home.clone())?, clock(named_time)?)?;
        let home = match cli.command {
            // A hook has no time to load a model.
            Command::Hook(_) => home.without_models(),
            _ => home.with_models(models_path()?, |name| std::env::var(name).ok()),
        };
        let home = match ChildExtractor::of_this_program() {
            Ok(extractor) => home.with_extractor(Arc::new(extractor)),
            Err(_) => home,
        };
        let home = match set_variable("CAIRN_DATABASE_URL").map(OsString::into_string) {
            Some(Ok(url)) => home.with_database(url)?,
            Some(Err(_)) => {
                let hint = "set it to postgres://user:password@host:port/database";
                return Err(Invalid::new("CAIRN_DATABASE_URL is not text", hint).into());
            }
            None => home,
        };
        Ok(Self { home, agent, json: cli.json })
    }

    /// Opens the agent and prints what opening repaired.
    pub(crate) async fn open(&self, missing: Missing) -> Result<Agent, Failure> {
        let agent = self.home.agent(&self.agent, missing).await?;
        show::notes(&agent.take_notes());
        if agent.has_unfinished_decision().await? {
            let finished = Box::pin(cairn_operator::finish_interrupted(&self.home, &self.agent));
            show::notes(&finished.await?);
        }
        Ok(agent)
    }

    /// Prints the answer: as JSON if `--json` was given, else by calling `people`.
    pub(crate) fn answer<V: Serialize>(&self, value: impl FnOnce() -> V, people: impl FnOnce()) {
        if self.json { crate::show::print_json(&sorted_json(value())) } else { people() }
    }
}

/// A value as JSON with its fields sorted by name.
pub(crate) fn sorted_json(value: impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).expect("every answer has only string keys")
}

/// The agent named by flag or environment, else `main`.
fn agent_name(named: Option<String>) -> Result<String, Failure> {
    let text = |name: OsString| {
        name.into_string()
            .map_err(|_| Invalid::new("CAIRN_AGENT is not text", "set it to the name of an agent"))
    };
    let named = named.map(Ok).or_else(|| set_variable("CAIRN_AGENT").map(text)).transpose()?;
    Ok(named.unwrap_or_else(|| "main".to_owned()))
}

/// An environment variable that is set and not empty.
pub(crate) fn set_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The home named by flag or environment, else `~/.cairn`.
fn home_path(named: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let default = || std::env::home_dir().map(|home| home.join(".cairn"));
    named
        .or_else(|| set_variable("CAIRN_HOME").map(PathBuf::from))
        .or_else(default)
        .ok_or_else(|| Failure::new("there is no home folder", "set one with --home DIR or CAIRN_HOME"))
}

/// The model cache that all homes share.
fn models_path() -> Result<PathBuf, Failure> {
    let default = || dirs::cache_dir().map(|cache| cache.join("cairn").join("models"));
    set_variable("CAIRN_MODELS")
        .map(PathBuf::from)
        .or_else(default)
        .ok_or_else(|| Failure::new("there is no cache folder for models", "set one in CAIRN_MODELS"))
}
