//! Emotional consolidation: in the first night after it was made, a memory with a feeling gains stability, a flashbulb
//! most. Once for each memory.

use crate::rhythm::{
    step_context::{StepContext, StepDecision},
    watermark,
};
use cairn_cognition::{promotion::strength_of, rehearsal::feeling_stability_factor};
use cairn_domain::Status;
use cairn_store::{MemoryChange, MemoryEffect, MemoryEnd, Result, RhythmBatch, View};

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let from = view.watermark(watermark::EMOTION)?.unwrap_or(0) as u32;
    let records = view.memories_onward(from, context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let mut batch = RhythmBatch { looked_at: records.len() as u32, ..RhythmBatch::default() };
    for record in records.iter().filter(|record| record.memory.status != Status::Superseded) {
        let (memory, times) = (&record.memory, feeling_stability_factor(&record.memory));
        let after = strength_of(memory).steadier(times).stability;
        if times > 1.0 && after > memory.stability {
            let feeling = memory.emotion.map_or("a flashbulb".to_owned(), |emotion| emotion.to_string());
            let reason = format!("{feeling}, arousal {:.2}: {times:.2} times as stable", memory.arousal);
            let what = MemoryChange::Steadies(memory.stability, after);
            batch.effects.push(MemoryEffect { on: MemoryEnd::Known(record.number), what, reason });
        }
    }
    let last = records.last().map(|record| record.number);
    if let Some(last) = last {
        batch.watermarks.push((watermark::EMOTION.to_owned(), i64::from(last) + 1));
    }
    Ok(StepDecision::continue_after(batch, last.filter(|_| full)))
}
