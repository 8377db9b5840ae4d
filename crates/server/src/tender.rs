//! The work behind an agent that is open: what came in gets its vectors, is looked at for what is worth remembering, and,
//! where there is a language model, is said more clearly; rhythms that are due are carried out; indexes are written down. Whoever else works for the agent,
//! leases keep two from doing the same.

use crate::{events::Events, meter};
use cairn_domain::Time;
use cairn_engine::{Agent, Backlog, EngineError, Home, RhythmOutcome, RhythmReport};
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How often it looks for what others have brought in.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How often rhythms are asked whether they are due.
const RHYTHMS_EVERY: Duration = Duration::from_secs(30);
/// How long something that failed is left alone.
const STEP_BACK: Duration = Duration::from_secs(30);
/// A queue that has not moved for so long is stuck.
const STUCK_AFTER: Duration = Duration::from_mins(2);
/// Notes about repairs that are kept.
const MOST_NOTES: usize = 20;

/// The one who works behind an agent. The work ends when this is dropped.
pub(crate) struct Tender {
    wake: Arc<Notify>,
    state: Arc<Mutex<State>>,
    _stop: DropGuard,
}

/// How the work stands.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// What waits.
    pub(crate) backlog: Backlog,
    /// What went wrong last, and what to do, by what it was about.
    pub(crate) troubles: BTreeMap<&'static str, (String, String)>,
    /// What was repaired on the way.
    pub(crate) notes: Vec<String>,
    /// When the queues last moved.
    moved: Option<Instant>,
}

impl State {
    /// Whether something waits and nothing has moved for long.
    pub(crate) fn is_stuck(&self) -> bool {
        self.backlog.forming.waiting + self.backlog.embedding.waiting > 0
            && self.moved.is_some_and(|moved| moved.elapsed() > STUCK_AFTER)
    }

    fn note(&mut self, notes: Vec<String>) {
        for note in notes {
            tracing::warn!(note, "repaired on the way");
            self.notes.push(note);
        }
        let superfluous = self.notes.len().saturating_sub(MOST_NOTES);
        self.notes.drain(..superfluous);
    }

    fn see(&mut self, backlog: Backlog) {
        let waits = |backlog: &Backlog| (backlog.forming.waiting, backlog.embedding.waiting);
        if self.moved.is_none() || waits(&backlog) == (0, 0) || waits(&backlog) != waits(&self.backlog) {
            self.moved = Some(Instant::now());
        }
        self.backlog = backlog;
    }
}

impl Tender {
    pub(crate) fn start(home: Home, agent: Agent, events: Events, stop: CancellationToken) -> Self {
        let (wake, state) = (Arc::new(Notify::new()), Arc::new(Mutex::new(State::default())));
        let work = Work {
            home,
            agent,
            events,
            state: Arc::clone(&state),
            left_alone: BTreeMap::new(),
            seen: None,
            rhythms_at: None,
        };
        tokio::spawn(run(work, Arc::clone(&wake), stop.clone()));
        Self { wake, state, _stop: stop.drop_guard() }
    }

    /// Something came in.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    pub(crate) fn state(&self) -> State {
        lock(&self.state).clone()
    }
}

async fn run(mut work: Work, wake: Arc<Notify>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            () = work.round() => {}
        }
        tokio::select! {
            () = stop.cancelled() => break,
            () = wake.notified() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
    // Whoever comes next need not wait until the leases have run out.
    let _ = work.agent.release_leases().await;
    let _ = work.agent.tidy_up().await;
}

struct Work {
    home: Home,
    agent: Agent,
    events: Events,
    state: Arc<Mutex<State>>,
    /// What failed, and when.
    left_alone: BTreeMap<&'static str, Instant>,
    /// How many messages there were when it last looked.
    seen: Option<u32>,
    /// When rhythms were last asked whether they are due.
    rhythms_at: Option<Instant>,
}

impl Work {
    async fn round(&mut self) {
        // First what makes questions quick, such as an index that was found broken.
        let tidied = self.agent.tidy_up().await;
        self.came_of("index", tidied);
        let Some(backlog) = self.look().await else { return };
        if backlog.embedding.waiting > 0 && self.may("embedding") {
            let begun = Instant::now();
            let done = self.agent.embed(&mut |_| {}).await.map(drop);
            meter::write("embed_batch", begun.elapsed());
            self.came_of("embedding", done);
        }
        if backlog.forming.waiting > 0 && self.may("forming") {
            let (begun, state) = (Instant::now(), Arc::clone(&self.state));
            let done = self
                .agent
                .form(&mut |forming| {
                    let mut state = lock(&state);
                    state.backlog.forming.waiting = u64::from(forming.messages.saturating_sub(forming.done));
                    state.moved = Some(Instant::now());
                })
                .await;
            meter::write("form_batch", begun.elapsed());
            if let Ok(forming) = &done {
                self.events.tell("formed", || json!({"messages": forming.done}));
            }
            self.came_of("forming", done.map(drop));
        }
        if backlog.refining > 0 && self.may("refining") {
            let begun = Instant::now();
            let done = self.agent.refine(&mut |_| {}).await;
            meter::write("refine_batch", begun.elapsed());
            if let Ok(refining) = &done {
                self.events.tell("refined", || json!({"asked": refining.asked, "refined": refining.refined}));
                if refining.stopped.is_some() {
                    self.left_alone.insert("refining", Instant::now());
                }
            }
            self.came_of("refining", done.map(drop));
        }
        if self.rhythms_at.is_none_or(|at| at.elapsed() > RHYTHMS_EVERY) && self.may("rhythms") {
            self.rhythms_at = Some(Instant::now());
            let done = self.agent.run_due_rhythms(&mut |_| {}).await;
            for report in done.as_deref().unwrap_or_default() {
                let done = report.outcome == RhythmOutcome::Done;
                self.events
                    .tell("rhythm", || json!({"rhythm": report.rhythm, "run": report.run, "done": done}));
            }
            let believed = done.as_deref().unwrap_or_default().iter().any(RhythmReport::is_about_beliefs);
            self.came_of("rhythms", done.map(drop));
            if believed {
                self.verify_what_was_declared().await;
            }
        }
        let tidied = self.agent.tidy_up().await;
        self.came_of("index", tidied);
        self.look().await;
    }

    /// Verifies what an operator has declared beforehand to need no look.
    async fn verify_what_was_declared(&mut self) {
        match cairn_operator::apply_low_risk(&self.home, self.agent.name()).await {
            Ok(done) => {
                for outcome in done {
                    let (belief, receipt) = (outcome.belief, outcome.receipt.number);
                    self.events.tell("changed", || json!({"ref": belief, "receipt": receipt}));
                }
            }
            Err(error) => {
                tracing::warn!(error = %error, hint = error.hint(), "what was declared was not verified");
            }
        }
    }

    /// What waits; and what others have brought in meanwhile is told.
    async fn look(&mut self) -> Option<Backlog> {
        let backlog = self.agent.backlog().await;
        let found = backlog.as_ref().ok().cloned();
        if let Some(backlog) = &found {
            let before = self.seen.replace(backlog.messages);
            let came = before.map_or(0, |before| backlog.messages.saturating_sub(before));
            if came > 0 {
                self.events.tell("grown", || json!({"messages": backlog.messages, "new": came}));
            }
            let mut state = lock(&self.state);
            state.see(backlog.clone());
            state.note(self.agent.take_notes());
        }
        self.came_of("store", backlog.map(drop));
        found
    }

    fn may(&self, what: &'static str) -> bool {
        self.left_alone.get(what).is_none_or(|failed| failed.elapsed() > STEP_BACK)
    }

    fn came_of(&mut self, what: &'static str, done: Result<(), EngineError>) {
        match done {
            Ok(()) => {
                lock(&self.state).troubles.remove(what);
            }
            Err(error) => {
                let told = lock(&self.state).troubles.insert(what, (error.to_string(), error.hint()));
                if told.is_none() {
                    tracing::warn!(what, error = %error, hint = error.hint(), "work behind the agent failed");
                }
                self.left_alone.insert(what, Instant::now());
                meter::fallback(what);
            }
        }
    }
}

/// How long the oldest of a queue has waited.
pub(crate) fn lag_seconds(oldest: Option<Time>, now: Time) -> f64 {
    oldest.map_or(0.0, |oldest| (now.millis() - oldest.millis()).max(0) as f64 / 1e3)
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
