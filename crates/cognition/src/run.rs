//! Runs: what an agent did step by step with tools, and what came back. A question about a run is seldom answered by the
//! message that shares most words with it: it asks for a step by its number, for the first or the last time something was done,
//! for the action before an effect, or for the last observed state of a thing. [`run_answer`] reads such a question
//! (`asked`) and the run (`recorded`) and says which messages answer it. [`ToolWork`] does the same where a host records calls and
//! results of its own (`work`).

mod answer;
mod asked;
mod recorded;
mod select;
mod work;

use crate::lexicon::RunEventsClass;
use asked::RunQuestion;
use cairn_domain::Role;
use recorded::RecordedRun;

pub use answer::RunAnswer;
pub use recorded::RunMessage;
pub use work::ToolWork;

/// The messages of a run, in order, that answer a question about it.
pub fn run_answer(question: &str, run: &[RunMessage<'_>]) -> RunAnswer {
    let asked = RunQuestion::read(question);
    if !asked.is_about_steps() {
        return RunAnswer::default();
    }
    let mut answer = select::answering(&RecordedRun::read(run), &asked);
    let mut seen = std::collections::HashSet::new();
    answer.messages.retain(|index| *index < run.len() && seen.insert(*index));
    let newest = answer.messages.first().copied();
    answer.older_states.retain(|index| newest.is_some_and(|newest| *index < newest));
    answer
}

/// Whether a question counts from the beginning of a run: it names steps by their numbers, or asks for the first.
pub fn counts_from_beginning(question: &str) -> bool {
    let asked = RunQuestion::read(question);
    !asked.steps.is_empty() || asked.range.is_some() || asked.occurrence == asked::Occurrence::First
}

/// The other half of a step: the result of an action, or the action behind a result.
pub fn other_half(run: &[RunMessage<'_>], index: usize) -> Option<usize> {
    match run.get(index)?.role {
        Role::Assistant => {
            Some(index + 1).filter(|next| run.get(*next).is_some_and(|it| it.role == Role::Tool))
        }
        Role::Tool => index.checked_sub(1).filter(|before| run[*before].role == Role::Assistant),
        Role::User | Role::System => None,
    }
}

/// Whether a line tells of such an event.
pub(crate) fn tells_event(line: &str, event: RunEventsClass) -> bool {
    recorded::EVENTS.classes_in(line).contains(&event)
}

#[cfg(test)]
mod tests;
