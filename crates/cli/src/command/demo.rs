//! The sample life of `cairn console --demo`: lived day by day, with its nights, in a temporary home.

use super::invocation::Invocation;
use crate::{clock::LifeClock, failure::Failure};
use cairn_domain::Time;
use cairn_engine::{Agent, Missing};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::{collections::BTreeMap, io::Cursor, path::Path, sync::Arc};
use tempfile::TempDir;

const SAMPLE_LIFE: &str = include_str!("../../../../examples/sample-life.jsonl");
const MS_PER_HOUR: i64 = 60 * 60 * 1_000;
const MS_PER_DAY: i64 = 24 * MS_PER_HOUR;
/// Nights that follow a day of talk; in longer silences one night a week is lived.
const NIGHTS_IN_SILENCE_EVERY_DAYS: i64 = 7;

/// The days that are lived, the day it is, and how long it may take yet.
const PROGRESS: &str = "{bar:30} {pos} of {len} days, {msg}, about {eta} more";

/// Lives the sample life. The folder is deleted when it is dropped.
pub(crate) async fn live(invocation: &Invocation) -> Result<(Invocation, TempDir), Failure> {
    let days = days_of_talk()?;
    let no_room =
        |error| Failure::new(format!("cannot create a temporary folder: {error}"), "make room for it");
    let folder = tempfile::Builder::new().prefix("cairn-demo-").tempdir().map_err(no_room)?;
    let first = days.keys().next().copied().unwrap_or_default();
    let clock = Arc::new(LifeClock::at(Time::from_millis(first * MS_PER_DAY)));
    let home = invocation.home.elsewhere(folder.path(), clock.clone())?;
    let agent = home.agent(&invocation.agent, Missing::Create).await?;
    let progress = ProgressBar::new(days.len() as u64);
    progress.set_style(ProgressStyle::with_template(PROGRESS).expect("a template"));
    err!("living a sample life, {} days of talk; the console opens when it is lived", days.len());
    let mut nights = 0_u32;
    let mut following = days.keys().skip(1).copied().chain(days.keys().last().map(|day| day + 1));
    for (day, lines) in &days {
        progress.set_message(Time::from_millis(day * MS_PER_DAY).to_string()[..10].to_owned());
        clock.set(Time::from_millis((day + 1) * MS_PER_DAY - MS_PER_HOUR));
        hear(&agent, lines).await?;
        let until = following.next().unwrap_or(day + 1);
        let mut night = day + 1;
        while night <= until {
            clock.set(Time::from_millis(night * MS_PER_DAY + 5 * MS_PER_HOUR));
            agent.run_due_rhythms(&mut |_| {}).await?;
            nights += 1;
            night += NIGHTS_IN_SILENCE_EVERY_DAYS;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    clock.run_on();
    err!("lived {} days of talk and {nights} nights in {}", days.len(), folder.path().display());
    Ok((Invocation { home, agent: invocation.agent.clone(), json: invocation.json }, folder))
}

/// Hears what was said on a day and makes memories of it.
async fn hear(agent: &Agent, lines: &str) -> Result<(), Failure> {
    let input = Box::new(Cursor::new(lines.to_owned()));
    let origin = Path::new("sample-life.jsonl");
    agent.ingest(input, "sample life", origin, None, &mut |_| {}).await?;
    // Without an embedder memories are found by their words.
    let _ = agent.embed(&mut |_| {}).await;
    agent.form(&mut |_| {}).await?;
    let _ = agent.embed(&mut |_| {}).await;
    Ok(())
}

/// The lines of the sample life by day, counted from 1970.
fn days_of_talk() -> Result<BTreeMap<i64, String>, Failure> {
    let mut days: BTreeMap<i64, String> = BTreeMap::new();
    for line in SAMPLE_LIFE.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        let at: Time = message["at"].as_str().unwrap_or_default().parse()?;
        let lines = days.entry(at.millis().div_euclid(MS_PER_DAY)).or_default();
        lines.push_str(line);
        lines.push('\n');
    }
    Ok(days)
}
