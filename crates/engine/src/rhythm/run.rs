//! Carries rhythms out: takes one in hand with a lease, does its steps batch by batch, and leaves what is not done to the
//! next opportunity.

use crate::{
    agent::Agent,
    error::{EngineError, Result},
    retry::pause_before,
    rhythm::{
        catalog::{Rhythm, RhythmStep, configured_rhythms},
        schedule::{HoursOfDay, ScheduleDue, jitter_ms, time_zone},
        step_context::StepContext,
    },
};
use cairn_domain::{AskedBy, Invalid, Time};
use cairn_store::{
    BatchOutcome, BeginOutcome, ChangeRecord, RunLease, RunOccasion, RunProgress, RunRecord, StepRecord,
};
use std::time::{Duration, Instant};

/// How long a process may keep a rhythm in hand without getting on, before another takes over.
const RUN_LEASE_MS: i64 = 120_000;
/// How often a batch is decided again because somebody else was quicker.
const MAX_ATTEMPTS: u64 = 200;

/// How an attempt to run a rhythm ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RhythmOutcome {
    /// All its steps are done.
    Done,
    /// It was left, and goes on at the next opportunity: why.
    Left(String),
    /// Somebody else is at it: who, and until when at least.
    Busy(String, Time),
}

/// The report of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RhythmReport {
    /// The rhythm.
    pub rhythm: String,
    /// The number of the run; none if it did not begin.
    pub run: Option<u32>,
    /// How it ended.
    pub outcome: RhythmOutcome,
    /// Counts of each step, over all the times this run was resumed.
    pub steps: Vec<StepRecord>,
    /// The changes made this time, in order. Changes too small to be recorded one by one are only counted in the steps.
    pub changes: Vec<ChangeRecord>,
}

impl RhythmReport {
    /// Whether it tended what is held true.
    pub fn is_about_beliefs(&self) -> bool {
        self.steps.iter().any(|step| step.name == RhythmStep::Beliefs.name())
    }
}

/// How far a run is: told after every batch, when it is written.
#[derive(Debug, Clone, Copy)]
pub struct RhythmProgress<'a> {
    /// The rhythm.
    pub rhythm: &'a str,
    /// The step of the batch.
    pub step: &'static str,
    /// Which step it is, from 1 on, and how many there are.
    pub of: (u32, u32),
    /// How many changes the batch made.
    pub changed: usize,
}

/// Where a run continues after a written batch, and the batch's changes.
struct WrittenBatch {
    /// The step and the place to go on at; `None` when the run is done.
    next: Option<(u32, i64)>,
    noted: Vec<ChangeRecord>,
    changed: usize,
}

/// Called with the progress of a run.
pub(crate) type OnBatch<'a> = &'a mut (dyn FnMut(RhythmProgress<'_>) + Send);

impl Agent {
    /// Carries out every rhythm that is due by its schedule and goes on with those that were interrupted. What rests, what
    /// others have in hand and what has to wait is left alone.
    pub async fn run_due_rhythms(&self, on_batch: OnBatch<'_>) -> Result<Vec<RhythmReport>> {
        let all = self.known_rhythms().await?;
        let mut reports = Vec::new();
        for rhythm in all {
            let Some(occasion) = self.due(&rhythm).await? else { continue };
            if let Some(report) = self.carry_out(&rhythm, occasion, on_batch).await? {
                reports.push(report);
            }
        }
        Ok(reports)
    }

    /// Carries out one rhythm now, whatever its schedule says.
    pub async fn run_rhythm(&self, name: &str, on_batch: OnBatch<'_>) -> Result<RhythmReport> {
        let rhythm = self.rhythm(name).await?;
        let report = self.carry_out(&rhythm, RunOccasion::Asked, on_batch).await?;
        report.ok_or_else(|| EngineError::NotFound(name.to_owned()))
    }

    /// Lets a rhythm rest until it is resumed.
    pub async fn pause_rhythm(&self, name: &str) -> Result<()> {
        let rhythm = self.rhythm(name).await?;
        Ok(self.store.pause_rhythm(rhythm.name, Some(self.now())).await?)
    }

    /// Lets a rhythm go on. What it missed meanwhile is caught up once.
    pub async fn resume_rhythm(&self, name: &str) -> Result<()> {
        let rhythm = self.rhythm(name).await?;
        Ok(self.store.pause_rhythm(rhythm.name, None).await?)
    }

    /// The rhythms there are.
    pub(crate) async fn known_rhythms(&self) -> Result<Vec<Rhythm>> {
        let all = configured_rhythms(&self.config);
        self.store.know_rhythms(all.iter().map(|rhythm| rhythm.name.clone()).collect(), self.now()).await?;
        Ok(all)
    }

    async fn rhythm(&self, name: &str) -> Result<Rhythm> {
        let mut all = self.known_rhythms().await?;
        let names: Vec<&str> = all.iter().map(|rhythm| rhythm.name.as_str()).collect();
        let unknown = Invalid::new(
            format!("`{}` is not a rhythm", name.chars().take(60).collect::<String>().escape_debug()),
            format!("use one of {}", names.join(", ")),
        );
        let at = all.iter().position(|rhythm| rhythm.name == name).ok_or(unknown)?;
        Ok(all.swap_remove(at))
    }

    /// Whether a rhythm is to be carried out now, and why.
    async fn due(&self, rhythm: &Rhythm) -> Result<Option<RunOccasion>> {
        let name = rhythm.name.clone();
        let (record, newest) = self
            .store
            .read(|view| {
                let record = view.rhythms()?.into_iter().find(|record| record.name == name);
                Ok((record, view.runs(&name, 1)?.pop()))
            })
            .await?;
        let Some(record) = record.filter(|record| record.paused_at.is_none()) else { return Ok(None) };
        let jitter = jitter_ms(self.name.as_str(), &rhythm.name, self.config.rhythms.jitter_seconds);
        match rhythm.schedule.due(record.reached, self.now(), jitter) {
            ScheduleDue::Now(moment) => return Ok(Some(RunOccasion::Moment(record.reached, moment))),
            ScheduleDue::Anew => {
                self.store.reach_rhythm(record.name, record.reached, self.now()).await?;
            }
            ScheduleDue::At(_) | ScheduleDue::Never => {}
        }
        let unfinished = newest.is_some_and(|run| run.state == cairn_domain::RunState::Running);
        Ok(unfinished.then_some(RunOccasion::Interrupted))
    }

    /// Why a run by schedule has to wait, if it has to.
    pub(crate) async fn has_to_wait(&self, rhythm: &Rhythm) -> Result<Option<String>> {
        let config = &self.config.rhythms;
        if !rhythm.tag.is_night_shift() {
            return Ok(None);
        }
        let night = HoursOfDay::parse(&config.night).ok().flatten();
        let zone = time_zone(&config.time_zone).unwrap_or(jiff::tz::TimeZone::UTC);
        if night.is_some_and(|night| !night.hold(self.now(), &zone)) {
            return Ok(Some(format!("it works in the hours {} only", config.night)));
        }
        let last = self.store.read(|view| view.last_recorded()).await?;
        let idle_ms = last.map_or(i64::MAX, |last| self.now().millis() - last.millis());
        let waits = (0..(config.idle_seconds * 1_000) as i64).contains(&idle_ms);
        Ok(waits.then(|| format!("somebody spoke {} s ago", idle_ms / 1_000)))
    }

    /// Takes a rhythm in hand and works on it. `None` if somebody else has carried it out.
    async fn carry_out(
        &self,
        rhythm: &Rhythm,
        occasion: RunOccasion,
        on_batch: OnBatch<'_>,
    ) -> Result<Option<RhythmReport>> {
        let holder = self.holder();
        let lease = RunLease { holder: holder.clone(), until: self.lease() };
        let begun = self.store.begin_run(rhythm.name.clone(), lease, occasion, self.now());
        let run = match begun.await? {
            BeginOutcome::Over => return Ok(None),
            BeginOutcome::Busy(holder, until) => {
                let outcome = RhythmOutcome::Busy(holder, until);
                let (rhythm, steps, changes) = (rhythm.name.clone(), Vec::new(), Vec::new());
                return Ok(Some(RhythmReport { rhythm, run: None, outcome, steps, changes }));
            }
            BeginOutcome::Run(run) => run,
        };
        let number = run.run;
        let mut changes = Vec::new();
        let worked = self.work(rhythm, run.clone(), &holder, &mut changes, on_batch).await;
        let outcome = match worked {
            Ok(outcome) => outcome,
            Err(error) => {
                self.store.leave_run(run, holder, format!("it failed: {error}")).await?;
                return Err(error);
            }
        };
        if let RhythmOutcome::Left(why) = &outcome {
            self.store.leave_run(run, holder, why.clone()).await?;
        }
        let steps = self.store.read(|view| view.steps_of(number)).await?;
        Ok(Some(RhythmReport { rhythm: rhythm.name.clone(), run: Some(number), outcome, steps, changes }))
    }

    fn lease(&self) -> Time {
        Time::from_millis(self.now().millis() + RUN_LEASE_MS)
    }

    async fn work(
        &self,
        rhythm: &Rhythm,
        mut run: RunRecord,
        holder: &str,
        changes: &mut Vec<ChangeRecord>,
        on_batch: OnBatch<'_>,
    ) -> Result<RhythmOutcome> {
        let begun = Instant::now();
        let longest = Duration::from_secs(self.config.rhythms.longest_seconds);
        while let Some(step) = rhythm.steps.get(run.step as usize).copied() {
            if run.asked_by == AskedBy::Schedule
                && let Some(why) = self.has_to_wait(rhythm).await?
            {
                return Ok(RhythmOutcome::Left(why));
            }
            if begun.elapsed() >= longest {
                return Ok(RhythmOutcome::Left(format!("it took longer than {} s", longest.as_secs())));
            }
            let next = match self.batch(rhythm, step, &run, holder).await? {
                Ok(WrittenBatch { next, noted, changed }) => {
                    changes.extend(noted);
                    let of = (run.step + 1, rhythm.steps.len() as u32);
                    on_batch(RhythmProgress { rhythm: &rhythm.name, step: step.name(), of, changed });
                    next
                }
                Err(why) => return Ok(RhythmOutcome::Left(why)),
            };
            match next {
                Some((step, place)) => (run.step, run.place) = (step, place),
                None => return Ok(RhythmOutcome::Done),
            }
        }
        Ok(RhythmOutcome::Left("it has no such step any more".to_owned()))
    }

    /// Decides and writes the next batch of a step: what comes next, what was noted and how many changes there were; or
    /// why the run has to be left.
    async fn batch(
        &self,
        rhythm: &Rhythm,
        step: RhythmStep,
        run: &RunRecord,
        holder: &str,
    ) -> Result<std::result::Result<WrittenBatch, String>> {
        for attempt in 0..MAX_ATTEMPTS {
            let begun = Instant::now();
            let layer =
                rhythm.layer.as_deref().and_then(|name| Some((name, self.config.layers.0.get(name)?)));
            let (config, beliefs) = (&self.config.rhythms, &self.config.beliefs);
            let (now, place, growth) = (run.as_of, run.place, &self.config.growth);
            let (coherence, standing) = (&self.config.coherence, self.config.standing);
            let context = StepContext { now, place, config, beliefs, coherence, growth, standing, layer };
            let decided = Box::pin(step.decide(self, &context)).await?;
            let next = match decided.next {
                Some(place) => Some((run.step, place)),
                None => Some((run.step + 1, 0)).filter(|(step, _)| (*step as usize) < rhythm.steps.len()),
            };
            let turn = RunProgress {
                run: run.clone(),
                holder: holder.to_owned(),
                lease_until: self.lease(),
                step: step.name(),
                next,
                worked_ms: begun.elapsed().as_millis() as u64,
            };
            let changed = decided.batch.changes();
            match self.store.tend(turn, decided.batch, self.now()).await? {
                BatchOutcome::Done(noted) => return Ok(Ok(WrittenBatch { next, noted, changed })),
                BatchOutcome::Lost => return Ok(Err("somebody else went on with it".to_owned())),
                BatchOutcome::Stale => {
                    tokio::time::sleep(pause_before(attempt)).await;
                }
            }
        }
        Ok(Err("too much was being written at the same time".to_owned()))
    }
}
