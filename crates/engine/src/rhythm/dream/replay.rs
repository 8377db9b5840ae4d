//! Synaptic replay: relations between memories that were both used since the last night grow surer and their ends more
//! stable, what was surprising and rewarding first. So does what belongs to a memory that was used, by a relation or by an
//! entity that few memories name. Tags that wait no longer are cleaned away.

use super::{JUST_DONE, since, turn_of};
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{
    promotion::strength_of,
    rehearsal::{REPLAYED, surer},
};
use cairn_domain::{RelationKind, Time};
use cairn_store::{Batch, Effect, End, MemoryRecord, Result, View, What};
use std::collections::{BTreeMap, btree_map::Entry};

/// Until when uses were replayed.
const WATERMARK: &str = "dream/replay";
/// Relations that are looked at; of those the first [`MOST_REPLAYED`] are replayed.
const MOST_LOOKED_AT: u32 = 2_000;
const MOST_REPLAYED: usize = 250;
/// Memories that gain by the use of another.
const MOST_NEIGHBOURS: u32 = 500;
/// An entity that is named more often than this does not tell what belongs together.
const MOST_MENTIONS: u32 = 30;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let mut batch = if context.place == 0 { replay(view, context)? } else { Batch::default() };
    let spent = view.spent_tags(context.now, context.config.batch)?;
    let full = spent.len() as u32 == context.config.batch;
    batch.looked_at += spent.len() as u32;
    for number in spent {
        batch.effects.push(Effect { on: End::Known(number), what: What::Untagged, reason: String::new() });
    }
    Ok(Decided { batch, next: full.then_some(context.place + 1) })
}

fn replay(view: &mut View<'_>, context: &Context<'_>) -> Result<Batch> {
    let (until, passed) = since(view, WATERMARK, context.now)?;
    if !passed {
        return Ok(Batch { note: JUST_DONE.to_owned(), ..Batch::default() });
    }
    let since = until.unwrap_or(Time::from_millis(i64::MIN));
    let mut pairs = view.relations_used_since(since, MOST_LOOKED_AT)?;
    let mut batch = Batch { looked_at: pairs.len() as u32, ..Batch::default() };
    batch.watermarks.push((WATERMARK.to_owned(), context.now.millis()));
    pairs.retain(|(relation, ..)| {
        !matches!(relation.kind, RelationKind::Supersedes | RelationKind::Contradicts)
    });
    let mut turns = BTreeMap::new();
    for record in pairs.iter().flat_map(|(_, from, to)| [from, to]) {
        if let Entry::Vacant(vacant) = turns.entry(record.number) {
            vacant.insert(turn_of(view, record)?);
        }
    }
    pairs.sort_by_cached_key(|(relation, ..)| {
        let both = turns[&relation.from] + turns[&relation.to];
        (std::cmp::Reverse((both * 1e9) as i64), relation.from, relation.to)
    });
    let mut ends: BTreeMap<u32, MemoryRecord> = BTreeMap::new();
    for (relation, from, to) in pairs.into_iter().take(MOST_REPLAYED) {
        let (was, becomes) = (relation.confidence, surer(relation.confidence));
        if becomes - was > 1e-6 {
            let what = What::Surer { to: relation.to, kind: relation.kind, confidence: (was, becomes) };
            let reason = "both were used since the last night".to_owned();
            batch.effects.push(Effect { on: End::Known(relation.from), what, reason });
        }
        ends.insert(relation.from, from);
        ends.insert(relation.to, to);
    }
    let neighbours = view.neighbours_of_used(since, MOST_MENTIONS, MOST_NEIGHBOURS)?;
    let neighbours = neighbours.into_iter().filter(|record| !ends.contains_key(&record.number));
    let neighbours: Vec<Effect> =
        neighbours.filter_map(|record| steadier(&record, "what it belongs to was used")).collect();
    batch.looked_at += neighbours.len() as u32;
    batch
        .effects
        .extend(ends.values().filter_map(|end| steadier(end, "used together with what it belongs to")));
    batch.effects.extend(neighbours);
    Ok(batch)
}

/// A memory becomes a little more stable, unless it is as stable as can be.
fn steadier(record: &MemoryRecord, reason: &str) -> Option<Effect> {
    let was = record.memory.stability;
    let becomes = strength_of(&record.memory).steadier(REPLAYED).stability;
    let what = What::Steadies(was, becomes);
    (becomes > was).then(|| Effect { on: End::Known(record.number), what, reason: reason.to_owned() })
}
