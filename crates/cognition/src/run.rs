//! Runs: what an agent did step by step with tools, and what came back. A question about a run is seldom answered by the
//! message that shares most words with it: it asks for a step by its number, for the first or the last time something was done,
//! for the action before an effect, or for the last observed state of a thing. [`answering_messages`] reads such a question
//! (`asked`) and the run (`recorded`) and says which messages answer it. [`ToolWork`] does the same where a host records calls and
//! results of its own (`work`).

mod asked;
mod recorded;
mod select;
mod work;

use crate::lexicon::RunEventsClass;
use asked::RunQuestion;
use cairn_domain::Role;
use recorded::RecordedRun;

pub use recorded::RunMessage;
pub use work::ToolWork;

/// The messages of a run, in order, that answer a question about it, best first, by their index. Empty if the question does
/// not ask for steps, or no step answers it.
pub fn answering_messages(question: &str, run: &[RunMessage<'_>]) -> Vec<usize> {
    let asked = RunQuestion::read(question);
    if !asked.is_about_steps() {
        return Vec::new();
    }
    let mut found = select::answering(&RecordedRun::read(run), &asked);
    let mut seen = std::collections::HashSet::new();
    found.retain(|index| *index < run.len() && seen.insert(*index));
    found
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
