//! The checks that a running server repeats: the backlog, who is working on it, and free disk space.

use crate::{agent::Agent, error::Result, home::Home, tend::check::Check};
use cairn_domain::Time;
use cairn_store::free_bytes;

/// Less room than this is too little to go on …
const MIN_FREE_BYTES: u64 = 64 << 20;
/// … and less than this wants a look.
const LOW_FREE_BYTES: u64 = 1 << 30;

/// A queue that has waited this long is reported.
const STUCK_AFTER_MS: i64 = 10 * 60_000;

/// Work that is still to be done for messages that were already acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Messages there are.
    pub messages: u32,
    /// Messages nobody has looked at yet for what is worth remembering.
    pub forming: Queue,
    /// Messages without their vectors; none where no embedder is wanted.
    pub embedding: Queue,
    /// Messages that could be put to a language model; none where there is none.
    pub refining: u64,
}

/// How much waits, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Queue {
    /// How many.
    pub waiting: u64,
    /// When the first of them was recorded.
    pub oldest: Option<Time>,
}

impl Agent {
    /// How many messages there are.
    pub async fn messages(&self) -> Result<u32> {
        Ok(self.store.read(|view| view.next_seq()).await?)
    }

    /// Work that is still to be done for messages that were already acknowledged.
    pub async fn backlog(&self) -> Result<Backlog> {
        let (formed, embedded) = (self.forming().await?, self.embedding().await?);
        let wanted = self.embedders.configured().spec().is_some();
        let (done, messages) = (if wanted { embedded.done } else { embedded.messages }, embedded.messages);
        let waiting = |done: u32, of: u32| u64::from(of.saturating_sub(done));
        let (forming, embedding) = (waiting(formed.done, formed.messages), waiting(done, messages));
        let seqs = [(forming, formed.done), (embedding, done)].map(|(waits, seq)| (waits > 0).then_some(seq));
        let [formed_at, embedded_at] = self
            .store
            .read(|view| {
                let mut at = [None; 2];
                for (at, seq) in at.iter_mut().zip(seqs) {
                    let record =
                        seq.map(|seq| view.messages_at(&[seq])).transpose()?.and_then(|mut it| it.pop());
                    *at = record.map(|record| record.message.recorded_at);
                }
                Ok(at)
            })
            .await?;
        let refining = if self.has_language_model() { self.stats().await?.pending_refinements } else { 0 };
        Ok(Backlog {
            messages,
            forming: Queue { waiting: forming, oldest: formed_at },
            embedding: Queue { waiting: embedding, oldest: embedded_at },
            refining,
        })
    }

    /// Whether what waits to be formed has waited for long; nothing otherwise.
    pub(super) async fn examine_queue(&self) -> Result<Option<Check>> {
        let Queue { waiting, oldest } = self.backlog().await?.forming;
        let waited = oldest.map_or(0, |oldest| self.now().millis() - oldest.millis());
        let found =
            || format!("{waiting} message(s) wait to be looked at, the first for {} min", waited / 60_000);
        Ok((waited > STUCK_AFTER_MS)
            .then(|| Check::warning("queue", found(), "run `cairn form`, or let `cairn serve` run")))
    }

    /// Gives back whatever work this process has in hand for the agent.
    pub async fn release_leases(&self) -> Result<()> {
        Ok(self.store.release_all_jobs(self.holder()).await?)
    }

    /// Gives back work that is held by somebody who is gone; what it was.
    pub(super) async fn release_dead_leases(&self) -> Result<Vec<String>> {
        let (now, jobs) = (self.now(), self.store.read(|view| view.jobs()).await?);
        let mut given_back = Vec::new();
        for job in jobs {
            let Some((holder, _)) = job.lease.filter(|(_, until)| *until < now) else { continue };
            self.store.release_all_jobs(holder).await?;
            given_back.push(job.name);
        }
        Ok(given_back)
    }

    /// Whether the agent can be read, and whether work is held by somebody who is gone. Quick, and changes nothing.
    pub async fn readiness(&self) -> Result<Vec<Check>> {
        let (now, jobs) = (self.now(), self.store.read(|view| view.jobs()).await?);
        let mut checks = Vec::new();
        for job in jobs {
            let Some((holder, until)) = job.lease.filter(|(_, until)| *until < now) else { continue };
            let found = format!("{}: {} was held by {holder} until {until}", self.name, job.name);
            checks.push(Check::warning(
                "lease",
                found,
                "`cairn doctor --fix`, or nothing: whoever works next takes it over",
            ));
        }
        Ok(checks)
    }
}

impl Home {
    /// Whether the home can be written and has room; whether the database answers, if one keeps the agents.
    pub async fn readiness(&self) -> Vec<Check> {
        let mut checks = vec![self.check_home(), self.check_disk()];
        if let Some(server) = self.server() {
            checks.push(match cairn_store::list_access_keys(std::sync::Arc::clone(server)).await {
                Ok(_) => Check::good("database", format!("{server} answers")),
                Err(error) => Check::bad("database", error.to_string(), error.hint()),
            });
        }
        checks
    }

    /// Whether there is room.
    pub(super) fn check_disk(&self) -> Check {
        match free_bytes(self.path()) {
            Ok(free) => free_space_check(free),
            Err(error) => Check::warning("disk", error.to_string(), "check the disk"),
        }
    }
}

/// Whether this many free bytes are enough.
fn free_space_check(free: u64) -> Check {
    let found = format!("{} MiB are free", free >> 20);
    if free < MIN_FREE_BYTES {
        Check::bad("disk", found, "free some space; nothing acknowledged was lost")
    } else if free < LOW_FREE_BYTES {
        Check::warning("disk", found, "free some space")
    } else {
        Check::good("disk", found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tend::check::Health;

    /// covers: C-252
    #[test]
    fn a_disk_without_room_is_told_before_it_is_full() {
        let found = [0, MIN_FREE_BYTES - 1, MIN_FREE_BYTES, LOW_FREE_BYTES - 1, LOW_FREE_BYTES]
            .map(|free| free_space_check(free).health);
        assert_eq!(found, [Health::Bad, Health::Bad, Health::Warning, Health::Warning, Health::Good]);
    }
}
