//! Foresight expiry: what was intended for a time that is over is replaced by nothing and goes to rest. What is pinned or
//! immutable stays.

use crate::rhythm::step_context::{StepContext, StepDecision};
use cairn_cognition::promotion::is_held;
use cairn_store::{MemoryChange, MemoryEffect, MemoryEnd, Result, RhythmBatch, View};

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let records = view.run_out(context.now, context.number(), context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let mut batch = RhythmBatch { looked_at: records.len() as u32, ..RhythmBatch::default() };
    for record in records.iter().filter(|record| !is_held(&record.memory)) {
        let Some(until) = record.memory.valid_until else { continue };
        let what = MemoryChange::Expired { was: record.memory.status, until };
        let reason = format!("expired: it held until {}", until.minute());
        batch.effects.push(MemoryEffect { on: MemoryEnd::Known(record.number), what, reason });
    }
    Ok(StepDecision::continue_after(batch, records.last().map(|record| record.number).filter(|_| full)))
}
