//! Lessons and reflections. A correction that replaced something is a lesson: what is right, and what was thought before.
//! So is how a problem ended: it was solved, got around or understood, with the problem before it. When enough has happened that mattered, the weightiest of it is looked back on in one reflection.

use crate::{
    rhythm::{
        dream::holds_a_value,
        made::{Weight, made, new_memory},
        step::{Context, Decided},
    },
    write::SEPARATOR,
};
use cairn_cognition::lesson::{Lesson, is_about, is_problem, outcome};
use cairn_domain::{Category, Evidence, Form, Memory, MemoryId, Privacy, RelationKind, Time};
use cairn_store::{Batch, Bound, MemoryFilter, MemoryRecord, Result, View};

/// Up to which memory lessons were looked for, and reflected on.
const LESSONS: &str = "digests/lessons";
const REFLECTIONS: &str = "digests/reflections";
/// What a lesson or a reflection weighs.
const WEIGHT: Weight = Weight { importance: 0.7, stability: 30.0 };
/// So much importance has to come together for a reflection.
const ENOUGH: f64 = 15.0;
/// Memories that a reflection tells.
const TOLD: usize = 5;
/// Memories of a session in which the problem is looked for.
const LOOKED_BACK: u32 = 50;
/// Memories looked at for one reflection.
const PAGE: u32 = 200;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let mut batch = Batch::default();
    let lessons = learn(view, context, &mut batch)?;
    let reflected = if lessons { false } else { reflect(view, context, &mut batch)? };
    Ok(Decided { batch, next: (lessons || reflected).then_some(context.place + 1) })
}

/// Makes lessons of the next memories that teach one; whether there may be more.
fn learn(view: &mut View<'_>, context: &Context<'_>, batch: &mut Batch) -> Result<bool> {
    let from = view.watermark(LESSONS)?.unwrap_or(0) as u32;
    let records = view.memories_onward(from, context.config.batch)?;
    let Some(last) = records.last().map(|record| record.number) else { return Ok(false) };
    batch.looked_at += records.len() as u32;
    batch.watermarks.push((LESSONS.to_owned(), i64::from(last) + 1));
    for record in records.iter().filter(|record| is_told(record)) {
        if let Some((kind, from, text)) = lesson(view, record)? {
            let id = MemoryId::of(&format!("lesson:{}", record.memory.id), 0);
            let bound = rests_on(view, &[record, &from], context.now)?;
            let reason = format!("{}: {} came of {}", kind.as_str(), record.memory.id, from.memory.id);
            let memory = looking_back(id, text, (Form::Lesson, Category::Correction), record, context.now);
            batch.made.push(new_memory(memory, bound, reason));
        }
    }
    Ok(records.len() as u32 == context.config.batch)
}

/// The lesson that a memory teaches: what kind it is, what came before, what it says. A correction that replaced something
/// is a mistake; something that tells how a problem of the same session ended is what it tells.
fn lesson(view: &mut View<'_>, record: &MemoryRecord) -> Result<Option<(Lesson, MemoryRecord, String)>> {
    if record.memory.category == Category::Correction {
        let replaced = view
            .relations(record.number)?
            .into_iter()
            .find(|relation| relation.kind == RelationKind::Supersedes && relation.from == record.number);
        let old = replaced.map(|replaced| view.memories_at(&[replaced.to])).transpose()?;
        if let Some(old) = old.and_then(|mut old| old.pop()) {
            let text = format!("{} (≠ {})", record.memory.text, old.memory.text);
            return Ok(Some((Lesson::Mistake, old, text)));
        }
    }
    let (Some(kind), Some(session)) = (outcome(&record.memory.text), &record.memory.session) else {
        return Ok(None);
    };
    let filter = MemoryFilter { session: Some(session), all: true };
    let before = view.memories(filter, record.number, LOOKED_BACK)?;
    let own = view.entities_of(record.number)?;
    for problem in before.into_iter().filter(|it| is_told(it) && is_problem(&it.memory.text)) {
        let theirs = view.entities_of(problem.number)?;
        let share = theirs.iter().any(|entity| own.iter().any(|other| other.id == entity.id));
        if is_about(&problem.memory.text, &record.memory.text, share) {
            let text = format!("{} → {}", problem.memory.text, record.memory.text);
            return Ok(Some((kind, problem, text)));
        }
    }
    Ok(None)
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
    record.memory.form.is_told() && record.memory.privacy != Privacy::Private
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
    Memory {
        thread: like.memory.thread.clone(),
        mode: like.memory.mode,
        valid_from: like.memory.valid_from,
        source_confidence: like.memory.source_confidence,
        privacy: like.memory.privacy,
        ..made(id, text, (form, category), WEIGHT, now)
    }
}
