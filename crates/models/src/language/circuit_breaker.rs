//! Pauses a model that fails repeatedly.

use std::time::Duration;
use tokio::time::Instant;

/// Consecutive failures that open the breaker.
const MAX_FAILURES: u32 = 5;
/// How long the breaker stays open; then one trial call is let through.
const OPEN_FOR: Duration = Duration::from_mins(1);

/// The circuit breaker of one model.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    failures: u32,
    open_until: Option<Instant>,
}

impl CircuitBreaker {
    /// Whether a call may be made now. After a pause one trial call may, and the pause starts over until that call succeeds,
    /// because it may never report back.
    pub(crate) fn admits(&mut self, now: Instant) -> bool {
        let admits = !self.is_open(now);
        if admits && self.open_until.is_some() {
            self.open_until = Some(now + OPEN_FOR);
        }
        admits
    }

    /// Whether the model is paused.
    pub(crate) fn is_open(&self, now: Instant) -> bool {
        self.open_until.is_some_and(|until| now < until)
    }

    /// Closes the breaker.
    pub(crate) fn record_success(&mut self) {
        *self = Self::default();
    }

    /// Counts a failure, and opens the breaker if there were too many.
    pub(crate) fn record_failure(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= MAX_FAILURES {
            self.open_until = Some(now + OPEN_FOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_in_a_row_are_a_minute_of_rest_and_then_one_may_try() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut breaker = CircuitBreaker::default();
        for _ in 0..4 {
            breaker.record_failure(at(0));
        }
        assert!(breaker.admits(at(0)), "four are not enough");
        breaker.record_success();
        for _ in 0..4 {
            breaker.record_failure(at(0));
            assert!(breaker.admits(at(0)), "a success begins the count anew");
        }
        breaker.record_failure(at(0));
        assert!(!breaker.admits(at(0)) && !breaker.admits(at(59)));
        assert!(breaker.admits(at(60)), "one may try");
        assert!(!breaker.admits(at(60)), "and only one");
        breaker.record_failure(at(70));
        assert!(!breaker.admits(at(129)), "a failed trial is a rest again");
        assert!(breaker.admits(at(130)));
        assert!(
            !breaker.admits(at(189)) && breaker.admits(at(190)),
            "a trial that never ended does not bar others"
        );
        breaker.record_success();
        assert!(breaker.admits(at(190)) && breaker.admits(at(190)), "well again");
    }
}
