//! Background work: while nobody calls, what came in is formed, embedded and, if there is a language model, refined. One slice at a
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

/// Background work begins when nobody has called for this long.
const QUIET_FOR: Duration = Duration::from_millis(300);
/// How often to look for messages that other processes wrote.
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum time of one slice of forming or embedding.
const WORK_SLICE_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum slices of each kind before the next kind has its turn.
const MAX_SLICES_PER_ROUND: usize = 1_000;

/// The calls in progress, and the signal that new messages wait.
#[derive(Debug, Default)]
pub(crate) struct BackgroundWork {
    calls: AtomicUsize,
    new_messages: Notify,
}

/// Marks a call as in progress until it is dropped.
pub(crate) struct CallInProgress(Arc<BackgroundWork>);

impl Drop for CallInProgress {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

impl BackgroundWork {
    /// Marks a call as in progress for as long as the result is kept.
    pub(crate) fn call_begins(self: &Arc<Self>) -> CallInProgress {
        self.calls.fetch_add(1, Ordering::Relaxed);
        CallInProgress(Arc::clone(self))
    }

    /// Signals that new messages wait.
    pub(crate) fn signal_new_messages(&self) {
        self.new_messages.notify_one();
    }

    async fn wait_until_quiet(&self) {
        loop {
            sleep(QUIET_FOR).await;
            if self.calls.load(Ordering::Relaxed) == 0 {
                return;
            }
        }
    }
}

/// Works for as long as it is polled. What fails is tried again later, and `doctor` tells what is wrong.
pub(crate) async fn work_in_background(agent: Agent, work: Arc<BackgroundWork>) {
    loop {
        for _ in 0..MAX_SLICES_PER_ROUND {
            work.wait_until_quiet().await;
            match agent.form_within(WORK_SLICE_TIMEOUT).await {
                Ok(false) => {}
                Ok(true) | Err(_) => break,
            }
        }
        for _ in 0..MAX_SLICES_PER_ROUND {
            work.wait_until_quiet().await;
            match agent.embed_within(WORK_SLICE_TIMEOUT).await {
                Ok(false) => {}
                Ok(true) | Err(_) => break,
            }
        }
        if agent.has_language_model() {
            let _ = agent.refine(&mut |_| {}).await;
        }
        let _ = agent.tidy_up().await;
        tokio::select! {
            () = work.new_messages.notified() => {}
            () = sleep(IDLE_POLL_INTERVAL) => {}
        }
    }
}
