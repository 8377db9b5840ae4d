//! Deep abstraction: what the largest clusters say again and again on several days becomes a pattern, in the words of the
//! memory that is most like the others. The memories themselves stay as they are.

use crate::rhythm::{
    derived_memory::{DerivedKind, InitialWeight, derived_memory, derived_record, mean_importance},
    single_value::holds_single_value,
    step_context::{StepContext, StepDecision},
    watermark::{self, TOO_SOON, applied},
};
use cairn_cognition::{cluster::recurring, keywords::unique_terms};
use cairn_domain::{Category, Evidence, Form, MILLIS_PER_DAY, Memory, MemoryId, Privacy, Time};
use cairn_store::{
    ClusterRecord, MemoryAttachments, MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, NewMention,
    Result, RhythmBatch, View,
};

/// Clusters that are looked at, the largest first.
const MAX_CLUSTERS: i64 = 3;
/// Members read for one cluster.
const MAX_MEMBERS: u32 = 50;
/// How stable a pattern is at first.
const STABILITY_DAYS: f64 = 60.0;

/// Memories of a cluster that say about the same on several days.
struct Recurrence<'a> {
    cluster: &'a str,
    /// The memory that is most like the others.
    exemplar: &'a MemoryRecord,
    members: &'a [&'a MemoryRecord],
}

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    if !applied(view, watermark::ABSTRACTION, context.now)?.is_due {
        return Ok(StepDecision::nothing(TOO_SOON));
    }
    let mut decided = decide_next_cluster(view, context)?;
    if decided.next.is_none() {
        decided.batch.watermarks.push((watermark::ABSTRACTION.to_owned(), context.now.millis()));
    }
    Ok(decided)
}

fn decide_next_cluster(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let rows = view.clusters(context.number(), MAX_MEMBERS)?;
    let rows: Vec<ClusterRecord> =
        rows.into_iter().filter(|row| i64::from(row.place) == context.place).collect();
    let Some(name) = rows.first().map(|row| row.name.clone()) else { return Ok(StepDecision::nothing("")) };
    let numbers: Vec<u32> = rows.iter().map(|row| row.number).collect();
    let mut members = view.memories_at(&numbers)?;
    members.retain(|record| record.memory.is_active() && record.memory.privacy != Privacy::Private);
    let mut told = Vec::with_capacity(members.len());
    for record in members {
        if !holds_single_value(view, record.number)? {
            told.push(record);
        }
    }
    let mut members = told;
    members.sort_by_key(|record| (record.memory.valid_from, record.number));
    let mut batch = RhythmBatch { looked_at: members.len() as u32, ..RhythmBatch::default() };
    if let Some((exemplar, all)) = recurring(&members.iter().map(day_and_terms).collect::<Vec<_>>()) {
        let all: Vec<&MemoryRecord> = all.into_iter().map(|at| &members[at]).collect();
        let recurrence = Recurrence { cluster: &name, exemplar: &members[exemplar], members: &all };
        write_pattern(view, &mut batch, &recurrence, context.now)?;
    }
    Ok(StepDecision { batch, next: Some(context.place + 1).filter(|next| *next < MAX_CLUSTERS) })
}

/// On which day, in which words.
fn day_and_terms(record: &MemoryRecord) -> (i64, Vec<String>) {
    (record.memory.valid_from.millis().div_euclid(MILLIS_PER_DAY), unique_terms(&record.memory.text))
}

/// Makes the pattern of a cluster, or lets the one that is there say how often it is now.
fn write_pattern(
    view: &mut View<'_>,
    batch: &mut RhythmBatch,
    recurrence: &Recurrence<'_>,
    now: Time,
) -> Result<()> {
    let Recurrence { cluster: name, exemplar, members: all } = *recurrence;
    let first = all.first().map_or(now, |record| record.memory.valid_from);
    let last = all.last().map_or(now, |record| record.memory.valid_from);
    let text = format!("{} (×{}, {} – {})", exemplar.memory.text, all.len(), first.day(), last.day());
    let reason = format!("{} memories say about the same on different days", all.len());
    let mut bound = MemoryAttachments::default();
    for record in all {
        for one in view.evidence_of(record.number)?.into_iter().take(1) {
            bound.evidence.push(Evidence { recorded_at: now, ..one });
        }
    }
    for entity in view.entities_of(exemplar.number)? {
        let mention = NewMention { kind: entity.kind, name: entity.name, slug: entity.slug, alias: None };
        bound.mentions.push(mention);
    }
    let id = MemoryId::of(&format!("pattern:{}:{name}", exemplar.memory.mode), 0);
    let Some(known) = view.memory(id)? else {
        let memory = pattern_memory(id, text, &exemplar.memory, all, now);
        batch.made.push(derived_record(memory, bound, reason));
        return Ok(());
    };
    if known.memory.is_active() && !known.memory.immutable && known.memory.text != text {
        let what = MemoryChange::Says { was: known.memory.text, text, bound: Box::new(bound) };
        batch.effects.push(MemoryEffect { on: MemoryEnd::Known(known.number), what, reason });
    }
    Ok(())
}

fn pattern_memory(id: MemoryId, text: String, exemplar: &Memory, all: &[&MemoryRecord], now: Time) -> Memory {
    let weight = InitialWeight { importance: mean_importance(all), stability_days: STABILITY_DAYS };
    let pattern = DerivedKind { form: Form::Pattern, category: Category::Pattern, weight };
    Memory {
        thread: exemplar.thread.clone(),
        mode: exemplar.mode,
        valid_from: all.first().map_or(now, |record| record.memory.valid_from),
        source_confidence: exemplar.source_confidence,
        privacy: all.iter().map(|record| record.memory.privacy).max().unwrap_or(Privacy::Open),
        ..derived_memory(id, text, pattern, now)
    }
}
