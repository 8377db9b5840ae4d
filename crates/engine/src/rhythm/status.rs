//! How rhythms stand, and what they did to one memory.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    rhythm::{
        schedule::{ScheduleDue, jitter_ms},
        watermark,
    },
};
use cairn_cognition::{
    entity::slug,
    forgetting::{decay_factor, decay_per_day},
    promotion::{is_held, strength_of},
    retention::RetentionCurve,
    tier::decay_multiplier,
};
use cairn_domain::{DigestKind, MemoryId, RunState, Time};
use cairn_store::{ChangeRecord, DigestRecord, MemoryRecord, ReviewRecord, RunRecord, StepRecord};

/// How a rhythm stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RhythmStanding {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub tag: &'static str,
    /// Its schedule, as a cron expression.
    pub schedule: String,
    /// When it is due next; in the past if it is overdue.
    pub next: Option<Time>,
    /// Since when it rests, if it does.
    pub paused_at: Option<Time>,
    /// Its last run.
    pub last: Option<RunRecord>,
    /// Counts of each step of that run.
    pub steps: Vec<StepRecord>,
    /// Who has it in hand, and until when at least.
    pub lease: Option<(String, Time)>,
    /// Why it does not get on, if it should.
    pub stuck: Option<String>,
}

/// A run of a rhythm that was, with its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastRun {
    /// The run.
    pub run: RunRecord,
    /// Counts of each of its steps.
    pub steps: Vec<StepRecord>,
}

/// A memory with everything rhythms did to it.
#[derive(Debug, Clone, PartialEq)]
pub struct RhythmHistory {
    /// The memory.
    pub record: MemoryRecord,
    /// How likely it still comes to mind.
    pub retention: f64,
    /// The share of its stability that it loses in a day.
    pub loses_per_day: f64,
    /// Until when that was applied.
    pub faded_until: Option<Time>,
    /// Whether nothing may let it go.
    pub held: bool,
    /// The changes, oldest first.
    pub changes: Vec<ChangeRecord>,
    /// How it stood when it was last reviewed.
    pub review: Option<ReviewRecord>,
}

impl Agent {
    /// How every rhythm stands.
    pub async fn rhythms(&self) -> Result<Vec<RhythmStanding>> {
        let now = self.now();
        let mut all = Vec::new();
        for rhythm in self.known_rhythms().await? {
            let name = rhythm.name.clone();
            let (record, last, steps, lease) = self
                .store
                .read(|view| {
                    let record = view.rhythms()?.into_iter().find(|record| record.name == name);
                    let last = view.runs(&name, 1)?.pop();
                    let steps = last.as_ref().map_or(Ok(Vec::new()), |run| view.steps_of(run.run))?;
                    let lease = format!("rhythm:{name}");
                    let job = view.jobs()?.into_iter().find(|job| job.name == lease);
                    Ok((record, last, steps, job.and_then(|job| job.lease)))
                })
                .await?;
            let Some(record) = record else { continue };
            let jitter = jitter_ms(self.name.as_str(), &name, self.config.rhythms.jitter_seconds);
            let next = match rhythm.schedule.due(record.reached, now, jitter) {
                ScheduleDue::Now(moment) | ScheduleDue::At(moment) => Some(moment),
                ScheduleDue::Anew => Some(now),
                ScheduleDue::Never => None,
            };
            let lease = lease.filter(|(_, until)| *until > now);
            let unfinished = last.as_ref().filter(|run| run.state == RunState::Running);
            let overdue = next.is_some_and(|next| next <= now);
            let stuck = match (unfinished, &lease) {
                _ if record.paused_at.is_some() => {
                    Some("paused; `cairn rhythms resume` restarts it".to_owned())
                }
                (Some(run), None) if run.note.is_empty() => {
                    Some("its run was interrupted and goes on at the next opportunity".to_owned())
                }
                (Some(run), None) => Some(run.note.clone()),
                (None, None) if overdue => Some(match self.has_to_wait(&rhythm).await? {
                    Some(why) => why,
                    None => "nobody runs it: `cairn serve`, or `cairn rhythms run --due` from a crontab"
                        .to_owned(),
                }),
                _ => None,
            };
            all.push(RhythmStanding {
                name,
                tag: rhythm.tag.as_str(),
                schedule: rhythm.schedule.text.clone(),
                next,
                paused_at: record.paused_at,
                last,
                steps,
                lease,
                stuck,
            });
        }
        Ok(all)
    }

    /// The newest runs of all rhythms before number `before`, each with its steps, the newest first.
    pub async fn rhythm_runs(&self, before: Option<u32>, limit: u32) -> Result<Vec<PastRun>> {
        let runs = self.store.read(|view| {
            let mut past = Vec::new();
            for run in view.runs_before(before.unwrap_or(u32::MAX), limit)? {
                past.push(PastRun { steps: view.steps_of(run.run)?, run });
            }
            Ok(past)
        });
        Ok(runs.await?)
    }

    /// The first changes that a run made, in order.
    pub async fn changes_in_run(&self, run: u32, limit: u32) -> Result<Vec<ChangeRecord>> {
        let changes = self.store.read(|view| {
            let found = view.run(run)?;
            found.map(|run| view.changes_in(run.run, limit)).transpose()
        });
        changes.await?.ok_or_else(|| EngineError::NotFound(format!("run {run}")))
    }

    /// The newest versions of the digests of a kind, the latest span first; with `scope` only those about that.
    pub async fn digests(
        &self,
        kind: DigestKind,
        scope: Option<&str>,
        limit: u32,
    ) -> Result<Vec<DigestRecord>> {
        let found = self.store.read(|view| {
            let found = view.digests(kind, scope, limit)?;
            // An entity may be named as people write it.
            let slug = scope.map(slug).filter(|slug| found.is_empty() && Some(slug.as_str()) != scope);
            slug.map_or(Ok(found), |slug| view.digests(kind, Some(&slug), limit))
        });
        Ok(found.await?)
    }

    /// The changes that rhythms made to a memory, with their reasons.
    pub async fn explain_memory(&self, id: MemoryId) -> Result<RhythmHistory> {
        let now = self.now();
        let found = self
            .store
            .read(|view| {
                let Some(record) = view.memory(id)? else { return Ok(None) };
                let memory = &record.memory;
                let (_, threshold) = view.active_memories()?;
                let held = is_held(memory);
                let times = decay_multiplier(memory.tier) * decay_factor(memory.accesses, threshold);
                let fixed = memory.pinned || memory.immutable;
                let loses_per_day =
                    if fixed { 0.0 } else { 1.0 - (-decay_per_day(memory.category) * times).exp() };
                Ok(Some(RhythmHistory {
                    retention: strength_of(memory).retrieval(now, RetentionCurve::Seed),
                    loses_per_day,
                    faded_until: view.watermark(watermark::TIER_DECAY)?.map(Time::from_millis),
                    held,
                    changes: view.changes_of(record.number)?,
                    review: view.review(record.number)?,
                    record,
                }))
            })
            .await?;
        found.ok_or_else(|| EngineError::NotFound(id.to_string()))
    }
}
