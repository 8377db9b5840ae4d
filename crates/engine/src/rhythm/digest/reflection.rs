//! Lessons and reflections. A correction that replaced something is a lesson: what is right, and what was thought before.
//! When enough has happened that mattered, the weightiest of it is looked back on in one reflection.

use crate::{
    rhythm::{
        dream::{consolidation::new_memory, holds_a_value},
        step::{Context, Decided},
    },
    write::SEPARATOR,
};
use cairn_cognition::strength::Strength;
use cairn_domain::{
    Category, DataSource, Evidence, Form, LONG_TERM_LAYER, Memory, MemoryId, Privacy, RelationKind, Status,
    TemporalType, Tier, Time, WriteSource,
};
use cairn_store::{Batch, Bound, MemoryRecord, Result, View};

/// Up to which memory lessons were looked for, and reflected on.
const LESSONS: &str = "digests/lessons";
const REFLECTIONS: &str = "digests/reflections";
/// So much importance has to come together for a reflection.
const ENOUGH: f64 = 15.0;
/// Memories that a reflection tells.
const TOLD: usize = 5;
/// Memories looked at for one reflection.
const PAGE: u32 = 200;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let mut batch = Batch::default();
    let lessons = learn(view, context, &mut batch)?;
    let reflected = if lessons { false } else { reflect(view, context, &mut batch)? };
    Ok(Decided { batch, next: (lessons || reflected).then_some(context.place + 1) })
}

/// Makes lessons of the next corrections; whether there may be more.
fn learn(view: &mut View<'_>, context: &Context<'_>, batch: &mut Batch) -> Result<bool> {
    let from = view.watermark(LESSONS)?.unwrap_or(0) as u32;
    let records = view.memories_onward(from, context.config.batch)?;
    let Some(last) = records.last().map(|record| record.number) else { return Ok(false) };
    batch.looked_at += records.len() as u32;
    batch.watermarks.push((LESSONS.to_owned(), i64::from(last) + 1));
    for record in
        records.iter().filter(|record| record.memory.category == Category::Correction && is_told(record))
    {
        let replaced = view
            .relations(record.number)?
            .into_iter()
            .find(|relation| relation.kind == RelationKind::Supersedes && relation.from == record.number);
        let Some(replaced) = replaced else { continue };
        let Some(old) = view.memories_at(&[replaced.to])?.pop() else { continue };
        let text = format!("{} (≠ {})", record.memory.text, old.memory.text);
        let id = MemoryId::of(&format!("lesson:{}", record.memory.id), 0);
        let bound = rests_on(view, &[record, &old], context.now)?;
        let reason = format!("mistake: {} was corrected by {}", old.memory.id, record.memory.id);
        let memory = looking_back(id, text, (Form::Lesson, Category::Correction), record, context.now);
        batch.made.push(new_memory(memory, bound, reason));
    }
    Ok(records.len() as u32 == context.config.batch)
}

/// Reflects on what happened since the last time, if it is enough; whether there may be more.
fn reflect(view: &mut View<'_>, context: &Context<'_>, batch: &mut Batch) -> Result<bool> {
    let from = view.watermark(REFLECTIONS)?.unwrap_or(0) as u32;
    let mut weight = 0.0;
    let mut records = view.memories_onward(from, PAGE)?;
    records.retain(is_told);
    let mut enough = None;
    for (at, record) in records.iter().enumerate() {
        weight += record.memory.importance;
        if weight >= ENOUGH {
            enough = Some(at + 1);
            break;
        }
    }
    let Some(enough) = enough else { return Ok(false) };
    records.truncate(enough);
    let last = records.last().map_or(from, |record| record.number);
    batch.looked_at += records.len() as u32;
    batch.watermarks.push((REFLECTIONS.to_owned(), i64::from(last) + 1));
    let first = records.first().map_or(from, |record| record.number);
    records.sort_by(|a, b| b.memory.importance.total_cmp(&a.memory.importance).then(a.number.cmp(&b.number)));
    let mut lasting = Vec::with_capacity(TOLD);
    for record in records {
        if lasting.len() < TOLD && !holds_a_value(view, record.number)? {
            lasting.push(record);
        }
    }
    let mut records = lasting;
    records.sort_by_key(|record| (record.memory.valid_from, record.number));
    let told: Vec<&MemoryRecord> = records.iter().collect();
    let text: Vec<&str> = records.iter().map(|record| record.memory.text.as_str()).collect();
    let id = MemoryId::of(&format!("reflection:{first}-{last}"), 0);
    let bound = rests_on(view, &told, context.now)?;
    let reason = format!("{enough} memories of importance {weight:.1} in all came since the last reflection");
    if let Some(newest) = records.last() {
        let form = (Form::Reflection, Category::Other);
        let memory = looking_back(id, text.join(SEPARATOR), form, newest, context.now);
        batch.made.push(new_memory(memory, bound, reason));
    }
    Ok(true)
}

fn is_told(record: &MemoryRecord) -> bool {
    let told = matches!(record.memory.form, Form::Fact | Form::Episode | Form::Plan | Form::Procedure);
    told && record.memory.privacy != Privacy::Private
}

fn rests_on(view: &mut View<'_>, records: &[&MemoryRecord], now: Time) -> Result<Bound> {
    let mut bound = Bound::default();
    for record in records {
        for one in view.evidence_of(record.number)?.into_iter().take(2) {
            bound.evidence.push(Evidence { recorded_at: now, ..one });
        }
    }
    Ok(bound)
}

fn looking_back(
    id: MemoryId,
    text: String,
    (form, category): (Form, Category),
    like: &MemoryRecord,
    now: Time,
) -> Memory {
    let strength = Strength::new(now, 0.5);
    Memory {
        id,
        text,
        form,
        category,
        status: Status::Current,
        tier: Tier::Semantic,
        layer: LONG_TERM_LAYER.to_owned(),
        session: None,
        valid_from: like.memory.valid_from,
        valid_until: None,
        temporal_type: TemporalType::Persistent,
        recorded_at: now,
        write_source: WriteSource::Dream,
        data_source: DataSource::System,
        source_hash: None,
        pinned: false,
        immutable: false,
        flashbulb: false,
        importance: 0.7,
        utility: cairn_cognition::utility::INITIAL,
        utility_at: now,
        storage: strength.storage,
        stability: 30.0,
        accesses: 0,
        accessed_at: now,
        surfaced: 0,
        valence: 0.0,
        arousal: 0.0,
        emotion: None,
        ..like.memory.clone()
    }
}
