//! Deciding again after somebody else was quicker. What is decided rests on a version of the memory, and a commit on an
//! older version is refused, so whoever is overtaken decides anew, a bounded number of times.

use crate::error::{EngineError, Result};
use std::time::Duration;

/// Attempts before giving up: more than half a minute of being overtaken.
const MAX_ATTEMPTS: u64 = 500;
/// The longest pause before the next attempt.
const MAX_PAUSE: Duration = Duration::from_millis(64);

/// Counts the attempts at one piece of work.
pub(crate) struct Attempts {
    doing: &'static str,
    overtaken: u64,
}

impl Attempts {
    /// No attempt yet at `doing`, which the error names.
    pub(crate) fn at(doing: &'static str) -> Self {
        Self { doing, overtaken: 0 }
    }

    /// Waits before the next attempt; an error once it was tried too often.
    pub(crate) async fn overtaken(&mut self) -> Result<()> {
        self.overtaken += 1;
        if self.overtaken >= MAX_ATTEMPTS {
            return Err(EngineError::Contended { doing: self.doing, attempts: self.overtaken });
        }
        tokio::time::sleep(pause_before(self.overtaken)).await;
        Ok(())
    }
}

/// The pause before another attempt, after `overtaken` attempts: longer each time, so that whoever was quicker can move on.
pub(crate) fn pause_before(overtaken: u64) -> Duration {
    Duration::from_millis(overtaken).min(MAX_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn whoever_is_always_overtaken_gives_up_and_says_so() {
        let mut attempts = Attempts::at("form msg_1");
        let begun = tokio::time::Instant::now();
        let given_up = loop {
            if let Err(error) = attempts.overtaken().await {
                break error;
            }
        };
        assert_eq!(
            given_up.to_string(),
            "could not form msg_1: other processes wrote at the same time, 500 times in a row"
        );
        assert!(given_up.hint().contains("again"), "{}", given_up.hint());
        assert!((25..60).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    }
}
