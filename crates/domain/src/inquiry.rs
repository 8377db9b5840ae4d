//! Inquiries: something that does not fit, thought about in three passes with time between them. A pass that was missed is made
//! up at the next chance; whatever is killed, each pass counts once.

use crate::{MILLIS_PER_HOUR, Time, word::words};

/// Time between the first pass and the second.
pub const CONNECT_AFTER_MS: i64 = 4 * MILLIS_PER_HOUR;
/// Time between the second pass and the third.
pub const SYNTHESIZE_AFTER_MS: i64 = 20 * MILLIS_PER_HOUR;

words!(
    /// Why an inquiry was opened.
    InquirySource, "a source of an inquiry" {
        /// Somebody set the agent right.
        Correction = "correction",
        /// Two things that were said cannot both hold.
        Contradiction = "contradiction",
        /// Somebody questioned who the agent is.
        IdentityChallenge = "identity_challenge",
        /// An exchange that did not fit together in several ways.
        Entropy = "entropy",
    }
);

words!(
    /// A pass over an inquiry.
    ContemplationPass, "a pass" {
        /// The matter, and what is uncertain about it.
        Clarify = "clarify",
        /// Which memories and other inquiries it belongs to.
        Connect = "connect",
        /// The outcome, in one sentence.
        Synthesize = "synthesize",
    }
);

words!(
    /// How long an inquiry settles between its passes.
    Settling, "a way of settling" {
        /// Four hours, then twenty.
        Spaced = "spaced",
        /// Not at all: every pass is due at once. For comparison.
        Immediate = "immediate",
    }
);

impl ContemplationPass {
    /// The time that must have passed since the pass before it.
    pub fn delay_ms(self, settling: Settling) -> i64 {
        match (settling, self) {
            (Settling::Immediate, _) | (Settling::Spaced, Self::Clarify) => 0,
            (Settling::Spaced, Self::Connect) => CONNECT_AFTER_MS,
            (Settling::Spaced, Self::Synthesize) => SYNTHESIZE_AFTER_MS,
        }
    }
}

/// How far an inquiry is: the passes that are done, and when the next one is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InquiryProgress {
    /// Passes that are done.
    pub passes: u32,
    /// When the next pass is due; none if all are done.
    pub due_at: Option<Time>,
}

impl InquiryProgress {
    /// An inquiry that was just opened: its first pass is due at once.
    pub fn opened(at: Time) -> Self {
        Self { passes: 0, due_at: Some(at) }
    }

    /// The pass that comes next; none if all are done.
    pub fn next_pass(&self) -> Option<ContemplationPass> {
        ContemplationPass::ALL.get(self.passes as usize).copied()
    }

    /// The pass that is due at `now`.
    pub fn due_pass(&self, now: Time) -> Option<ContemplationPass> {
        self.next_pass().filter(|_| self.due_at.is_some_and(|due| due <= now))
    }

    /// How far it is once the next pass was made at `at`.
    pub fn after_pass(&self, at: Time, settling: Settling) -> Self {
        let passes = (self.passes + 1).min(ContemplationPass::ALL.len() as u32);
        let next = Self { passes, due_at: None };
        let due = |pass: ContemplationPass| Time::from_millis(at.millis() + pass.delay_ms(settling));
        Self { due_at: next.next_pass().map(due), ..next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// covers: W-75, W-76, W-77, X-W7
    #[test]
    fn three_passes_four_hours_and_then_twenty_hours_apart() {
        let at = |hours: i64| Time::from_millis(hours * MILLIS_PER_HOUR);
        let opened = InquiryProgress::opened(at(0));
        assert_eq!(opened.due_pass(at(0)), Some(ContemplationPass::Clarify));
        let clarified = opened.after_pass(at(0), Settling::Spaced);
        assert_eq!((clarified.due_at, clarified.due_pass(at(3))), (Some(at(4)), None));
        // Made up late: what follows counts from then.
        let connected = clarified.after_pass(at(9), Settling::Spaced);
        assert_eq!((connected.due_at, connected.due_pass(at(28))), (Some(at(29)), None));
        assert_eq!(connected.due_pass(at(29)), Some(ContemplationPass::Synthesize));
        let done = connected.after_pass(at(40), Settling::Spaced);
        assert_eq!((done.next_pass(), done.due_at), (None, None));
        let hasty = opened.after_pass(at(0), Settling::Immediate).after_pass(at(0), Settling::Immediate);
        assert_eq!(hasty.due_pass(at(0)), Some(ContemplationPass::Synthesize));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Whenever somebody looks, however often, and whatever is lost on the way: every pass is made once, in order, and never
        /// sooner than its time.
        ///
        /// covers: W-75, W-76, W-77, W-78
        #[test]
        fn every_pass_is_made_once_in_order_and_in_its_time(
            looks in proptest::collection::vec((0_i64..30 * MILLIS_PER_HOUR, any::<bool>()), 1..60),
        ) {
            let mut progress = InquiryProgress::opened(Time::from_millis(0));
            let (mut now, mut made) = (0, Vec::new());
            for (later, is_killed) in looks {
                now += later;
                let Some(pass) = progress.due_pass(Time::from_millis(now)) else { continue };
                // What is killed before it commits leaves everything as it was.
                if !is_killed {
                    made.push((pass, now));
                    progress = progress.after_pass(Time::from_millis(now), Settling::Spaced);
                }
            }
            let passes: Vec<ContemplationPass> = made.iter().map(|(pass, _)| *pass).collect();
            prop_assert_eq!(&passes[..], &ContemplationPass::ALL[..passes.len()]);
            for pair in made.windows(2) {
                prop_assert!(pair[1].1 - pair[0].1 >= pair[1].0.delay_ms(Settling::Spaced));
            }
            prop_assert_eq!(progress.due_at.is_none(), made.len() == 3);
        }
    }
}
