//! What leaves a model alone that fails again and again.

use std::time::Duration;
use tokio::time::Instant;

/// After so many failures in a row a model rests.
const FAILURES: u32 = 5;
/// So long it rests; then one call may try whether it is well again.
const REST: Duration = Duration::from_mins(1);

/// The failures of one model.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    failures: u32,
    rests_until: Option<Instant>,
}

impl Breaker {
    /// Whether a call may be made now. After a rest one may, and the rest begins anew until that one succeeds: it need not
    /// ever report back.
    pub(crate) fn admits(&mut self, now: Instant) -> bool {
        let admits = !self.rests(now);
        if admits && self.rests_until.is_some() {
            self.rests_until = Some(now + REST);
        }
        admits
    }

    /// Whether the model rests.
    pub(crate) fn rests(&self, now: Instant) -> bool {
        self.rests_until.is_some_and(|until| now < until)
    }

    /// A call succeeded.
    pub(crate) fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// A call failed.
    pub(crate) fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES {
            self.rests_until = Some(now + REST);
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
        let mut breaker = Breaker::default();
        for _ in 0..4 {
            breaker.failed(at(0));
        }
        assert!(breaker.admits(at(0)), "four are not enough");
        breaker.succeeded();
        for _ in 0..4 {
            breaker.failed(at(0));
            assert!(breaker.admits(at(0)), "a success begins the count anew");
        }
        breaker.failed(at(0));
        assert!(!breaker.admits(at(0)) && !breaker.admits(at(59)));
        assert!(breaker.admits(at(60)), "one may try");
        assert!(!breaker.admits(at(60)), "and only one");
        breaker.failed(at(70));
        assert!(!breaker.admits(at(129)), "a failed trial is a rest again");
        assert!(breaker.admits(at(130)));
        assert!(
            !breaker.admits(at(189)) && breaker.admits(at(190)),
            "a trial that never ended does not bar others"
        );
        breaker.succeeded();
        assert!(breaker.admits(at(190)) && breaker.admits(at(190)), "well again");
    }
}
