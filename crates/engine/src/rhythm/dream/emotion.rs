//! Emotional consolidation: in the first night after it was made, a memory with a feeling gains stability, a flashbulb
//! most. Once for each memory.

use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{promotion::strength_of, rehearsal::felt};
use cairn_domain::Status;
use cairn_store::{Batch, Effect, End, Result, View, What};

/// Up to which memory feelings were looked at.
const WATERMARK: &str = "dream/emotion";

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let from = view.watermark(WATERMARK)?.unwrap_or(0) as u32;
    let records = view.memories_onward(from, context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let mut batch = Batch { looked_at: records.len() as u32, ..Batch::default() };
    for record in records.iter().filter(|record| record.memory.status != Status::Superseded) {
        let (memory, times) = (&record.memory, felt(&record.memory));
        let after = strength_of(memory).steadier(times).stability;
        if times > 1.0 && after > memory.stability {
            let feeling = memory.emotion.map_or("a flashbulb".to_owned(), |emotion| emotion.to_string());
            let reason = format!("{feeling}, arousal {:.2}: {times:.2} times as stable", memory.arousal);
            let what = What::Steadies(memory.stability, after);
            batch.effects.push(Effect { on: End::Known(record.number), what, reason });
        }
    }
    let last = records.last().map(|record| record.number);
    if let Some(last) = last {
        batch.watermarks.push((WATERMARK.to_owned(), i64::from(last) + 1));
    }
    Ok(Decided::page(batch, last, full))
}
