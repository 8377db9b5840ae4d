//! Work: the steps of one project with the requests they were made for, as detectors read it.

use super::{
    kind::{Friction, FrictionKind, WorkRef},
    signal::{WorkSignal, work_signal},
};
use crate::skill::{ToolMessage, ToolOutcome, ToolStep, failure_line};
use std::collections::{BTreeMap, BTreeSet};

/// Refs that friction gives as where it was seen, the newest.
const MAX_SEEN: usize = 8;

/// One thing that the user said.
#[derive(Debug, Clone, Copy)]
pub struct WorkRequest<'a> {
    /// The number of its exchange.
    pub exchange: i64,
    /// The number of its session.
    pub session: i64,
    /// The words.
    pub text: &'a str,
}

/// The work of one project.
#[derive(Debug, Clone, Copy)]
pub struct Work<'a> {
    /// Calls and results, in order.
    pub messages: &'a [ToolMessage<'a>],
    /// The steps that they make up.
    pub steps: &'a [ToolStep],
    /// The words of the user, in order.
    pub requests: &'a [WorkRequest<'a>],
}

impl Work<'_> {
    /// The signal right after the work of each exchange, in order, and the index of the request that gives it.
    pub fn signals(&self) -> Vec<(WorkSignal, usize)> {
        let worked: BTreeSet<i64> = self.messages.iter().map(|message| message.exchange).collect();
        let mut before: BTreeMap<i64, i64> = BTreeMap::new();
        let mut found = Vec::new();
        for (index, request) in self.requests.iter().enumerate() {
            let earlier = before.insert(request.session, request.exchange);
            let follows =
                earlier.is_some_and(|exchange| exchange != request.exchange && worked.contains(&exchange));
            found.extend(work_signal(request.text).filter(|_| follows).map(|signal| (signal, index)));
        }
        found
    }

    /// The signal right after the work of one exchange, and the index of the request that gives it.
    pub fn signal_after(&self, session: i64, exchange: i64) -> Option<(WorkSignal, usize)> {
        let later = |request: &&WorkRequest<'_>| request.session == session && request.exchange > exchange;
        let next = self.requests.iter().position(|request| later(&request))?;
        Some((work_signal(self.requests[next].text)?, next))
    }

    /// The exchange of a step.
    pub(super) fn exchange(&self, step: &ToolStep) -> i64 {
        self.messages[step.call].exchange
    }

    /// The words of the call of a step.
    pub(super) fn call(&self, step: &ToolStep) -> &str {
        self.messages[step.call].text
    }

    /// The words of the result of a step.
    pub(super) fn result(&self, step: &ToolStep) -> &str {
        self.messages[step.result].text
    }

    /// The steps that failed and that nothing was said about yet, by their index.
    pub(super) fn failed<'b>(
        &'b self,
        claimed: &'b BTreeSet<usize>,
    ) -> impl Iterator<Item = (usize, &'b ToolStep)> {
        let steps = self.steps.iter().enumerate();
        steps.filter(|(index, step)| step.outcome == ToolOutcome::Failed && !claimed.contains(index))
    }

    /// Whether a failure was a part of the work rather than friction: a change of a file came before the same worked again in its
    /// session, or ended the request if it was not tried again.
    pub(super) fn was_developed(&self, failed: usize) -> bool {
        let step = &self.steps[failed];
        let (mut edited, mut edited_at_once) = (false, false);
        for later in self.steps[failed + 1..].iter().filter(|later| later.session == step.session) {
            if later.edits() && later.outcome == ToolOutcome::Worked {
                edited = true;
                edited_at_once |= self.exchange(later) == self.exchange(step);
            }
            if later.kind == step.kind && later.outcome == ToolOutcome::Worked {
                return edited;
            }
        }
        edited_at_once
    }

    /// Friction of steps, each group by its key, if it was seen often enough and during enough requests.
    pub(super) fn seen_often(
        &self,
        kind: FrictionKind,
        groups: BTreeMap<String, Vec<usize>>,
        (min_times, min_exchanges): (usize, usize),
        claimed: &mut BTreeSet<usize>,
    ) -> Vec<Friction> {
        let often = groups.into_iter().filter_map(|(key, steps)| {
            let friction = self.of_steps(kind, key, &steps)?;
            if friction.times < min_times || friction.exchanges.len() < min_exchanges {
                return None;
            }
            claimed.extend(steps);
            Some(friction)
        });
        often.collect()
    }

    /// Friction that shows in these steps; the newest of them tells it.
    pub(super) fn of_steps(&self, kind: FrictionKind, key: String, steps: &[usize]) -> Option<Friction> {
        let last = &self.steps[*steps.last()?];
        let results: BTreeSet<usize> = steps.iter().map(|at| self.steps[*at].result).collect();
        Some(Friction {
            kind,
            key,
            subject: last.written.clone().unwrap_or_else(|| last.label.clone()),
            line: failure_line(self.result(last)).to_owned(),
            instead: None,
            times: results.len(),
            exchanges: steps.iter().map(|at| self.exchange(&self.steps[*at])).collect(),
            seen: newest(results.into_iter().map(WorkRef::Result).collect()),
        })
    }
}

/// As many as are given, the newest.
pub(super) fn newest(mut seen: Vec<WorkRef>) -> Vec<WorkRef> {
    seen.split_off(seen.len().saturating_sub(MAX_SEEN))
}
