//! Synaptic replay: relations between memories that were both used since the last night grow surer and their ends more
//! stable, what was surprising and rewarding first. So does what belongs to a memory that was used, by a relation or by an
//! entity that few memories name. Tags that wait no longer are cleaned away.

use crate::rhythm::{
    dream::priority::replay_priority,
    step_context::{StepContext, StepDecision},
    watermark::{self, Applied, TOO_SOON, applied},
};
use cairn_cognition::{
    promotion::strength_of,
    rehearsal::{REPLAY_STABILITY_FACTOR, replayed_confidence},
};
use cairn_domain::{RelationKind, Time};
use cairn_store::{MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, Result, RhythmBatch, View};
use std::collections::{BTreeMap, btree_map::Entry};

/// Relations that are looked at; of those the first [`MAX_REPLAYED`] are replayed.
const MAX_RELATIONS: u32 = 2_000;
const MAX_REPLAYED: usize = 250;
/// Memories that gain by the use of another.
const MAX_NEIGHBORS: u32 = 500;
/// An entity that is named more often than this does not tell what belongs together.
const MAX_ENTITY_MENTIONS: u32 = 30;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let mut batch = if context.place == 0 { replay_used(view, context)? } else { RhythmBatch::default() };
    let spent = view.spent_tags(context.now, context.config.batch)?;
    let full = spent.len() as u32 == context.config.batch;
    batch.looked_at += spent.len() as u32;
    for number in spent {
        batch.effects.push(MemoryEffect {
            on: MemoryEnd::Known(number),
            what: MemoryChange::Untagged,
            reason: String::new(),
        });
    }
    Ok(StepDecision { batch, next: full.then_some(context.place + 1) })
}

fn replay_used(view: &mut View<'_>, context: &StepContext<'_>) -> Result<RhythmBatch> {
    let Applied { until, is_due } = applied(view, watermark::REPLAY, context.now)?;
    if !is_due {
        return Ok(RhythmBatch { note: TOO_SOON.to_owned(), ..RhythmBatch::default() });
    }
    let since = until.unwrap_or(Time::from_millis(i64::MIN));
    let mut pairs = view.relations_used_since(since, MAX_RELATIONS)?;
    let mut batch = RhythmBatch { looked_at: pairs.len() as u32, ..RhythmBatch::default() };
    batch.watermarks.push((watermark::REPLAY.to_owned(), context.now.millis()));
    pairs.retain(|(relation, ..)| {
        !matches!(relation.kind, RelationKind::Supersedes | RelationKind::Contradicts)
    });
    let mut turns = BTreeMap::new();
    for record in pairs.iter().flat_map(|(_, from, to)| [from, to]) {
        if let Entry::Vacant(vacant) = turns.entry(record.number) {
            vacant.insert(replay_priority(view, record)?);
        }
    }
    pairs.sort_by_cached_key(|(relation, ..)| {
        let both = turns[&relation.from] + turns[&relation.to];
        (std::cmp::Reverse((both * 1e9) as i64), relation.from, relation.to)
    });
    let mut ends: BTreeMap<u32, MemoryRecord> = BTreeMap::new();
    for (relation, from, to) in pairs.into_iter().take(MAX_REPLAYED) {
        let (was, becomes) = (relation.confidence, replayed_confidence(relation.confidence));
        if becomes - was > 1e-6 {
            let what =
                MemoryChange::Surer { to: relation.to, kind: relation.kind, confidence: (was, becomes) };
            let reason = "both were used since the last night".to_owned();
            batch.effects.push(MemoryEffect { on: MemoryEnd::Known(relation.from), what, reason });
        }
        ends.insert(relation.from, from);
        ends.insert(relation.to, to);
    }
    let neighbors = view.neighbours_of_used(since, MAX_ENTITY_MENTIONS, MAX_NEIGHBORS)?;
    let neighbors = neighbors.into_iter().filter(|record| !ends.contains_key(&record.number));
    let neighbors: Vec<MemoryEffect> =
        neighbors.filter_map(|record| stability_gain(&record, "what it belongs to was used")).collect();
    batch.looked_at += neighbors.len() as u32;
    batch
        .effects
        .extend(ends.values().filter_map(|end| stability_gain(end, "used together with what it belongs to")));
    batch.effects.extend(neighbors);
    Ok(batch)
}

/// A memory becomes a little more stable, unless it is as stable as can be.
fn stability_gain(record: &MemoryRecord, reason: &str) -> Option<MemoryEffect> {
    let was = record.memory.stability;
    let becomes = strength_of(&record.memory).steadier(REPLAY_STABILITY_FACTOR).stability;
    let what = MemoryChange::Steadies(was, becomes);
    (becomes > was).then(|| MemoryEffect {
        on: MemoryEnd::Known(record.number),
        what,
        reason: reason.to_owned(),
    })
}
