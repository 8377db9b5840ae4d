//! `cairn dream`, `consolidate`, `digests` and `rhythms`, and `cairn why dig_…`.

use super::invocation::Invocation;
use crate::{
    args::{ConsolidateArgs, DigestsArgs, DreamArgs, RhythmsCommand},
    failure::Failure,
    show,
};
use cairn_domain::MemoryId;
use cairn_engine::{Missing, RhythmHistory, RhythmOutcome, RhythmReport};
use cairn_store::ChangeRecord;
use cairn_wire as wire;
use show::{BOLD, CYAN, DIM};

/// The nightly rhythm.
const DREAM: &str = "dream";

pub(crate) async fn dream(invocation: &Invocation, args: DreamArgs) -> Result<(), Failure> {
    match args.explain {
        Some(memory) => explain(invocation, memory).await,
        None => Box::pin(run(invocation, DREAM, args.dry_run)).await,
    }
}

pub(crate) async fn consolidate(invocation: &Invocation, args: ConsolidateArgs) -> Result<(), Failure> {
    if let Some(layer) = args.layer {
        return Box::pin(run(invocation, &format!("consolidation:{layer}"), args.dry_run)).await;
    }
    let agent = invocation.open(Missing::Refuse).await?;
    let mut reports = Vec::new();
    for rhythm in agent.rhythms().await? {
        if ["intake", "consolidation", "digests", "beliefs", "revalidation"].contains(&rhythm.tag) {
            let mut on_batch = |_: cairn_engine::RhythmProgress<'_>| {};
            reports.push(if args.dry_run {
                invocation.home.try_rhythm(&invocation.agent, &rhythm.name, &mut on_batch).await?
            } else {
                agent.run_rhythm(&rhythm.name, &mut on_batch).await?
            });
        }
    }
    invocation.answer(
        || {
            let run = |report| wire::RhythmRun::new(report, args.dry_run);
            reports.iter().map(run).collect::<wire::RhythmRuns>()
        },
        || {
            reports.iter().for_each(print_report);
            if args.dry_run {
                anstream::eprintln!("nothing was changed");
            }
        },
    );
    if args.dry_run {
        return Ok(());
    }
    verify_low_risk_beliefs(invocation, &reports).await
}

pub(crate) async fn digests(invocation: &Invocation, args: &DigestsArgs) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let found = agent.digests(args.kind, args.about.as_deref(), args.limit).await?;
    invocation.answer(
        || found.iter().collect::<wire::Digests>(),
        || {
            found.iter().for_each(show::digest);
            if found.is_empty() {
                err!("there are no digests yet; `cairn consolidate` writes them");
            }
        },
    );
    Ok(())
}

pub(crate) async fn rhythms(invocation: &Invocation, what: Option<RhythmsCommand>) -> Result<(), Failure> {
    match what {
        None => list(invocation).await,
        Some(RhythmsCommand::Run { name: Some(name), dry_run, .. }) => {
            Box::pin(run(invocation, &name, dry_run)).await
        }
        Some(RhythmsCommand::Run { name: None, .. }) => run_due(invocation).await,
        Some(RhythmsCommand::Pause { name }) => {
            invocation.open(Missing::Refuse).await?.pause_rhythm(&name).await?;
            list(invocation).await
        }
        Some(RhythmsCommand::Resume { name }) => {
            invocation.open(Missing::Refuse).await?.resume_rhythm(&name).await?;
            list(invocation).await
        }
    }
}

async fn list(invocation: &Invocation) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let all = agent.rhythms().await?;
    invocation.answer(
        || all.iter().collect::<wire::Rhythms>(),
        || {
            let mut table =
                show::table(&["rhythm", "schedule", "next", "last run", "took", "changed", "state"]);
            for one in &all {
                let last = one.last.as_ref();
                let minute =
                    |time: Option<cairn_domain::Time>| time.map_or("–".to_owned(), |time| time.minute());
                let state = match (&one.stuck, &one.lease) {
                    (Some(why), _) => why.clone(),
                    (None, Some((holder, _))) => format!("running ({holder})"),
                    (None, None) => "scheduled".to_owned(),
                };
                table.add_row([
                    one.name.clone(),
                    one.schedule.clone(),
                    minute(one.next),
                    minute(last.map(|run| run.begun_at)),
                    last.map_or("–".to_owned(), |run| format!("{} ms", run.worked_ms)),
                    last.map_or("–".to_owned(), |run| run.changed.to_string()),
                    state,
                ]);
            }
            out!("{table}");
        },
    );
    Ok(())
}

async fn run(invocation: &Invocation, rhythm: &str, dry_run: bool) -> Result<(), Failure> {
    let mut on_batch = |_: cairn_engine::RhythmProgress<'_>| {};
    let report = if dry_run {
        invocation.home.try_rhythm(&invocation.agent, rhythm, &mut on_batch).await?
    } else {
        invocation.open(Missing::Refuse).await?.run_rhythm(rhythm, &mut on_batch).await?
    };
    invocation.answer(
        || wire::RhythmRun::new(&report, dry_run),
        || {
            print_report(&report);
            print_changes(&report, if dry_run { usize::MAX } else { 20 });
            if dry_run {
                err!("nothing was changed");
            }
        },
    );
    if !dry_run {
        verify_low_risk_beliefs(invocation, std::slice::from_ref(&report)).await?;
    }
    match &report.outcome {
        RhythmOutcome::Busy(holder, until) => Err(Failure::new(
            format!("{holder} is already running {rhythm}"),
            format!("wait for it; if {holder} is gone, its lease expires at {until}"),
        )),
        RhythmOutcome::Done | RhythmOutcome::Left(_) => Ok(()),
    }
}

async fn run_due(invocation: &Invocation) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let reports = agent.run_due_rhythms(&mut |_| {}).await?;
    invocation.answer(
        || reports.iter().map(|report| wire::RhythmRun::new(report, false)).collect::<wire::RhythmRuns>(),
        || {
            reports.iter().for_each(print_report);
            if reports.is_empty() {
                err!("nothing is due");
            }
        },
    );
    verify_low_risk_beliefs(invocation, &reports).await
}

/// After beliefs were updated, verifies those that an operator has declared low-risk.
async fn verify_low_risk_beliefs(invocation: &Invocation, reports: &[RhythmReport]) -> Result<(), Failure> {
    if reports.iter().any(RhythmReport::is_about_beliefs) {
        for outcome in cairn_operator::apply_low_risk(&invocation.home, &invocation.agent).await? {
            let receipt = &outcome.receipt;
            err!("{} verified, receipt {}: {}", outcome.belief, receipt.number, receipt.told.reason);
        }
    }
    Ok(())
}

/// Prints what a run did, step by step.
pub(super) fn print_report(report: &RhythmReport) {
    let mut table = show::table(&[report.rhythm.as_str(), "checked", "changed", "took", ""]);
    for step in &report.steps {
        table.add_row([
            step.name.clone(),
            step.looked_at.to_string(),
            step.changed.to_string(),
            format!("{} ms", step.worked_ms),
            step.note.clone(),
        ]);
    }
    match &report.outcome {
        RhythmOutcome::Done => out!("{table}"),
        RhythmOutcome::Left(why) => {
            out!("{table}");
            err!("not finished: {why}; run it again to continue");
        }
        RhythmOutcome::Busy(holder, _) => {
            err!("{}: {holder} is already running it", report.rhythm);
        }
    }
}

/// Prints what a run changed, up to `most` changes.
pub(super) fn print_changes(report: &RhythmReport, most: usize) {
    for change in report.changes.iter().take(most) {
        out!("{}  {}", change.memory, change_line(change));
    }
    if report.changes.len() > most {
        err!(
            "and {} more; `cairn dream --explain mem_…` shows what was done to a memory",
            report.changes.len() - most
        );
    }
}

async fn explain(invocation: &Invocation, id: MemoryId) -> Result<(), Failure> {
    let agent = invocation.open(Missing::Refuse).await?;
    let explained = agent.explain_memory(id).await?;
    invocation.answer(|| wire::ExplainedMemory::new(&explained), || print_explanation(&explained));
    Ok(())
}

/// A change on one line.
fn change_line(change: &ChangeRecord) -> String {
    let ChangeRecord { step, what, was, becomes, reason, .. } = change;
    let from = if was.is_empty() { String::new() } else { format!("{was} ") };
    format!("{CYAN}{step}{CYAN:#}  {what}: {from}→ {becomes}  {DIM}{reason}{DIM:#}")
}

fn print_explanation(explained: &RhythmHistory) {
    let memory = &explained.record.memory;
    out!("{BOLD}{}{BOLD:#}", memory.text);
    out!(
        "  {} {}, {}: retention {:.2}, stability {:.1} days, utility {:.2}, used {} time(s)",
        memory.id,
        memory.status,
        memory.tier,
        explained.retention,
        memory.stability,
        memory.utility,
        memory.accesses
    );
    let until = explained
        .faded_until
        .map_or("not applied yet".to_owned(), |until| format!("applied until {}", until.minute()));
    if explained.loses_per_day > 0.0 {
        let percent = 100.0 * explained.loses_per_day;
        out!(
            "  it loses {percent:.2} % of its stability per day ({}, {}); {until}",
            memory.category,
            memory.tier
        );
    } else {
        out!("  it loses no stability");
    }
    if explained.held {
        out!("  it is pinned, immutable or a flashbulb memory: it never becomes dormant");
    }
    for change in &explained.changes {
        out!("  {}  run {:<4} {}", change.changed_at.minute(), change.run, change_line(change));
    }
    if explained.changes.is_empty() {
        out!("  no background job has changed anything else about it");
    }
    if let Some(review) = &explained.review {
        out!(
            "  reviewed {} in {}: {}; next review {}",
            review.evaluated_at.minute(),
            review.layer,
            review.motivation,
            review.next_review_at.minute()
        );
    }
}
