//! A bounded restart: an interrupted session goes on only where it was, in three phases with budgets of calls that were said before.
//! Nothing is tried again in silence, and whatever does not fit hands back to whoever started it.

use crate::{AgentName, Invalid, MessageId, word::words};
use schemars::JsonSchema;
use serde::Serialize;
use std::{fmt, str::FromStr};

/// Calls to reach the server.
const REACH_CALLS: u32 = 2;
/// Calls to compare the session's key.
const IDENTITY_CALLS: u32 = 1;

words!(
    /// A phase of a restart.
    RestartPhase, "a phase of a restart" {
        /// The server is reached, and tells the key of the session.
        Reach = "reach",
        /// The key is asked for again and compared with the one that is expected.
        Identity = "identity",
        /// The session goes on.
        Continue = "continue",
    }
);

words!(
    /// How a restart ended.
    RestartExit, "an end of a restart" {
        /// Everything that was planned is done.
        Continued = "continued",
        /// A phase has used its calls.
        BudgetSpent = "budget_spent",
        /// The same failure came twice.
        SameFailureTwice = "same_failure_twice",
        /// The session is not the one that is expected; nothing was written.
        KeyMismatch = "key_mismatch",
        /// A call of the continuation failed; it is not tried again.
        CallFailed = "call_failed",
    }
);

/// The canonical key of a session: wherever the same session is, it has the same key, and another one has another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey {
    /// Whose session it is.
    pub agent: AgentName,
    /// Its name.
    pub session: String,
    /// Its first message.
    pub first: MessageId,
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.agent, self.session, self.first)
    }
}

impl FromStr for SessionKey {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let parts = text.split_once('/').and_then(|(agent, rest)| Some((agent, rest.rsplit_once('/')?)));
        let (agent, (session, first)) = parts.ok_or_else(|| {
            let hint = "`cairn restart plan SESSION` shows it: main/s-17/msg_…";
            Invalid::new(format!("`{}` is not a session key", text.escape_debug()), hint)
        })?;
        Ok(Self { agent: agent.parse()?, session: session.to_owned(), first: first.parse()? })
    }
}

/// One call that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RestartStep {
    /// Its phase.
    pub phase: RestartPhase,
    /// Which call of its phase, from 1.
    pub call: u32,
    /// The shape of its failure; none if it went well.
    pub failure: Option<String>,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestartAnswer {
    /// The key of the session.
    Key(String),
    /// A part of the continuation is done.
    Done,
    /// It failed, in this way.
    Failed(String),
}

/// A restart while it goes on: it says which call comes next, and is told what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundedRestart {
    expected_key: String,
    planned_calls: u32,
    continue_calls: u32,
    phase: RestartPhase,
    calls_of_phase: u32,
    last_key: Option<String>,
    steps: Vec<RestartStep>,
    exit: Option<RestartExit>,
}

impl BoundedRestart {
    /// A restart of the session with this key, whose continuation takes `planned_calls` and may take `continue_calls`.
    pub fn new(expected_key: String, planned_calls: u32, continue_calls: u32) -> Self {
        Self {
            expected_key,
            planned_calls,
            continue_calls,
            phase: RestartPhase::Reach,
            calls_of_phase: 0,
            last_key: None,
            steps: Vec::new(),
            exit: None,
        }
    }

    /// The calls that a phase may take. What one does not use is no other's.
    pub fn budget(&self, phase: RestartPhase) -> u32 {
        match phase {
            RestartPhase::Reach => REACH_CALLS,
            RestartPhase::Identity => IDENTITY_CALLS,
            RestartPhase::Continue => self.continue_calls,
        }
    }

    /// The next call, as its phase and its place in it from 0, or how it ended.
    pub fn next_call(&self) -> Result<(RestartPhase, u32), RestartExit> {
        match self.exit {
            Some(exit) => Err(exit),
            None if self.calls_of_phase >= self.budget(self.phase) => Err(RestartExit::BudgetSpent),
            None => Ok((self.phase, self.calls_of_phase)),
        }
    }

    /// Takes in what became of the call that [`Self::next_call`] named.
    pub fn take_answer(&mut self, answer: RestartAnswer) {
        let phase = self.phase;
        self.calls_of_phase += 1;
        let failure = match &answer {
            RestartAnswer::Failed(shape) => Some(shape.clone()),
            RestartAnswer::Key(_) | RestartAnswer::Done => None,
        };
        let twice = failure.is_some() && self.steps.iter().any(|step| step.failure == failure);
        self.steps.push(RestartStep { phase, call: self.calls_of_phase, failure });
        match (phase, answer) {
            (RestartPhase::Continue, RestartAnswer::Failed(_)) => self.exit = Some(RestartExit::CallFailed),
            (_, RestartAnswer::Failed(_)) if twice => self.exit = Some(RestartExit::SameFailureTwice),
            (RestartPhase::Reach, RestartAnswer::Key(key)) => {
                self.last_key = Some(key);
                self.enter(RestartPhase::Identity);
            }
            (RestartPhase::Identity, RestartAnswer::Key(key)) => {
                let is_same = key == self.expected_key && self.last_key.as_ref() == Some(&key);
                self.last_key = Some(key);
                if is_same {
                    self.enter(RestartPhase::Continue);
                } else {
                    self.exit = Some(RestartExit::KeyMismatch);
                }
            }
            (RestartPhase::Continue, RestartAnswer::Key(_) | RestartAnswer::Done)
                if self.calls_of_phase >= self.planned_calls =>
            {
                self.exit = Some(RestartExit::Continued);
            }
            // The phase's budget decides whether there is another call.
            (_, RestartAnswer::Failed(_) | RestartAnswer::Key(_) | RestartAnswer::Done) => {}
        }
    }

    fn enter(&mut self, phase: RestartPhase) {
        (self.phase, self.calls_of_phase) = (phase, 0);
    }

    /// Every call that was made.
    pub fn steps(&self) -> &[RestartStep] {
        &self.steps
    }

    /// The key that was told last.
    pub fn last_key(&self) -> Option<&str> {
        self.last_key.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn answers(words: &str) -> Vec<RestartAnswer> {
        let answer = |word: &str| match word {
            "done" => RestartAnswer::Done,
            "timeout" | "refused" | "500" => RestartAnswer::Failed(word.to_owned()),
            key => RestartAnswer::Key(key.to_owned()),
        };
        words.split_whitespace().map(answer).collect()
    }

    fn run(budget: u32, said: Vec<RestartAnswer>) -> BoundedRestart {
        let mut restart = BoundedRestart::new("k".to_owned(), 2, budget);
        for answer in said {
            if restart.next_call().is_err() {
                break;
            }
            restart.take_answer(answer);
        }
        restart
    }

    /// covers: W-174, W-175, W-176, W-177
    #[test]
    fn a_restart_goes_on_only_where_it_was_and_within_its_budgets() {
        use RestartExit::{BudgetSpent, CallFailed, Continued, KeyMismatch, SameFailureTwice};
        for (said, budget, exit, calls, last_key) in [
            ("k k done done", 2, Continued, 4, Some("k")),
            ("timeout k k done done", 2, Continued, 5, Some("k")),
            ("timeout timeout k", 2, SameFailureTwice, 2, None),
            ("timeout refused k", 2, BudgetSpent, 2, None),
            ("k other", 2, KeyMismatch, 2, Some("other")),
            ("other k", 2, KeyMismatch, 2, Some("k")),
            ("other other", 2, KeyMismatch, 2, Some("other")),
            ("k timeout k", 2, BudgetSpent, 2, Some("k")),
            ("timeout k timeout", 2, SameFailureTwice, 3, Some("k")),
            ("k k done done", 1, BudgetSpent, 3, Some("k")),
            ("k k 500 done", 2, CallFailed, 3, Some("k")),
            ("k k done", 0, BudgetSpent, 2, Some("k")),
        ] {
            let restart = run(budget, answers(said));
            let ended = (restart.next_call(), restart.steps().len(), restart.last_key());
            assert_eq!(ended, (Err(exit), calls, last_key), "{said} with {budget}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// covers: W-175, W-177
        #[test]
        fn no_phase_borrows_calls_and_nothing_is_written_without_two_equal_keys(
            said in prop::collection::vec(0_usize..5, 0..12), budget in 0_u32..4,
        ) {
            let words = ["k", "other", "timeout", "refused", "done"];
            let said: Vec<&str> = said.into_iter().map(|at| words[at]).collect();
            let restart = run(budget, answers(&said.join(" ")));
            for phase in RestartPhase::ALL {
                let made = restart.steps().iter().filter(|step| step.phase == phase).count();
                prop_assert!(made <= restart.budget(phase) as usize);
            }
            if restart.steps().iter().any(|step| step.phase == RestartPhase::Continue) {
                prop_assert!(said.iter().take(3).filter(|word| **word == "k").count() >= 2);
            }
        }
    }
}
