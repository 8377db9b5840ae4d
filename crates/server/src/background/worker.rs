//! The background work of one open agent: embed, form and refine what came in, run the rhythms that are due, and write the
//! indexes to disk. Leases keep other processes that work for the same agent from doing the same work.

use super::events::EventChannel;
use crate::metrics;
use cairn_domain::{HandoffReason, Time};
use cairn_engine::{Agent, Backlog, EngineError, Home, RhythmOutcome, RhythmReport, count_fallback};
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How often the worker looks for messages that other processes have added.
const POLL_EVERY: Duration = Duration::from_secs(2);
const CHECK_RHYTHMS_EVERY: Duration = Duration::from_secs(30);
/// How long a stage that failed is skipped.
const RETRY_AFTER: Duration = Duration::from_secs(30);
/// A queue that has not moved for this long is stuck.
const STUCK_AFTER: Duration = Duration::from_mins(2);
/// Repair notes kept for `/readyz`; older ones are dropped.
const MAX_NOTES: usize = 20;

/// A handle on an agent's background work, which ends when this is dropped.
pub(crate) struct BackgroundWorker {
    wake: Arc<Notify>,
    state: Arc<Mutex<WorkerStatus>>,
    _stop: DropGuard,
}

/// A snapshot of the background work, for `/readyz` and `/metrics`.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkerStatus {
    pub(crate) backlog: Backlog,
    /// The stages that failed when they last ran.
    pub(crate) failures: BTreeMap<&'static str, StageFailure>,
    /// Repairs made along the way.
    pub(crate) notes: Vec<String>,
    /// When a queue last changed its length.
    moved: Option<Instant>,
}

/// Why a stage of the background work failed.
#[derive(Debug, Clone)]
pub(crate) struct StageFailure {
    pub(crate) problem: String,
    pub(crate) hint: String,
}

impl WorkerStatus {
    /// Whether items are waiting and no queue has moved for [`STUCK_AFTER`].
    pub(crate) fn is_stuck(&self) -> bool {
        self.backlog.forming.waiting + self.backlog.embedding.waiting > 0
            && self.moved.is_some_and(|moved| moved.elapsed() > STUCK_AFTER)
    }

    fn add_notes(&mut self, notes: Vec<String>) {
        for note in notes {
            tracing::warn!(note, "repaired");
            self.notes.push(note);
        }
        let superfluous = self.notes.len().saturating_sub(MAX_NOTES);
        self.notes.drain(..superfluous);
    }

    fn update_backlog(&mut self, backlog: Backlog) {
        let waits = |backlog: &Backlog| (backlog.forming.waiting, backlog.embedding.waiting);
        if self.moved.is_none() || waits(&backlog) == (0, 0) || waits(&backlog) != waits(&self.backlog) {
            self.moved = Some(Instant::now());
        }
        self.backlog = backlog;
    }
}

impl BackgroundWorker {
    pub(crate) fn start(home: Home, agent: Agent, events: EventChannel, stop: CancellationToken) -> Self {
        let (wake, state) = (Arc::new(Notify::new()), Arc::new(Mutex::new(WorkerStatus::default())));
        let work = WorkLoop {
            home,
            agent,
            events,
            state: Arc::clone(&state),
            failed_at: BTreeMap::new(),
            messages_seen: None,
            rhythms_checked_at: None,
        };
        tokio::spawn(run(work, Arc::clone(&wake), stop.clone()));
        Self { wake, state, _stop: stop.drop_guard() }
    }

    /// Starts the next round now instead of at the next poll.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    pub(crate) fn status(&self) -> WorkerStatus {
        lock(&self.state).clone()
    }
}

async fn run(mut work: WorkLoop, wake: Arc<Notify>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = work.run_round() => {}
        }
        tokio::select! {
            () = stop.cancelled() => break,
            () = wake.notified() => {}
            () = tokio::time::sleep(POLL_EVERY) => {}
        }
    }
    let _ = work.agent.write_latest_handoff(HandoffReason::Shutdown).await;
    // The next worker need not wait until the leases expire.
    let _ = work.agent.release_leases().await;
    let _ = work.agent.tidy_up().await;
}

struct WorkLoop {
    home: Home,
    agent: Agent,
    events: EventChannel,
    state: Arc<Mutex<WorkerStatus>>,
    /// When each stage that failed last did so.
    failed_at: BTreeMap<&'static str, Instant>,
    /// The agent's messages at the last poll.
    messages_seen: Option<u32>,
    rhythms_checked_at: Option<Instant>,
}

impl WorkLoop {
    async fn run_round(&mut self) {
        // The indexes come first: questions are slow while one is broken.
        let tidied = self.agent.tidy_up().await;
        self.record_outcome("index", tidied);
        let Some(backlog) = self.poll_backlog().await else { return };
        if backlog.embedding.waiting > 0 && self.may_run("embedding") {
            let begun = Instant::now();
            let done = self.agent.embed(&mut |_| {}).await.map(drop);
            metrics::record_write_stage("embed_batch", begun.elapsed());
            self.record_outcome("embedding", done);
        }
        if backlog.forming.waiting > 0 && self.may_run("forming") {
            let (begun, state) = (Instant::now(), Arc::clone(&self.state));
            let done = self
                .agent
                .form(&mut |forming| {
                    let mut state = lock(&state);
                    state.backlog.forming.waiting = u64::from(forming.messages.saturating_sub(forming.done));
                    state.moved = Some(Instant::now());
                })
                .await;
            metrics::record_write_stage("form_batch", begun.elapsed());
            if let Ok(forming) = &done {
                self.events.publish("formed", || json!({"messages": forming.done}));
            }
            self.record_outcome("forming", done.map(drop));
            let heard = self.agent.hear_about_shared().await;
            self.record_outcome("hearing", heard.map(drop));
        }
        if self.may_run("handoff") {
            let written = self.agent.write_latest_handoff(HandoffReason::Exchange).await;
            self.record_outcome("handoff", written.map(drop));
        }
        if self.may_run("wording") {
            let worded = self.agent.word_handoffs().await;
            self.record_outcome("wording", worded.map(drop));
        }
        if backlog.refining > 0 && self.may_run("refining") {
            let begun = Instant::now();
            let done = self.agent.refine(&mut |_| {}).await;
            metrics::record_write_stage("refine_batch", begun.elapsed());
            if let Ok(refining) = &done {
                self.events
                    .publish("refined", || json!({"asked": refining.asked, "refined": refining.refined}));
                if refining.stopped.is_some() {
                    self.failed_at.insert("refining", Instant::now());
                }
            }
            self.record_outcome("refining", done.map(drop));
        }
        if self.rhythms_checked_at.is_none_or(|at| at.elapsed() > CHECK_RHYTHMS_EVERY)
            && self.may_run("rhythms")
        {
            self.rhythms_checked_at = Some(Instant::now());
            let done = self.agent.run_due_rhythms(&mut |_| {}).await;
            for report in done.as_deref().unwrap_or_default() {
                let done = report.outcome == RhythmOutcome::Done;
                self.events
                    .publish("rhythm", || json!({"rhythm": report.rhythm, "run": report.run, "done": done}));
            }
            let believed = done.as_deref().unwrap_or_default().iter().any(RhythmReport::is_about_beliefs);
            self.record_outcome("rhythms", done.map(drop));
            if believed {
                self.verify_low_risk_beliefs().await;
            }
        }
        let tidied = self.agent.tidy_up().await;
        self.record_outcome("index", tidied);
        self.poll_backlog().await;
    }

    /// Verifies the beliefs that an operator has declared low-risk in advance.
    async fn verify_low_risk_beliefs(&mut self) {
        match cairn_operator::apply_low_risk(&self.home, self.agent.name()).await {
            Ok(done) => {
                for outcome in done {
                    let (belief, receipt) = (outcome.belief, outcome.receipt.number);
                    self.events.publish("changed", || json!({"ref": belief, "receipt": receipt}));
                }
            }
            Err(error) => {
                tracing::warn!(error = %error, hint = error.hint(), "could not verify low-risk beliefs");
            }
        }
    }

    /// Reads the backlog, and publishes an event for messages that arrived since the last time.
    async fn poll_backlog(&mut self) -> Option<Backlog> {
        let backlog = self.agent.backlog().await;
        let found = backlog.as_ref().ok().cloned();
        if let Some(backlog) = &found {
            let before = self.messages_seen.replace(backlog.messages);
            let came = before.map_or(0, |before| backlog.messages.saturating_sub(before));
            if came > 0 {
                self.events.publish("grown", || json!({"messages": backlog.messages, "new": came}));
            }
            let mut state = lock(&self.state);
            state.update_backlog(backlog.clone());
            state.add_notes(self.agent.take_notes());
        }
        self.record_outcome("store", backlog.map(drop));
        found
    }

    /// Whether the stage has not just failed.
    fn may_run(&self, stage: &'static str) -> bool {
        self.failed_at.get(stage).is_none_or(|failed| failed.elapsed() > RETRY_AFTER)
    }

    fn record_outcome(&mut self, stage: &'static str, done: Result<(), EngineError>) {
        match done {
            Ok(()) => {
                lock(&self.state).failures.remove(stage);
            }
            Err(error) => {
                let failure = StageFailure { problem: error.to_string(), hint: error.hint() };
                let logged_before = lock(&self.state).failures.insert(stage, failure);
                if logged_before.is_none() {
                    tracing::warn!(stage, error = %error, hint = error.hint(), "background work failed");
                }
                self.failed_at.insert(stage, Instant::now());
                count_fallback(stage);
            }
        }
    }
}

/// How long the oldest item of a queue has waited.
pub(crate) fn lag_seconds(oldest: Option<Time>, now: Time) -> f64 {
    oldest.map_or(0.0, |oldest| (now.millis() - oldest.millis()).max(0) as f64 / 1e3)
}

fn lock(state: &Mutex<WorkerStatus>) -> MutexGuard<'_, WorkerStatus> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
