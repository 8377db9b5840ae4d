//! Deep abstraction: what the largest clusters say again and again on several days becomes a pattern, in the words of the
//! memory that is most like the others. The memories themselves stay as they are.

use super::{JUST_DONE, consolidation::new_memory, holds_a_value, since};
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{cluster::recurring, keywords::terms, strength::Strength};
use cairn_domain::{
    Category, DataSource, Evidence, Form, LONG_TERM_LAYER, Memory, MemoryId, Privacy, Status, TemporalType,
    Tier, Time, WriteSource,
};
use cairn_store::{Batch, Bound, ClusterRecord, Effect, End, MemoryRecord, NewMention, Result, View, What};

/// When this was last done.
const WATERMARK: &str = "dream/abstraction";
/// Clusters that are looked at, the largest first.
const CLUSTERS: i64 = 3;
/// Members read for one cluster.
const MEMBERS: u32 = 50;
/// How much a pattern matters.
const IMPORTANCE: f64 = 0.85;
/// How stable a pattern is at first, in days.
const STABILITY: f64 = 60.0;

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
    members.retain(|record| {
        let memory = &record.memory;
        let stands = matches!(memory.status, Status::New | Status::Current) && memory.tier != Tier::Dormant;
        stands && memory.privacy != Privacy::Private
    });
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
        let memory = made(id, text, &exemplar.memory, all, now);
        batch.made.push(new_memory(memory, bound, reason));
        return Ok(());
    };
    let stands = matches!(known.memory.status, Status::New | Status::Current) && !known.memory.immutable;
    if stands && known.memory.text != text {
        let what = What::Says { was: known.memory.text, text, bound: Box::new(bound) };
        batch.effects.push(Effect { on: End::Known(known.number), what, reason });
    }
    Ok(())
}

fn made(id: MemoryId, text: String, exemplar: &Memory, all: &[&MemoryRecord], now: Time) -> Memory {
    let strength = Strength::new(now, 0.5);
    let privacy = all.iter().map(|record| record.memory.privacy).max().unwrap_or(Privacy::Open);
    Memory {
        id,
        text,
        form: Form::Pattern,
        category: Category::Pattern,
        status: Status::Current,
        tier: Tier::Semantic,
        layer: LONG_TERM_LAYER.to_owned(),
        session: None,
        thread: exemplar.thread.clone(),
        mode: exemplar.mode,
        temporal_type: TemporalType::Persistent,
        valid_from: all.first().map_or(now, |record| record.memory.valid_from),
        valid_until: None,
        recorded_at: now,
        write_source: WriteSource::Dream,
        data_source: DataSource::System,
        source_confidence: exemplar.source_confidence,
        source_hash: None,
        privacy,
        pinned: false,
        immutable: false,
        flashbulb: false,
        importance: IMPORTANCE,
        utility: cairn_cognition::utility::INITIAL,
        utility_at: now,
        storage: strength.storage,
        stability: STABILITY,
        accesses: 0,
        accessed_at: now,
        surfaced: 0,
        valence: 0.0,
        arousal: 0.0,
        emotion: None,
    }
}
