//! Rehearsal, the testing effect: of what is about to be lost, the most surprising and useful is called to mind and becomes
//! half as stable again. Fifty at most in a cycle, which the nightly dream and the daily rehearsal share.

use crate::rhythm::{
    dream::priority::replay_priority,
    step_context::{StepContext, StepDecision},
};
use cairn_cognition::{
    promotion::strength_of,
    rehearsal::{REHEARSAL_STABILITY_FACTOR, is_fading},
    retention::{MAX_STABILITY_DAYS, RetentionCurve},
};
use cairn_domain::{MILLIS_PER_DAY, MILLIS_PER_HOUR, Time};
use cairn_store::{MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, Result, RhythmBatch, View};
use std::collections::BTreeSet;

/// A memory rehearsed within this time was rehearsed in this cycle. A little less than a day, since schedules drift.
const REHEARSAL_CYCLE_MS: i64 = 20 * MILLIS_PER_HOUR;
/// A memory is not rehearsed again within this time.
const MIN_INTERVAL_MS: i64 = 7 * MILLIS_PER_DAY;
/// Memories read at a time.
const PAGE_MEMORIES: u32 = 1_000;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let now = context.now;
    let recent = view.rehearsals_since(Time::from_millis(now.millis() - MIN_INTERVAL_MS))?;
    let this_cycle = recent.iter().filter(|(_, at)| now.millis() - at.millis() < REHEARSAL_CYCLE_MS).count();
    let left = context.config.most_rehearsed.saturating_sub(this_cycle);
    if left == 0 {
        return Ok(StepDecision::nothing(format!("{this_cycle} were rehearsed in this cycle already")));
    }
    let rested: BTreeSet<u32> = recent.into_iter().map(|(number, _)| number).collect();
    let (mut looked_at, mut number) = (0, 0);
    let mut chosen: Vec<(f64, MemoryRecord)> = Vec::new();
    loop {
        let records = view.active(number, PAGE_MEMORIES)?;
        let Some(last) = records.last() else { break };
        (looked_at, number) = (looked_at + records.len() as u32, last.number + 1);
        let fading = records.into_iter().filter(|record| {
            is_fading(&record.memory, now, RetentionCurve::Seed)
                && !rested.contains(&record.number)
                && record.memory.stability < MAX_STABILITY_DAYS
        });
        for record in fading.collect::<Vec<_>>() {
            chosen.push((replay_priority(view, &record)?, record));
        }
        chosen.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.number.cmp(&b.1.number)));
        chosen.truncate(left);
    }
    let effect = |(turn, record): (f64, MemoryRecord)| {
        let strength = strength_of(&record.memory);
        let retention = strength.retrieval(now, RetentionCurve::Seed);
        let what = MemoryChange::Rehearsed(
            strength.stability,
            strength.steadier(REHEARSAL_STABILITY_FACTOR).stability,
        );
        let reason = format!("retention {retention:.2} is below 0.30; its turn was {turn:.2}");
        MemoryEffect { on: MemoryEnd::Known(record.number), what, reason }
    };
    let effects = chosen.into_iter().map(effect).collect();
    Ok(StepDecision::last(RhythmBatch { looked_at, effects, ..RhythmBatch::default() }))
}
