//! Clocks that do not depend on the date.

use cairn_domain::Time;
use cairn_engine::{Clock, Home};
use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Instant,
};

/// When every measurement takes place.
const START_MS: i64 = 1_794_700_800_000;

/// A clock that always shows the same time.
pub(crate) struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Time {
        Time::from_millis(START_MS)
    }
}

/// A clock that runs on from the same time. The processes that are measured are told it.
pub(crate) struct TickingClock(Instant);

impl TickingClock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for TickingClock {
    fn now(&self) -> Time {
        Time::from_millis(START_MS + self.0.elapsed().as_millis() as i64)
    }
}

/// The clock of the home that measures, for what is measured beside a server: a hook that is told the time asks none.
pub(crate) struct HomeClock(pub(crate) Home);

impl Clock for HomeClock {
    fn now(&self) -> Time {
        self.0.now()
    }
}

/// A clock that shows the time it was last set to.
pub(crate) struct SettableClock(AtomicI64);

impl SettableClock {
    pub(crate) fn at(ms: i64) -> Self {
        Self(AtomicI64::new(ms))
    }

    pub(crate) fn set(&self, ms: i64) {
        self.0.store(ms, Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::Relaxed);
    }
}

impl Clock for SettableClock {
    fn now(&self) -> Time {
        Time::from_millis(self.0.load(Ordering::Relaxed))
    }
}
