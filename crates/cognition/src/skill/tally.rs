//! The tally of a tool: how often each thing was tried with it and worked, how long it took, how it failed last and what fixed it.

use super::step::{ToolOutcome, ToolStep};
use std::collections::HashMap;

/// Steps between a failure and the next success that are told as what fixed it, the last of them.
const MAX_FIX_STEPS: usize = 3;

/// A failure and what fixed it, as indexes of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFailure {
    /// The step that failed.
    pub failed: usize,
    /// The steps that changed something before it worked again in the same session, or else the step that worked, if it was
    /// written otherwise. None if it did not work again or nobody knows why.
    pub fixed_by: Vec<usize>,
}

/// How one thing that is done with a tool went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSkill {
    /// The tool that it was last done with.
    pub tool: String,
    /// The thing that is done.
    pub kind: String,
    /// How often it was tried.
    pub tried: u32,
    /// How often it worked.
    pub worked: u32,
    /// How long it took when it worked, in milliseconds: the median.
    pub median_ms: Option<i64>,
    /// The last time it was tried, as the index of its step.
    pub last: usize,
    /// The last failure that was fixed, or the last one if none was.
    pub failure: Option<ToolFailure>,
}

/// How things went, those tried most often first. A command is the same with whatever tool it is run.
pub fn tool_skills(steps: &[ToolStep]) -> Vec<ToolSkill> {
    let mut tries: HashMap<&str, Vec<usize>> = HashMap::new();
    let is_try = |step: &ToolStep| matches!(step.outcome, ToolOutcome::Worked | ToolOutcome::Failed);
    for (index, step) in steps.iter().enumerate().filter(|(_, step)| is_try(step)) {
        tries.entry(&step.kind).or_default().push(index);
    }
    let mut skills: Vec<ToolSkill> = tries.into_values().map(|tries| skill_of(steps, &tries)).collect();
    skills.sort_by(|a, b| b.tried.cmp(&a.tried).then_with(|| a.kind.cmp(&b.kind)));
    skills
}

fn skill_of(steps: &[ToolStep], tries: &[usize]) -> ToolSkill {
    let worked: Vec<&ToolStep> =
        tries.iter().map(|at| &steps[*at]).filter(|step| step.outcome == ToolOutcome::Worked).collect();
    let mut took: Vec<i64> = worked.iter().filter_map(|step| step.took_ms).collect();
    took.sort_unstable();
    let last = tries.last().copied().unwrap_or_default();
    ToolSkill {
        tool: steps[last].tool.clone(),
        kind: steps[last].kind.clone(),
        tried: tries.len() as u32,
        worked: worked.len() as u32,
        median_ms: took.get(took.len() / 2).copied(),
        last,
        failure: last_failure(steps, tries),
    }
}

/// The last failure that was fixed, or the last one.
fn last_failure(steps: &[ToolStep], tries: &[usize]) -> Option<ToolFailure> {
    let failures = tries.iter().enumerate().filter(|(_, at)| steps[**at].outcome == ToolOutcome::Failed);
    let told = failures.map(|(place, failed)| {
        let mut later = tries[place + 1..].iter().copied();
        let again = later
            .by_ref()
            .take_while(|at| steps[*at].session == steps[*failed].session)
            .find(|at| steps[*at].outcome == ToolOutcome::Worked);
        let fixed_by = again.map_or_else(Vec::new, |again| fixing_steps(steps, *failed, again));
        ToolFailure { failed: *failed, fixed_by }
    });
    told.max_by_key(|failure| (!failure.fixed_by.is_empty(), failure.failed))
}

/// The last steps of the session between a failure and the next success that changed something; without any, the success itself
/// if its command was written otherwise.
fn fixing_steps(steps: &[ToolStep], failed: usize, again: usize) -> Vec<usize> {
    let changes = |at: &usize| {
        let step = &steps[*at];
        step.session == steps[failed].session && !step.looks && step.outcome == ToolOutcome::Worked
    };
    let mut between: Vec<usize> = (failed + 1..again).filter(changes).collect();
    if between.is_empty() && steps[again].written != steps[failed].written {
        between.push(again);
    }
    between.split_off(between.len().saturating_sub(MAX_FIX_STEPS))
}
