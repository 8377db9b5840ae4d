//! Deep abstraction: what the largest clusters say again and again on several days becomes a pattern, in the words of the
//! memory that is most like the others. The memories themselves stay as they are.

use super::{JUST_DONE, holds_a_value, since};
use crate::rhythm::{
    made::{Weight, made, new_memory},
    step::{Context, Decided},
};
use cairn_cognition::{cluster::recurring, keywords::terms};
use cairn_domain::{Category, Evidence, Form, Memory, MemoryId, Privacy, Time};
use cairn_store::{Batch, Bound, ClusterRecord, Effect, End, MemoryRecord, NewMention, Result, View, What};

/// When this was last done.
const WATERMARK: &str = "dream/abstraction";
/// Clusters that are looked at, the largest first.
const CLUSTERS: i64 = 3;
/// Members read for one cluster.
const MEMBERS: u32 = 50;
/// What a pattern weighs.
const WEIGHT: Weight = Weight { importance: 0.85, stability: 60.0 };

const DAY_MS: i64 = 86_400_000;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    if !since(view, WATERMARK, context.now)?.1 {
        return Ok(Decided::nothing(JUST_DONE));
    }
    let mut decided = decide_next(view, context)?;
    if decided.next.is_none() {
        decided.batch.watermarks.push((WATERMARK.to_owned(), context.now.millis()));
    }
    Ok(decided)
}

fn decide_next(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let rows = view.clusters(context.number(), MEMBERS)?;
    let rows: Vec<ClusterRecord> =
        rows.into_iter().filter(|row| i64::from(row.place) == context.place).collect();
    let Some(name) = rows.first().map(|row| row.name.clone()) else { return Ok(Decided::nothing("")) };
    let numbers: Vec<u32> = rows.iter().map(|row| row.number).collect();
    let mut members = view.memories_at(&numbers)?;
    members.retain(|record| record.memory.is_active() && record.memory.privacy != Privacy::Private);
    let mut told = Vec::with_capacity(members.len());
    for record in members {
        if !holds_a_value(view, record.number)? {
            told.push(record);
        }
    }
    let mut members = told;
    members.sort_by_key(|record| (record.memory.valid_from, record.number));
    let mut batch = Batch { looked_at: members.len() as u32, ..Batch::default() };
    if let Some((exemplar, all)) = recurring(&members.iter().map(said).collect::<Vec<_>>()) {
        let all: Vec<&MemoryRecord> = all.into_iter().map(|at| &members[at]).collect();
        pattern(view, &mut batch, (&name, &members[exemplar], &all), context.now)?;
    }
    Ok(Decided { batch, next: Some(context.place + 1).filter(|next| *next < CLUSTERS) })
}

/// On which day, in which words.
fn said(record: &MemoryRecord) -> (i64, Vec<String>) {
    let words = terms(&record.memory.text).counts.into_iter().map(|(term, _)| term).collect();
    (record.memory.valid_from.millis().div_euclid(DAY_MS), words)
}

/// Makes the pattern of a cluster, or lets the one that is there say how often it is now.
fn pattern(
    view: &mut View<'_>,
    batch: &mut Batch,
    (name, exemplar, all): (&str, &MemoryRecord, &[&MemoryRecord]),
    now: Time,
) -> Result<()> {
    let first = all.first().map_or(now, |record| record.memory.valid_from);
    let last = all.last().map_or(now, |record| record.memory.valid_from);
    let text = format!("{} (×{}, {} – {})", exemplar.memory.text, all.len(), first.day(), last.day());
    let reason = format!("{} memories about {name} say about the same on different days", all.len());
    let mut bound = Bound::default();
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
        let memory = made_of(id, text, &exemplar.memory, all, now);
        batch.made.push(new_memory(memory, bound, reason));
        return Ok(());
    };
    if known.memory.is_active() && !known.memory.immutable && known.memory.text != text {
        let what = What::Says { was: known.memory.text, text, bound: Box::new(bound) };
        batch.effects.push(Effect { on: End::Known(known.number), what, reason });
    }
    Ok(())
}

fn made_of(id: MemoryId, text: String, exemplar: &Memory, all: &[&MemoryRecord], now: Time) -> Memory {
    Memory {
        thread: exemplar.thread.clone(),
        mode: exemplar.mode,
        valid_from: all.first().map_or(now, |record| record.memory.valid_from),
        source_confidence: exemplar.source_confidence,
        privacy: all.iter().map(|record| record.memory.privacy).max().unwrap_or(Privacy::Open),
        ..made(id, text, (Form::Pattern, Category::Pattern), WEIGHT, now)
    }
}
