//! `cairn dream` and `cairn rhythms`: what happens while nobody is talking.

use super::Setting;
use crate::{
    args::{Consolidate, Digests, Dream, RhythmsCommand},
    failure::Failure,
    show,
};
use cairn_domain::{DigestId, MemoryId};
use cairn_engine::{Agent, Cited, Explained, Missing, RhythmOutcome, RhythmReport};
use cairn_store::ChangeRecord;
use cairn_wire as wire;
use show::{BOLD, CYAN, DIM};

/// The rhythm of the night.
const DREAM: &str = "dream";

pub(crate) async fn dream(setting: &Setting, args: Dream) -> Result<(), Failure> {
    match args.explain {
        Some(memory) => explain(setting, memory).await,
        None => run(setting, DREAM, args.dry_run).await,
    }
}

pub(crate) async fn consolidate(setting: &Setting, args: Consolidate) -> Result<(), Failure> {
    if let Some(layer) = args.layer {
        return run(setting, &format!("consolidation:{layer}"), args.dry_run).await;
    }
    let agent = setting.open(Missing::Refuse).await?;
    let mut reports = Vec::new();
    for rhythm in agent.rhythms().await? {
        if ["intake", "consolidation", "digests", "beliefs", "revalidation"].contains(&rhythm.tag) {
            reports.push(agent.run_rhythm(&rhythm.name, &mut |_| {}).await?);
        }
    }
    setting.answer(
        || reports.iter().map(|report| wire::RhythmRun::new(report, false)).collect::<wire::RhythmRuns>(),
        || reports.iter().for_each(told),
    );
    verify_what_was_declared(setting, &reports).await
}

pub(crate) async fn digests(setting: &Setting, args: &Digests) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let found = agent.digests(args.kind, args.about.as_deref(), args.limit).await?;
    setting.answer(
        || found.iter().collect::<wire::Digests>(),
        || {
            found.iter().for_each(show::digest);
            if found.is_empty() {
                anstream::eprintln!("there is none yet; `cairn consolidate` writes them");
            }
        },
    );
    Ok(())
}

/// What a digest says, and what it stands on.
pub(crate) async fn why_digest(setting: &Setting, agent: &Agent, id: DigestId) -> Result<(), Failure> {
    let why = agent.why_digest(id).await?;
    let cites = |cited: &Cited| match cited {
        Cited::Memory(record) => show::memory_line(record),
        Cited::Message(record) => show::line(record),
        Cited::Digest(record) => out!(
            "{}  {} of {}  {DIM}{}{DIM:#}",
            record.digest.until.minute(),
            record.digest.kind,
            record.digest.condenses(),
            record.id
        ),
        Cited::Gone(reference) => out!("{DIM}{reference} is gone{DIM:#}"),
    };
    setting.answer(
        || wire::WhyDigest::from(&why),
        || {
            show::digest(&why.record);
            out!(
                "{BOLD}stands on{BOLD:#}  {DIM}made by {}; no evidence itself{DIM:#}",
                why.record.digest.made_by
            );
            why.cites.iter().for_each(cites);
        },
    );
    Ok(())
}

pub(crate) async fn rhythms(setting: &Setting, what: Option<RhythmsCommand>) -> Result<(), Failure> {
    match what {
        None => list(setting).await,
        Some(RhythmsCommand::Run { name: Some(name), dry_run, .. }) => run(setting, &name, dry_run).await,
        Some(RhythmsCommand::Run { name: None, .. }) => run_due(setting).await,
        Some(RhythmsCommand::Pause { name }) => {
            setting.open(Missing::Refuse).await?.pause_rhythm(&name).await?;
            list(setting).await
        }
        Some(RhythmsCommand::Resume { name }) => {
            setting.open(Missing::Refuse).await?.resume_rhythm(&name).await?;
            list(setting).await
        }
    }
}

async fn list(setting: &Setting) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let all = agent.rhythms().await?;
    setting.answer(
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
                    (None, Some((holder, _))) => format!("{holder} is at it"),
                    (None, None) => "waits for its time".to_owned(),
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

async fn run(setting: &Setting, rhythm: &str, dry_run: bool) -> Result<(), Failure> {
    let mut on_batch = |_: cairn_engine::Progress<'_>| {};
    let report = if dry_run {
        setting.home.try_rhythm(&setting.agent, rhythm, &mut on_batch).await?
    } else {
        setting.open(Missing::Refuse).await?.run_rhythm(rhythm, &mut on_batch).await?
    };
    setting.answer(
        || wire::RhythmRun::new(&report, dry_run),
        || {
            told(&report);
            changes(&report, if dry_run { usize::MAX } else { 20 });
            if dry_run {
                anstream::eprintln!("nothing was changed");
            }
        },
    );
    if !dry_run {
        verify_what_was_declared(setting, std::slice::from_ref(&report)).await?;
    }
    match &report.outcome {
        RhythmOutcome::Busy(holder, until) => Err(Failure::new(
            format!("{rhythm} is in the hands of {holder}"),
            format!("wait for it; if {holder} is gone, it can be taken over after {until}"),
        )),
        RhythmOutcome::Done | RhythmOutcome::Left(_) => Ok(()),
    }
}

async fn run_due(setting: &Setting) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let reports = agent.run_due_rhythms(&mut |_| {}).await?;
    setting.answer(
        || reports.iter().map(|report| wire::RhythmRun::new(report, false)).collect::<wire::RhythmRuns>(),
        || {
            reports.iter().for_each(told);
            if reports.is_empty() {
                anstream::eprintln!("nothing is due");
            }
        },
    );
    verify_what_was_declared(setting, &reports).await
}

/// Verifies what an operator has declared beforehand to need no look, after beliefs were tended.
async fn verify_what_was_declared(setting: &Setting, reports: &[RhythmReport]) -> Result<(), Failure> {
    if reports.iter().any(RhythmReport::is_about_beliefs) {
        for outcome in cairn_operator::apply_low_risk(&setting.home, &setting.agent).await? {
            let receipt = &outcome.receipt;
            anstream::eprintln!(
                "{} verified, receipt {}: {}",
                outcome.belief,
                receipt.number,
                receipt.told.reason
            );
        }
    }
    Ok(())
}

/// What a run did, step by step.
pub(super) fn told(report: &RhythmReport) {
    let mut table = show::table(&[report.rhythm.as_str(), "looked at", "changed", "took", ""]);
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
            anstream::eprintln!("it is not done: {why}; run it again to go on where it was");
        }
        RhythmOutcome::Busy(holder, _) => anstream::eprintln!("{}: {holder} is at it", report.rhythm),
    }
}

/// What a run changed, at most so many.
pub(super) fn changes(report: &RhythmReport, most: usize) {
    for change in report.changes.iter().take(most) {
        out!("{}  {}", change.memory, change_line(change));
    }
    if report.changes.len() > most {
        anstream::eprintln!(
            "and {} more; `cairn dream --explain mem_…` tells what was done to a memory",
            report.changes.len() - most
        );
    }
}

async fn explain(setting: &Setting, id: MemoryId) -> Result<(), Failure> {
    let agent = setting.open(Missing::Refuse).await?;
    let explained = agent.explain_memory(id).await?;
    setting.answer(|| wire::ExplainedMemory::new(&explained), || explained_to_people(&explained));
    Ok(())
}

/// A change on one line.
fn change_line(change: &ChangeRecord) -> String {
    let ChangeRecord { step, what, was, becomes, reason, .. } = change;
    let from = if was.is_empty() { String::new() } else { format!("{was} ") };
    format!("{CYAN}{step}{CYAN:#}  {what}: {from}→ {becomes}  {DIM}{reason}{DIM:#}")
}

fn explained_to_people(explained: &Explained) {
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
        .map_or("not yet applied".to_owned(), |until| format!("until {}", until.minute()));
    if explained.loses_per_day > 0.0 {
        let percent = 100.0 * explained.loses_per_day;
        out!(
            "  tier decay takes {percent:.2} % of its stability a day ({} in {}); {until}",
            memory.category,
            memory.tier
        );
    } else {
        out!("  tier decay takes nothing from it");
    }
    if explained.held {
        out!("  it is pinned, immutable or a flashbulb: nothing lets it go");
    }
    for change in &explained.changes {
        out!("  {}  run {:<4} {}", change.changed_at.minute(), change.run, change_line(change));
    }
    if explained.changes.is_empty() {
        out!("  no rhythm has changed anything else about it");
    }
    if let Some(review) = &explained.review {
        out!(
            "  reviewed {} in {}: {}; again {}",
            review.evaluated_at.minute(),
            review.layer,
            review.motivation,
            review.next_review_at.minute()
        );
    }
}
