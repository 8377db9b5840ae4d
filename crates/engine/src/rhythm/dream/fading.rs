//! Tier decay: every memory loses stability by its category, its tier and how little it is used, for the time since this
//! was last done. How well it is stored never decays.

use super::{JUST_DONE, page, since};
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{
    forgetting::{decay_per_day, eroded, haste},
    promotion::days_between,
    tier::decay_multiplier,
};
use cairn_domain::{Memory, Time};
use cairn_store::{Result, View, What};

/// Until when stability has faded.
pub(in crate::rhythm) const WATERMARK: &str = "dream/tier decay";
/// A change smaller than this is none.
const LEAST: f64 = 1e-9;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let (until, passed) = since(view, WATERMARK, context.now)?;
    if !passed {
        return Ok(Decided::nothing(JUST_DONE));
    }
    let (_, threshold) = view.active_memories()?;
    let mut decided = page(view, context, |record| {
        let after = faded(&record.memory, until, context.now, threshold)?;
        Some((What::Fades(record.memory.stability, after), String::new()))
    })?;
    if decided.next.is_none() {
        decided.batch.watermarks.push((WATERMARK.to_owned(), context.now.millis()));
    }
    Ok(decided)
}

/// The stability that is left, if it is less than it was. What is pinned or immutable keeps all of it.
fn faded(memory: &Memory, until: Option<Time>, now: Time, threshold: f64) -> Option<f64> {
    if memory.pinned || memory.immutable {
        return None;
    }
    let from = until.map_or(memory.recorded_at, |until| until.max(memory.recorded_at));
    let times = decay_multiplier(memory.tier) * haste(memory.accesses, threshold);
    let after = eroded(memory.stability, decay_per_day(memory.category), times, days_between(from, now));
    (memory.stability - after > LEAST).then_some(after)
}
