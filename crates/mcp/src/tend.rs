//! Tending: while nobody calls, what came in is formed, embedded and, if there is a language model, refined. One slice at a
//! time, so that a call never waits long; other processes may do the same, and leases keep them apart.

use cairn_engine::Agent;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Notify, time::sleep};

/// Nobody has called for so long: then there is time.
const QUIET: Duration = Duration::from_millis(300);
/// How often it is looked whether something came in by another way.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// One slice of forming or of embedding.
const SLICE: Duration = Duration::from_secs(2);
/// Slices in one go.
const SLICES: usize = 1_000;

/// What is going on in this process.
#[derive(Debug, Default)]
pub(crate) struct Tending {
    calls: AtomicUsize,
    nudged: Notify,
}

/// A call that is going on.
pub(crate) struct Busy(Arc<Tending>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Tending {
    /// Says that a call is going on, for as long as this is kept.
    pub(crate) fn busy(self: &Arc<Self>) -> Busy {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(self))
    }

    /// Says that something came in.
    pub(crate) fn nudge(&self) {
        self.nudged.notify_one();
    }

    async fn quiet(&self) {
        loop {
            sleep(QUIET).await;
            if self.calls.load(Ordering::Relaxed) == 0 {
                return;
            }
        }
    }
}

/// Tends for as long as it is polled. What fails is tried again later, and `doctor` tells what is wrong.
pub(crate) async fn tend(agent: Agent, tending: Arc<Tending>) {
    loop {
        for _ in 0..SLICES {
            tending.quiet().await;
            match agent.form_within(SLICE).await {
                Ok(false) => {}
                Ok(true) | Err(_) => break,
            }
        }
        for _ in 0..SLICES {
            tending.quiet().await;
            match agent.embed_within(SLICE).await {
                Ok(false) => {}
                Ok(true) | Err(_) => break,
            }
        }
        if agent.has_language_model() {
            let _ = agent.refine(&mut |_| {}).await;
        }
        let _ = agent.tidy_up().await;
        tokio::select! {
            () = tending.nudged.notified() => {}
            () = sleep(LOOK_AGAIN) => {}
        }
    }
}
