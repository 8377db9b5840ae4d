//! Tier decay: every memory loses stability by its category, its tier and how little it is used, for the time since this
//! was last done. How well it is stored never decays.

use crate::rhythm::{
    dream::page::decide_page,
    step_context::{StepContext, StepDecision},
    watermark::{self, Applied, TOO_SOON, applied},
};
use cairn_cognition::{
    forgetting::{decay_factor, decay_per_day, eroded_stability},
    tier::decay_multiplier,
};
use cairn_domain::{Memory, Time};
use cairn_store::{MemoryChange, Result, View};

/// A change smaller than this is none.
const MIN_CHANGE: f64 = 1e-9;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let Applied { until, is_due } = applied(view, watermark::TIER_DECAY, context.now)?;
    if !is_due {
        return Ok(StepDecision::nothing(TOO_SOON));
    }
    let (_, threshold) = view.active_memories()?;
    let mut decided = decide_page(view, context, |record| {
        let after = stability_after_decay(&record.memory, until, context.now, threshold)?;
        Some((MemoryChange::Fades(record.memory.stability, after), String::new()))
    })?;
    if decided.next.is_none() {
        decided.batch.watermarks.push((watermark::TIER_DECAY.to_owned(), context.now.millis()));
    }
    Ok(decided)
}

/// The stability that is left, if it is less than it was. What is pinned or immutable keeps all of it.
fn stability_after_decay(memory: &Memory, until: Option<Time>, now: Time, threshold: f64) -> Option<f64> {
    if memory.pinned || memory.immutable {
        return None;
    }
    let from = until.map_or(memory.recorded_at, |until| until.max(memory.recorded_at));
    let times = decay_multiplier(memory.tier) * decay_factor(memory.accesses, threshold);
    let after =
        eroded_stability(memory.stability, decay_per_day(memory.category), times, from.days_until(now));
    (memory.stability - after > MIN_CHANGE).then_some(after)
}
