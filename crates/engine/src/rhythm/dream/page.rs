//! One page of active memories at a time.

use crate::rhythm::step_context::{StepContext, StepDecision};
use cairn_store::{MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, Result, RhythmBatch, View};

/// One page of active memories; `decide` says what changes about each.
pub(super) fn decide_page(
    view: &mut View<'_>,
    context: &StepContext<'_>,
    mut decide: impl FnMut(&MemoryRecord) -> Option<(MemoryChange, String)>,
) -> Result<StepDecision> {
    let records = view.active(context.number(), context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let effect = |record: &MemoryRecord| {
        let (what, reason) = decide(record)?;
        Some(MemoryEffect { on: MemoryEnd::Known(record.number), what, reason })
    };
    let last = records.last().map(|record| record.number);
    let looked_at = records.len() as u32;
    let effects = records.iter().filter_map(effect).collect();
    Ok(StepDecision::continue_after(
        RhythmBatch { looked_at, effects, ..RhythmBatch::default() },
        last.filter(|_| full),
    ))
}
