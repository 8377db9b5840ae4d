//! One page of active memories at a time.

use crate::rhythm::step_context::{StepContext, StepDecision};
use cairn_store::{Batch, Effect, End, MemoryRecord, Result, View, What};

/// One page of active memories; `decide` says what changes about each.
pub(super) fn decide_page(
    view: &mut View<'_>,
    context: &StepContext<'_>,
    mut decide: impl FnMut(&MemoryRecord) -> Option<(What, String)>,
) -> Result<StepDecision> {
    let records = view.active(context.number(), context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let effect = |record: &MemoryRecord| {
        let (what, reason) = decide(record)?;
        Some(Effect { on: End::Known(record.number), what, reason })
    };
    let last = records.last().map(|record| record.number);
    let looked_at = records.len() as u32;
    let effects = records.iter().filter_map(effect).collect();
    Ok(StepDecision::continue_after(Batch { looked_at, effects, ..Batch::default() }, last.filter(|_| full)))
}
