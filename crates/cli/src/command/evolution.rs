//! `cairn evolution`: how work with tools goes, and what makes it hard again and again.

use super::{invocation::Invocation, pattern, research::research};
use crate::{
    args::{EvolutionCommand, EvolutionFilter, WorkCommand},
    failure::Failure,
    show::{self, BOLD, CYAN, DIM, GREEN, RED, YELLOW},
};
use cairn_engine::{
    EvolutionReport, ExchangeSpine, Missing, ProjectEvolution, RefinerWindow, SeenFriction, SpineCall,
    WorkedExchange,
};
use cairn_wire as wire;

/// Runs a command about work with tools.
pub(crate) async fn work(invocation: &Invocation, what: WorkCommand) -> Result<(), Failure> {
    match what {
        WorkCommand::Evolution { what } => evolution(invocation, what).await,
        WorkCommand::Research { what } => research(invocation, what).await,
        WorkCommand::Patterns(of) => pattern::patterns(invocation, of).await,
        WorkCommand::Reflect(args) => pattern::reflect(invocation, args).await,
    }
}

async fn evolution(invocation: &Invocation, what: EvolutionCommand) -> Result<(), Failure> {
    match what {
        EvolutionCommand::Show { reference: Some(reference), .. } => spine(invocation, &reference).await,
        EvolutionCommand::Show { reference: None, of } => exchanges(invocation, of).await,
        EvolutionCommand::Report(of) => report(invocation, of).await,
    }
}

async fn spine(invocation: &Invocation, reference: &str) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let spine = agent.exchange_spine(reference).await?;
    invocation.answer(|| wire::Spine::from(&spine), || print_spine(&spine));
    Ok(())
}

async fn exchanges(invocation: &Invocation, of: EvolutionFilter) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let found = agent.worked_exchanges(of.thread.as_deref(), of.limit.limit).await?;
    let shown = || found.iter().map(wire::EvolutionExchange::from).collect::<Vec<_>>();
    invocation.answer(|| serde_json::json!({"exchanges": shown()}), || print_exchanges(&found));
    Ok(())
}

async fn report(invocation: &Invocation, of: EvolutionFilter) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let report = agent.evolution(of.thread.as_deref()).await?;
    let found = agent.worked_exchanges(of.thread.as_deref(), of.limit.limit).await?;
    invocation.answer(|| wire::Evolution::new(&report, &found), || print_report(&report));
    Ok(())
}

fn print_exchanges(found: &[WorkedExchange]) {
    if found.is_empty() {
        err!(
            "no tool was used yet; `cairn setup claude-code` keeps what a coding agent does, `cairn ingest` what it did"
        );
        return;
    }
    let mut table = show::table(&["ref", "at", "request", "steps", "failed", "score", "then"]);
    for one in found {
        table.add_row([
            one.exchange.to_string(),
            one.at.minute(),
            one.request.clone(),
            one.steps.to_string(),
            one.failed.to_string(),
            one.score.map_or_else(String::new, |score| format!("{score:.2}")),
            one.signal.map_or("", |signal| signal.as_str()).to_owned(),
        ]);
    }
    out!("{table}");
}

fn print_report(report: &EvolutionReport) {
    if !report.is_enabled {
        err!("friction is not looked for; config.toml says `enabled = false` under [evolution]");
    }
    for project in &report.projects {
        print_project(project);
    }
    if report.projects.iter().all(|project| project.frictions.is_empty()) && report.is_enabled {
        err!("no friction was seen");
    }
    for proposal in &report.proposals {
        let (record, status) = (&proposal.record, proposal.status);
        out!("{CYAN}{}{CYAN:#}  {status}  {}  {}", record.id, record.file, record.text);
    }
}

fn print_project(project: &ProjectEvolution) {
    let ProjectEvolution {
        thread, steps, failed, refused, signals: [satisfied, corrected, unsolved], ..
    } = project;
    let name = thread.as_deref().unwrap_or("(no thread)");
    out!(
        "{BOLD}{name}{BOLD:#}  {DIM}{steps} steps, {failed} failed, {refused} refused; the user was satisfied {satisfied}×, \
         corrected {corrected}×, not helped {unsolved}×{DIM:#}"
    );
    for friction in &project.frictions {
        print_friction(friction);
    }
}

fn print_friction(friction: &SeenFriction) {
    let SeenFriction { kind, subject, line, instead, times, exchanges, proposal, since, .. } = friction;
    out!("  {YELLOW}{}{YELLOW:#}  {times}× during {exchanges} requests  {subject}", kind.as_str());
    if !line.is_empty() && line != subject {
        out!("    {DIM}“{line}”{DIM:#}");
    }
    if let Some(instead) = instead {
        out!("    {GREEN}works:{GREEN:#} {instead}");
    }
    if let Some((id, status)) = proposal {
        let since = since.map_or_else(String::new, |since| format!(", seen {since}× since"));
        out!("    {CYAN}{id}{CYAN:#} {status}{since}");
    }
    let seen: Vec<String> = friction.seen.iter().map(ToString::to_string).collect();
    out!("    {DIM}{}{DIM:#}", seen.join(" "));
}

fn print_spine(spine: &ExchangeSpine) {
    out!("{BOLD}{}{BOLD:#}  {DIM}{}  {}{DIM:#}", spine.request, spine.exchange, spine.at.minute());
    let project = spine.thread.as_deref().unwrap_or("(no thread)");
    out!("  {project}, session {}, {} messages", spine.session, spine.messages);
    spine.calls.iter().for_each(print_call);
    for (id, name) in &spine.attachments {
        out!("  attached  {CYAN}{id}{CYAN:#}  {name}");
    }
    for scope in &spine.handoffs {
        out!("  handoff  {}", scope.key());
    }
    if let Some(entropy) = spine.entropy {
        out!("  entropy  {entropy:.2}");
    }
    spine.windows.iter().for_each(print_window);
    if let Some(signal) = spine.signal {
        out!("  then  {}  {CYAN}{}{CYAN:#}", signal.signal.as_str(), signal.message);
    }
}

fn print_call(call: &SpineCall) {
    let color = if call.failure.is_some() { RED } else { GREEN };
    let took = call.took_ms.map_or_else(String::new, |took| format!("  {took} ms"));
    out!(
        "  {color}{:<7}{color:#} {}  {DIM}{}{took}  {}{DIM:#}",
        call.outcome.as_str(),
        call.kind,
        call.shape,
        call.result
    );
    if let Some(failure) = &call.failure {
        out!("          {DIM}“{failure}”{DIM:#}");
    }
}

fn print_window(window: &RefinerWindow) {
    let score = window.score.map_or_else(|| "no score".to_owned(), |score| format!("score {score:.2}"));
    let relabel = window.relabel.map_or_else(String::new, |relabel| format!("  {}", relabel.as_str()));
    let surprise = window.surprise.map_or_else(String::new, |it| format!(", surprise {it:.2}"));
    out!("  window  {} steps, {score}{surprise}{relabel}", window.steps);
}
