//! The commands, one file each where there is more to say than a line.

mod beliefs;
mod bundle;
mod compact;
mod context;
mod correct;
mod diary;
mod embed;
mod erase;
mod eval;
mod health;
mod hook;
mod ingest;
mod key;
mod list;
mod look;
mod mcp;
mod memories;
mod operator;
mod recall;
mod remember;
mod review;
mod rhythm;
mod serve;
mod service;
mod setup;

use crate::{
    args::{AdminCommand, ArchiveCommand, Cli, Command, ConfigCommand},
    clock::clock,
    failure::Failure,
    show,
};
use cairn_domain::{AgentName, Invalid};
use cairn_engine::{Agent, Home, Missing};
use clap::CommandFactory;
use serde::Serialize;
use serde_json::json;
use std::{ffi::OsString, path::PathBuf};

/// What every command needs: where, whose, and in which form to answer.
pub(crate) struct Setting {
    home: Home,
    agent: AgentName,
    json: bool,
}

impl Setting {
    /// What the command line and the environment say.
    fn of(cli: &Cli) -> Result<Self, Failure> {
        let agent: AgentName = agent_name(cli.agent.clone())?.parse()?;
        let home = Home::new(home_path(cli.home.clone())?, clock(cli.command.stays())?)?;
        let home = match cli.command {
            // A hook has no time for a model to be loaded.
            Command::Hook(_) => home.without_models(),
            _ => home.with_models(models_path()?, |name| std::env::var(name).ok()),
        };
        let home = match set_variable("CAIRN_DATABASE_URL").map(OsString::into_string) {
            Some(Ok(url)) => home.with_database(url)?,
            Some(Err(_)) => {
                let hint = "write postgres://user:password@host:port/database in it";
                return Err(Invalid::new("CAIRN_DATABASE_URL is not text", hint).into());
            }
            None => home,
        };
        Ok(Self { home, agent, json: cli.json })
    }

    /// The agent, opened; what opening repaired is told.
    async fn open(&self, missing: Missing) -> Result<Agent, Failure> {
        let agent = self.home.agent(&self.agent, missing).await?;
        show::notes(&agent.take_notes());
        Ok(agent)
    }

    /// Prints a value for programs, or lets `people` print it for people.
    fn answer<V: Serialize>(&self, value: impl FnOnce() -> V, people: impl FnOnce()) {
        if self.json { out!("{}", in_order(value())) } else { people() }
    }
}

/// A value with its fields in the order of their names.
fn in_order(value: impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Runs a command.
pub(crate) async fn run(cli: Cli) -> Result<(), Failure> {
    if let Command::Completions { shell } = cli.command {
        completions(shell);
        return Ok(());
    }
    let setting = Setting::of(&cli)?;
    match cli.command {
        Command::Init { from, no_model } => init(&setting, from, no_model).await?,
        Command::Embed { change, yes } => embed::embed(&setting, change, yes).await?,
        Command::Remember(args) => remember::remember(&setting, args).await?,
        Command::Ingest(args) => ingest::ingest(&setting, args).await?,
        Command::Recall(args) => recall::recall(&setting, args).await?,
        Command::Context(args) => context::context(&setting, args).await?,
        Command::Form => memories::form(&setting).await?,
        Command::Entities { name, limit } => {
            memories::entities(&setting, name.as_deref(), limit.limit as u32).await?;
        }
        Command::Memories { what } => memories::memories(&setting, what).await?,
        Command::Beliefs(args) => beliefs::beliefs(&setting, args).await?,
        Command::Open { refs } => look::open(&setting, &refs).await?,
        Command::Why { reference, verify } => look::why(&setting, &reference, verify).await?,
        Command::Timeline { about, k, as_of } => look::timeline(&setting, about, k, as_of).await?,
        Command::Correct { reference, text } => correct::correct(&setting, &reference, text).await?,
        Command::Feedback { reference, verdict } => correct::feedback(&setting, &reference, verdict).await?,
        Command::Hook(args) => hook::hook(&setting, args).await?,
        Command::Setup(args) => setup::setup(&setting, &args)?,
        Command::Mcp => mcp::mcp(&setting).await?,
        Command::Dream(args) => rhythm::dream(&setting, args).await?,
        Command::Consolidate(args) => rhythm::consolidate(&setting, args).await?,
        Command::Compact { dry_run } => compact::compact(&setting, dry_run).await?,
        Command::Digests(args) => rhythm::digests(&setting, &args).await?,
        Command::Rhythms { what } => rhythm::rhythms(&setting, what).await?,
        Command::Diary { what } => diary::diary(&setting, what).await?,
        Command::Simulate(args) => eval::simulate(&setting, args).await?,
        Command::Agents => list::agents(&setting).await?,
        Command::Threads(args) => list::threads(&setting, args.limit).await?,
        Command::Sessions(args) => list::sessions(&setting, args.limit).await?,
        Command::Stats => list::stats(&setting).await?,
        Command::Serve(args) => serve::serve(&setting, args).await?,
        Command::Service { what } => service::service(&setting, what)?,
        Command::Key { what } => key::key(&setting, what).await?,
        Command::Review { what } => review::review(&setting, what).await?,
        Command::Erase(args) => erase::erase(&setting, args).await?,
        Command::Operator { what } => operator::operator(&setting, what).await?,
        Command::Doctor { fix } => health::doctor(&setting, fix).await?,
        Command::Rebuild => health::rebuild(&setting).await?,
        Command::Verify => health::verify(&setting).await?,
        Command::Export { file, redact } => bundle::export(&setting, &file, redact).await?,
        Command::Import { file, as_operator, reason } => {
            bundle::import(&setting, &file, reason.filter(|_| as_operator)).await?;
        }
        Command::Backup { to } => bundle::backup(&setting, to).await?,
        Command::Archive { what: ArchiveCommand::Export { folder } } => {
            bundle::export_archive(&setting, &folder).await?;
        }
        Command::Admin { what: AdminCommand::Distribute { .. } } => distribute(&setting),
        Command::Config { what: ConfigCommand::Show } => config(&setting),
        Command::Completions { .. } => {}
        Command::Eval { what } => eval::eval(&setting, what).await?,
    }
    Ok(())
}

fn completions(shell: clap_complete::Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cairn", &mut script);
    out!("{}", String::from_utf8_lossy(&script).trim_end());
}

/// The agent that was named, by flag or environment, else `main`.
fn agent_name(named: Option<String>) -> Result<String, Failure> {
    let text = |name: OsString| {
        name.into_string().map_err(|_| Invalid::new("CAIRN_AGENT is not text", "name an agent in it"))
    };
    let named = named.map(Ok).or_else(|| set_variable("CAIRN_AGENT").map(text)).transpose()?;
    Ok(named.unwrap_or_else(|| "main".to_owned()))
}

/// A variable that is set to something.
fn set_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The home that was named, by flag or environment, else `~/.cairn`.
fn home_path(named: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let default = || std::env::home_dir().map(|home| home.join(".cairn"));
    named
        .or_else(|| set_variable("CAIRN_HOME").map(PathBuf::from))
        .or_else(default)
        .ok_or_else(|| Failure::new("there is no home folder", "name one with --home DIR or CAIRN_HOME"))
}

/// The folder of models that all homes share.
fn models_path() -> Result<PathBuf, Failure> {
    let default = || dirs::cache_dir().map(|cache| cache.join("cairn").join("models"));
    set_variable("CAIRN_MODELS")
        .map(PathBuf::from)
        .or_else(default)
        .ok_or_else(|| Failure::new("there is no cache folder for models", "name one in CAIRN_MODELS"))
}

async fn init(setting: &Setting, from: Option<PathBuf>, no_model: bool) -> Result<(), Failure> {
    let made = setting.home.init(&setting.agent).await?;
    let folder = setting.home.folder(&setting.agent);
    let model = if no_model { false } else { embed::install(setting, from).await? };
    setting.answer(
        || {
            json!({"home": setting.home.path(), "agent": setting.agent, "folder": folder,
                "server": setting.home.server().map(ToString::to_string), "made": made, "model": model})
        },
        || {
            let (green, agent) = (show::GREEN, &setting.agent);
            let place =
                setting.home.server().map_or_else(|| folder.display().to_string(), ToString::to_string);
            out!("{green}ready{green:#}  agent {agent} lives in {place}");
            for path in &made {
                out!("  made {}", path.display());
            }
            anstream::eprintln!(
                "try: cairn remember \"I moved to Lisbon.\" && cairn recall \"where do I live? Lisbon?\""
            );
        },
    );
    Ok(())
}

fn distribute(setting: &Setting) {
    let plan = cairn_engine::distribution_plan();
    setting.answer(|| json!({"plan": plan}), || plan.iter().for_each(|statement| out!("{statement};")));
}

fn config(setting: &Setting) {
    let config = setting.home.config();
    setting.answer(
        || serde_json::to_value(config).unwrap_or_default(),
        || {
            out!("# {}", setting.home.path().join("config.toml").display());
            out!("{}", config.to_toml().trim_end());
        },
    );
}
