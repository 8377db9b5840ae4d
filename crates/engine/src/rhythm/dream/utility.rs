//! Utility decay: how useful a memory has been counts less with time, back to the middle.

use crate::rhythm::{
    dream::page::decide_page,
    step_context::{StepContext, StepDecision},
    watermark::{self, Applied, TOO_SOON, applied},
};
use cairn_cognition::utility::drifted_utility;
use cairn_domain::{Memory, Time};
use cairn_store::{MemoryChange, Result, View};

/// A change smaller than this is none.
const MIN_CHANGE: f64 = 1e-9;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let Applied { until, is_due } = applied(view, watermark::UTILITY_DECAY, context.now)?;
    if !is_due {
        return Ok(StepDecision::nothing(TOO_SOON));
    }
    let mut decided = decide_page(view, context, |record| {
        let memory = &record.memory;
        let after = utility_after(memory, until, context.now);
        let moved = (memory.utility - after).abs() > MIN_CHANGE;
        moved.then(|| (MemoryChange::Drifts(memory.utility, after), String::new()))
    })?;
    if decided.next.is_none() {
        decided.batch.watermarks.push((watermark::UTILITY_DECAY.to_owned(), context.now.millis()));
    }
    Ok(decided)
}

/// The utility of a memory tonight.
pub(super) fn utility_tonight(view: &mut View<'_>, now: Time) -> Result<impl Fn(&Memory) -> f64 + use<>> {
    let Applied { until, is_due } = applied(view, watermark::UTILITY_DECAY, now)?;
    Ok(move |memory: &Memory| if is_due { utility_after(memory, until, now) } else { memory.utility })
}

fn utility_after(memory: &Memory, until: Option<Time>, now: Time) -> f64 {
    let from = until.map_or(memory.utility_at, |until| until.max(memory.utility_at));
    drifted_utility(memory.utility, from.days_until(now))
}
