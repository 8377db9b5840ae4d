//! Figures of everything that passed: no words, no names, no keys.

use serde_json::{Value, json};
use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
};

/// Why an exchange was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// Too many waited already.
    QueueFull,
    /// A body was larger than what is kept of one, or too many were open at once.
    TooLarge,
    /// Its bodies say nothing that can be read.
    Unreadable,
    /// The memory refuses it.
    Refused,
    /// The memory was away until the proxy was stopped.
    MemoryAway,
}

impl Loss {
    const ALL: [Self; 5] =
        [Self::QueueFull, Self::TooLarge, Self::Unreadable, Self::Refused, Self::MemoryAway];

    /// Its name in figures and logs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
            Self::Refused => "refused",
            Self::MemoryAway => "memory_away",
        }
    }
}

/// Counters of one proxy.
#[derive(Debug, Default)]
pub(crate) struct ProxyCounts {
    pub(crate) requests: AtomicU64,
    /// Requests that the upstream could not be asked, or did not answer in time.
    pub(crate) upstream_failures: AtomicU64,
    /// Exchanges handed over to be recorded.
    pub(crate) submitted: AtomicU64,
    /// Exchanges whose every word is durable.
    pub(crate) recorded: AtomicU64,
    /// Messages that were new.
    pub(crate) messages: AtomicU64,
    /// Answers of which nothing is recorded, while what was asked is.
    pub(crate) answers_unread: AtomicU64,
    /// Times that the memory could not be written to; what waits is tried again.
    pub(crate) retries: AtomicU64,
    pub(crate) contexts_added: AtomicU64,
    /// Contexts that were wanted and could not be had in time.
    pub(crate) contexts_missed: AtomicU64,
    losses: [AtomicU64; Loss::ALL.len()],
}

/// Adds one.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl ProxyCounts {
    /// Counts an exchange that is not recorded, and says so: at first each time, then ever more rarely.
    pub(crate) fn lose(&self, loss: Loss, exchanges: u64) {
        let before = self.losses[loss as usize].fetch_add(exchanges, Ordering::Relaxed);
        let now = before + exchanges;
        if (before + 1..=now).any(u64::is_power_of_two) {
            tracing::warn!(why = loss.as_str(), exchanges = now, "not recorded");
        }
    }

    /// Exchanges that are not recorded, whatever the reason.
    pub(crate) fn lost(&self) -> u64 {
        self.losses.iter().map(read).sum()
    }

    /// Exchanges that still wait to be recorded.
    pub(crate) fn waiting(&self) -> u64 {
        read(&self.submitted).saturating_sub(read(&self.recorded) + self.lost())
    }

    fn figures(&self) -> [(&'static str, u64); 9] {
        [
            ("requests", read(&self.requests)),
            ("upstream_failures", read(&self.upstream_failures)),
            ("recorded", read(&self.recorded)),
            ("messages", read(&self.messages)),
            ("answers_unread", read(&self.answers_unread)),
            ("waiting", self.waiting()),
            ("retries", read(&self.retries)),
            ("contexts_added", read(&self.contexts_added)),
            ("contexts_missed", read(&self.contexts_missed)),
        ]
    }

    fn losses(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        Loss::ALL.into_iter().map(|loss| (loss.as_str(), read(&self.losses[loss as usize])))
    }

    /// For programs.
    pub(crate) fn to_json(&self) -> Value {
        let mut all: serde_json::Map<String, Value> =
            self.figures().into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        let losses: serde_json::Map<String, Value> =
            self.losses().map(|(why, value)| (why.to_owned(), value.into())).collect();
        all.insert("not_recorded".to_owned(), json!(losses));
        Value::Object(all)
    }

    /// In Prometheus' text format.
    pub(crate) fn to_metrics(&self) -> String {
        let mut text = String::new();
        for (name, value) in self.figures() {
            let _ = writeln!(text, "cairn_proxy_{name} {value}");
        }
        for (why, value) in self.losses() {
            let _ = writeln!(text, "cairn_proxy_not_recorded{{why=\"{why}\"}} {value}");
        }
        text
    }
}
