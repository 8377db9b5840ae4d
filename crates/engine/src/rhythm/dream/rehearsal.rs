//! Rehearsal, the testing effect: of what is about to be lost, the most surprising and useful is called to mind and becomes
//! half as stable again. Fifty at most in a cycle, which the nightly dream and the daily rehearsal share.

use super::turn_of;
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{
    promotion::strength_of,
    rehearsal::{REHEARSED, is_fading},
    retention::{Curve, MAX_STABILITY_DAYS},
};
use cairn_domain::Time;
use cairn_store::{Batch, Effect, End, MemoryRecord, Result, View, What};
use std::collections::BTreeSet;

/// What was rehearsed within this time counts as this cycle's. A little less than a day, since schedules wander.
const CYCLE_MS: i64 = 20 * 60 * 60 * 1_000;
/// A memory is not rehearsed again within this time.
const REST_MS: i64 = 7 * 24 * 60 * 60 * 1_000;
/// Memories read at a time.
const PAGE: u32 = 1_000;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let now = context.now;
    let recent = view.rehearsals_since(Time::from_millis(now.millis() - REST_MS))?;
    let this_cycle = recent.iter().filter(|(_, at)| now.millis() - at.millis() < CYCLE_MS).count();
    let left = context.config.most_rehearsed.saturating_sub(this_cycle);
    if left == 0 {
        return Ok(Decided::nothing(format!("{this_cycle} were rehearsed in this cycle already")));
    }
    let rested: BTreeSet<u32> = recent.into_iter().map(|(number, _)| number).collect();
    let (mut looked_at, mut number) = (0, 0);
    let mut chosen: Vec<(f64, MemoryRecord)> = Vec::new();
    loop {
        let records = view.active(number, PAGE)?;
        let Some(last) = records.last() else { break };
        (looked_at, number) = (looked_at + records.len() as u32, last.number + 1);
        let fading = records.into_iter().filter(|record| {
            is_fading(&record.memory, now, Curve::Seed)
                && !rested.contains(&record.number)
                && record.memory.stability < MAX_STABILITY_DAYS
        });
        for record in fading.collect::<Vec<_>>() {
            chosen.push((turn_of(view, &record)?, record));
        }
        chosen.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.number.cmp(&b.1.number)));
        chosen.truncate(left);
    }
    let effect = |(turn, record): (f64, MemoryRecord)| {
        let strength = strength_of(&record.memory);
        let retention = strength.retrieval(now, Curve::Seed);
        let what = What::Rehearsed(strength.stability, strength.steadier(REHEARSED).stability);
        let reason = format!("retention {retention:.2} is below 0.30; its turn was {turn:.2}");
        Effect { on: End::Known(record.number), what, reason }
    };
    let effects = chosen.into_iter().map(effect).collect();
    Ok(Decided::last(Batch { looked_at, effects, ..Batch::default() }))
}
