//! The tally of a tool: how often each thing was tried with it and worked, how long it took, how it failed last and what fixed it.

use super::step::{ToolOutcome, ToolStep};
use std::{cmp::Reverse, collections::HashMap};

/// Steps between a failure and the next success that are told as what fixed it, the last of them.
const MAX_FIX_STEPS: usize = 3;

/// A failure and what fixed it, as indexes of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFailure {
    /// The step that failed.
    pub failed: usize,
    /// The steps that changed something before it worked again in the same session; none if it did not.
    pub fixed_by: Vec<usize>,
    /// The step that worked again.
    pub worked_again: Option<usize>,
}

/// How one thing that is done with a tool went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSkill {
    /// The tool.
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

/// How things went, those tried most often first.
pub fn tool_skills(steps: &[ToolStep]) -> Vec<ToolSkill> {
    let mut by_kind: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    let known = steps.iter().enumerate().filter(|(_, step)| step.outcome != ToolOutcome::Unknown);
    for (index, step) in known {
        by_kind.entry((&step.tool, &step.kind)).or_default().push(index);
    }
    let mut skills: Vec<ToolSkill> = by_kind.into_values().map(|tries| skill_of(steps, &tries)).collect();
    skills.sort_by(|a, b| {
        Reverse(a.tried).cmp(&Reverse(b.tried)).then_with(|| (&a.tool, &a.kind).cmp(&(&b.tool, &b.kind)))
    });
    skills
}

fn skill_of(steps: &[ToolStep], tries: &[usize]) -> ToolSkill {
    let last = tries[tries.len() - 1];
    let worked = tries.iter().filter(|at| steps[**at].outcome == ToolOutcome::Worked);
    let mut took: Vec<i64> = worked.clone().filter_map(|at| steps[*at].took_ms).collect();
    took.sort_unstable();
    ToolSkill {
        tool: steps[last].tool.clone(),
        kind: steps[last].kind.clone(),
        tried: tries.len() as u32,
        worked: worked.count() as u32,
        median_ms: took.get(took.len() / 2).copied(),
        last,
        failure: last_failure(steps, tries),
    }
}

/// The last failure that was fixed, or the last one.
fn last_failure(steps: &[ToolStep], tries: &[usize]) -> Option<ToolFailure> {
    let failures = tries.iter().enumerate().filter(|(_, at)| steps[**at].outcome == ToolOutcome::Failed);
    let told = failures.map(|(place, failed)| {
        let worked_again = tries[place + 1..]
            .iter()
            .copied()
            .take_while(|at| steps[*at].session == steps[*failed].session)
            .find(|at| steps[*at].outcome == ToolOutcome::Worked);
        let fixed_by = worked_again.map_or_else(Vec::new, |again| steps_between(steps, *failed, again));
        ToolFailure { failed: *failed, fixed_by, worked_again }
    });
    told.max_by_key(|failure| (!failure.fixed_by.is_empty(), failure.failed))
}

/// The steps of one session between two that changed something and worked, the last few.
fn steps_between(steps: &[ToolStep], failed: usize, again: usize) -> Vec<usize> {
    let changes = |at: &usize| {
        let step = &steps[*at];
        step.session == steps[failed].session && !step.looks && step.outcome == ToolOutcome::Worked
    };
    let mut between: Vec<usize> = (failed + 1..again).filter(changes).collect();
    between.split_off(between.len().saturating_sub(MAX_FIX_STEPS))
}
