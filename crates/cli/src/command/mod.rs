//! The commands: `run` dispatches to one file per command or group of commands.

mod attach;
mod beliefs;
mod bundle;
mod coherence;
mod compact;
mod console;
mod context;
mod correct;
mod demo;
mod diary;
mod embed;
mod erase;
mod eval;
mod eval_cases;
mod eval_growth;
mod evolution;
mod govern;
mod handoff;
mod health;
mod hook;
mod ingest;
mod init;
mod inquiry;
mod intentions;
mod invocation;
mod key;
mod limits;
mod list;
mod look;
mod mcp;
mod memories;
mod move_in;
mod operator;
mod pattern;
mod proposal;
mod proxy;
mod recall;
mod remember;
mod research;
mod restart;
mod review;
mod rhythm;
mod serve;
mod service;
mod setup;
mod sharing;
mod skills;
mod standing;
mod state_record;
mod taken_in;

use crate::{
    args::{AdminCommand, ArchiveCommand, Cli, Command, ConfigCommand},
    failure::Failure,
};
use clap::CommandFactory;
use invocation::Invocation;
use serde_json::json;

/// Runs a command.
pub(crate) async fn run(cli: Cli) -> Result<(), Failure> {
    if let Command::Completions { shell } = cli.command {
        completions(shell);
        return Ok(());
    }
    let invocation = Invocation::new(&cli)?;
    Box::pin(dispatch(invocation, cli.command)).await
}

async fn dispatch(invocation: Invocation, command: Command) -> Result<(), Failure> {
    match command {
        Command::Init { from, no_model } => init::init(&invocation, from, no_model).await?,
        Command::Embed { change, yes } => embed::embed(&invocation, change, yes).await?,
        Command::Remember(args) => remember::remember(&invocation, args).await?,
        Command::Ingest(args) => ingest::ingest(&invocation, args).await?,
        Command::MoveIn(args) => move_in::move_in(&invocation, args).await?,
        Command::Recall(args) => recall::recall(&invocation, args).await?,
        Command::Context(args) => context::context(&invocation, args).await?,
        Command::Form => memories::form(&invocation).await?,
        Command::Entities { name, limit } => memories::entities(&invocation, name, &limit).await?,
        Command::Memories { what } => memories::memories(&invocation, what).await?,
        Command::Beliefs(args) => beliefs::beliefs(&invocation, args).await?,
        Command::Open { refs } => look::open(&invocation, &refs).await?,
        Command::Why { reference, verify } => look::why(&invocation, &reference, verify).await?,
        Command::Timeline { about, k, as_of } => look::timeline(&invocation, about, k, as_of).await?,
        Command::Correct { reference, text } => correct::correct(&invocation, &reference, text).await?,
        Command::Feedback { reference, verdict } => {
            correct::feedback(&invocation, &reference, verdict).await?;
        }
        Command::Hook(args) => hook::hook(&invocation, args).await?,
        Command::Setup(args) => setup::setup(&invocation, &args)?,
        Command::Mcp => mcp::mcp(&invocation).await?,
        Command::Dream(args) => rhythm::dream(&invocation, args).await?,
        Command::Consolidate(args) => Box::pin(rhythm::consolidate(&invocation, args)).await?,
        Command::Compact { dry_run } => compact::compact(&invocation, dry_run).await?,
        Command::Digests(args) => rhythm::digests(&invocation, &args).await?,
        Command::Rhythms { what } => Box::pin(rhythm::rhythms(&invocation, what)).await?,
        Command::Diary { what } => diary::diary(&invocation, what).await?,
        Command::Simulate(args) => eval::simulate(&invocation, args).await?,
        Command::Attach(args) => attach::attach(&invocation, args).await?,
        Command::Intend(args) => intentions::intend(&invocation, args).await?,
        Command::Skills(args) => skills::skills(&invocation, args).await?,
        Command::Intentions(args) => intentions::intentions(&invocation, args).await?,
        Command::Attachments(args) => attach::attachments(&invocation, args).await?,
        Command::Coherence(args) => coherence::coherence(&invocation, args).await?,
        Command::Standing(args) => standing::standing(&invocation, args).await?,
        Command::Work(what) => evolution::work(&invocation, what).await?,
        Command::Handoff { what } => handoff::handoff(&invocation, what).await?,
        Command::Agents => list::agents(&invocation).await?,
        Command::Threads(args) => list::threads(&invocation, args.limit).await?,
        Command::Sessions(args) => list::sessions(&invocation, args.limit).await?,
        Command::Stats => list::stats(&invocation).await?,
        Command::Serve(args) => serve::serve(&invocation, args).await?,
        Command::Proxy(args) => proxy::proxy(&invocation, args).await?,
        Command::Console(args) => console::console(&invocation, args).await?,
        Command::Service { what } => service::service(&invocation, what)?,
        Command::Key { what } => key::key(&invocation, what).await?,
        Command::Inquiries { reference, limit } => inquiry::inquiries(&invocation, reference, &limit).await?,
        Command::Propose(args) => proposal::propose(&invocation, args).await?,
        Command::Govern { what } => govern::govern(&invocation, what).await?,
        Command::Restart { what } => restart::restart(&invocation, what).await?,
        Command::Review { what } => review::review(&invocation, what).await?,
        Command::Erase(args) => erase::erase(&invocation, args).await?,
        Command::Operator { what } => operator::operator(&invocation, what).await?,
        Command::Doctor { fix } => health::doctor(&invocation, fix).await?,
        Command::Rebuild => health::rebuild(&invocation).await?,
        Command::Verify => health::verify(&invocation).await?,
        Command::Export(args) => bundle::export(&invocation, args).await?,
        Command::Import(args) => bundle::import(&invocation, args).await?,
        Command::Backup { to } => bundle::backup(&invocation, to).await?,
        Command::Archive { what } => archive(&invocation, &what).await?,
        Command::Admin { what } => administer(&invocation, &what).await?,
        Command::Config { what } => configuration(&invocation, &what)?,
        Command::Completions { .. } | Command::ExtractText { .. } => {}
        Command::Eval { what } => eval::eval(&invocation, what).await?,
    }
    Ok(())
}

async fn archive(invocation: &Invocation, what: &ArchiveCommand) -> Result<(), Failure> {
    let ArchiveCommand::Export { folder } = what;
    bundle::export_archive(invocation, folder).await
}

fn completions(shell: clap_complete::Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cairn", &mut script);
    out!("{}", String::from_utf8_lossy(&script).trim_end());
}

async fn administer(invocation: &Invocation, what: &AdminCommand) -> Result<(), Failure> {
    match what {
        AdminCommand::Distribute { plan: true } => {
            show_distribution_plan(invocation);
            Ok(())
        }
        AdminCommand::Distribute { plan: false } => distribute(invocation).await,
    }
}

fn show_distribution_plan(invocation: &Invocation) {
    let plan = cairn_engine::distribution_plan();
    invocation.answer(
        || json!({"plan": plan}),
        || {
            out!("BEGIN;");
            for statement in &plan {
                out!("{statement};");
            }
            out!("COMMIT;");
        },
    );
}

async fn distribute(invocation: &Invocation) -> Result<(), Failure> {
    let machines = invocation.home.distribute().await?;
    invocation.answer(
        || json!({"machines": machines}),
        || out!("the tables are distributed over {}", machines.join(", ")),
    );
    Ok(())
}

fn configuration(invocation: &Invocation, what: &ConfigCommand) -> Result<(), Failure> {
    match what {
        ConfigCommand::Show => config(invocation),
        ConfigCommand::Limits => {
            limits::limits(invocation);
            Ok(())
        }
    }
}

fn config(invocation: &Invocation) -> Result<(), Failure> {
    let config = invocation.home.config();
    let toml = config.to_toml()?;
    invocation.answer(
        || config,
        || {
            out!("# {}", invocation.home.path().join("config.toml").display());
            out!("{}", toml.trim_end());
        },
    );
    Ok(())
}
