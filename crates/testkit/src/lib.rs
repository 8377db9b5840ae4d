//! Tools for tests that the product must not have: a clock that jumps ([`SimulatedClock`]), a disk that forgets what
//! was not synced ([`LossyDisk`]), small conversations ([`say`]), a PostgreSQL server ([`postgres`]), and the
//! [`conformance`] suite that every store passes.

pub mod conformance;
mod disk;
pub mod postgres;

pub use disk::LossyDisk;

use cairn_domain::{Draft, Role, Time};
use cairn_engine::{Clock, Home};
use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

/// A clock that stands where it is put.
pub struct SimulatedClock(AtomicI64);

impl SimulatedClock {
    /// A clock that stands at `time` (RFC 3339).
    ///
    /// # Panics
    /// If `time` is not a time.
    pub fn at(time: &str) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(parse(time).millis())))
    }

    /// Puts the clock to `time`, forward or backward.
    ///
    /// # Panics
    /// If `time` is not a time.
    pub fn set(&self, time: &str) {
        self.0.store(parse(time).millis(), Ordering::Relaxed);
    }

    /// Lets `ms` milliseconds pass.
    pub fn pass_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::Relaxed))
    }
}

fn parse(time: &str) -> Time {
    time.parse().unwrap_or_else(|_| panic!("`{time}` is not a time"))
}

/// A message in a session, with the caller's id.
pub fn say(id: &str, session: &str, role: Role, text: &str) -> Draft {
    Draft { source_id: Some(id.to_owned()), session: Some(session.to_owned()), ..Draft::new(role, text) }
}

/// A home in a folder of its own, which is removed with the returned guard.
///
/// # Panics
/// If the folder cannot be made.
pub fn home(clock: Arc<SimulatedClock>) -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let home = Home::new(folder.path(), clock).expect("a home");
    (folder, home)
}

/// Runs a future to its end.
///
/// # Panics
/// If no runtime can be started.
pub fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}
