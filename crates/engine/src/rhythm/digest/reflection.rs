//! Lessons and reflections. A correction that replaced something is a lesson: what is right, and what was thought before.
//! So is how a problem ended: it was solved, got around or understood, with the problem before it. When enough has happened that mattered, the weightiest of it is looked back on in one reflection.

use crate::rhythm::{
    derived_memory::{DerivedKind, InitialWeight, derived_memory, derived_record, mean_importance},
    single_value::holds_single_value,
    step_context::{StepContext, StepDecision},
    watermark,
};
use cairn_cognition::{
    lesson::{Lesson, is_about, is_problem, problem_outcome},
    quoted_list::{quoted_line, quoted_list, shared_title},
};
use cairn_domain::{Category, Evidence, Form, Memory, MemoryId, Privacy, RelationKind, Time};
use cairn_store::{MemoryAttachments, MemoryFilter, MemoryRecord, MemoryScope, Result, RhythmBatch, View};

/// Initial weight of lessons and reflections. A reflection then takes the importance of the memories it tells.
const INITIAL_WEIGHT: InitialWeight = InitialWeight { importance: 0.7, stability_days: 30.0 };
/// Importance that new memories must add up to before a reflection is made.
const REFLECTION_IMPORTANCE: f64 = 15.0;
/// Memories that a reflection tells.
const MAX_REFLECTED: usize = 5;
/// Memories of a session in which the problem is looked for.
const MAX_SESSION_MEMORIES: u32 = 50;
/// Memories looked at for one reflection.
const PAGE_MEMORIES: u32 = 200;

const LESSON: DerivedKind =
    DerivedKind { form: Form::Lesson, category: Category::Correction, weight: INITIAL_WEIGHT };
const REFLECTION: DerivedKind =
    DerivedKind { form: Form::Reflection, category: Category::Other, weight: INITIAL_WEIGHT };

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let mut batch = RhythmBatch::default();
    let lessons = draw_lessons(view, context, &mut batch)?;
    let reflected = if lessons { false } else { reflect_on_recent(view, context, &mut batch)? };
    Ok(StepDecision { batch, next: (lessons || reflected).then_some(context.place + 1) })
}

/// Makes lessons of the next memories that teach one; whether there may be more.
fn draw_lessons(view: &mut View<'_>, context: &StepContext<'_>, batch: &mut RhythmBatch) -> Result<bool> {
    let from = view.watermark(watermark::LESSONS)?.unwrap_or(0) as u32;
    let records = view.memories_onward(from, context.config.batch)?;
    let Some(last) = records.last().map(|record| record.number) else { return Ok(false) };
    batch.looked_at += records.len() as u32;
    batch.watermarks.push((watermark::LESSONS.to_owned(), i64::from(last) + 1));
    for record in records.iter().filter(|record| is_own_experience(record)) {
        let id = MemoryId::of(&format!("lesson:{}", record.memory.id), 0);
        // A memory that was formed again may have taught it before.
        if view.memory(id)?.is_some() {
            continue;
        }
        if let Some((kind, from, text)) = lesson_of(view, record)? {
            let bound = evidence_of_all(view, &[record, &from], context.now)?;
            let reason = format!("{}: {} came of {}", kind.as_str(), record.memory.id, from.memory.id);
            let memory = derived_like(id, text, LESSON, record, context.now);
            batch.made.push(derived_record(memory, bound, reason));
        }
    }
    Ok(records.len() as u32 == context.config.batch)
}

/// The lesson that a memory teaches: what kind it is, what came before, what it says. A correction that replaced something
/// is a mistake; something that tells how a problem of the same session ended is what it tells.
fn lesson_of(view: &mut View<'_>, record: &MemoryRecord) -> Result<Option<(Lesson, MemoryRecord, String)>> {
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
    let (Some(kind), Some(session)) = (problem_outcome(&record.memory.text), &record.memory.session) else {
        return Ok(None);
    };
    let filter = MemoryFilter { session: Some(session), scope: MemoryScope::All, ..MemoryFilter::default() };
    let before = view.memories(filter, record.number, MAX_SESSION_MEMORIES)?;
    let own = view.entities_of(record.number)?;
    for problem in before.into_iter().filter(|it| is_own_experience(it) && is_problem(&it.memory.text)) {
        let theirs = view.entities_of(problem.number)?;
        let share = theirs.iter().any(|entity| own.iter().any(|other| other.id == entity.id));
        if share || is_about(&problem.memory.text, &record.memory.text) {
            let text = format!("{} → {}", problem.memory.text, record.memory.text);
            return Ok(Some((kind, problem, text)));
        }
    }
    Ok(None)
}

/// Reflects on what happened since the last time, if it is enough; whether there may be more.
fn reflect_on_recent(
    view: &mut View<'_>,
    context: &StepContext<'_>,
    batch: &mut RhythmBatch,
) -> Result<bool> {
    let from = view.watermark(watermark::REFLECTIONS)?.unwrap_or(0) as u32;
    let mut weight = 0.0;
    let mut records = view.memories_onward(from, PAGE_MEMORIES)?;
    records.retain(is_own_experience);
    let mut enough = None;
    for (at, record) in records.iter().enumerate() {
        weight += record.memory.importance;
        if weight >= REFLECTION_IMPORTANCE {
            enough = Some(at + 1);
            break;
        }
    }
    let Some(enough) = enough else { return Ok(false) };
    records.truncate(enough);
    let last = records.last().map_or(from, |record| record.number);
    batch.looked_at += records.len() as u32;
    batch.watermarks.push((watermark::REFLECTIONS.to_owned(), i64::from(last) + 1));
    let first = records.first().map_or(from, |record| record.number);
    records.sort_by(|a, b| b.memory.importance.total_cmp(&a.memory.importance).then(a.number.cmp(&b.number)));
    let mut lasting = Vec::with_capacity(MAX_REFLECTED);
    for record in records {
        if lasting.len() < MAX_REFLECTED && !holds_single_value(view, record.number)? {
            lasting.push(record);
        }
    }
    let mut records = lasting;
    records.sort_by_key(|record| (record.memory.valid_from, record.number));
    let told: Vec<&MemoryRecord> = records.iter().collect();
    let texts: Vec<&str> = records.iter().map(|record| record.memory.text.as_str()).collect();
    let line = |record: &MemoryRecord| quoted_line(&record.memory.text, &record.memory.id.to_string());
    let lines: Vec<String> = records.iter().map(line).collect();
    let title = shared_title(&texts, &[]).unwrap_or_else(|| "What mattered lately".to_owned());
    let id = MemoryId::of(&format!("reflection:{first}-{last}"), 0);
    let bound = evidence_of_all(view, &told, context.now)?;
    let reason = format!("{enough} memories of importance {weight:.1} in all came since the last reflection");
    if let Some(newest) = records.last() {
        let weight = InitialWeight { importance: mean_importance(&records), ..INITIAL_WEIGHT };
        let reflection = DerivedKind { weight, ..REFLECTION };
        let memory = derived_like(id, quoted_list(&title, &lines), reflection, newest, context.now);
        batch.made.push(derived_record(memory, bound, reason));
    }
    Ok(true)
}

fn is_own_experience(record: &MemoryRecord) -> bool {
    record.memory.form.is_told() && record.memory.privacy != Privacy::Private
}

fn evidence_of_all(view: &mut View<'_>, records: &[&MemoryRecord], now: Time) -> Result<MemoryAttachments> {
    let mut bound = MemoryAttachments::default();
    for record in records {
        for one in view.evidence_of(record.number)?.into_iter().take(2) {
            bound.evidence.push(Evidence { recorded_at: now, ..one });
        }
    }
    Ok(bound)
}

fn derived_like(id: MemoryId, text: String, kind: DerivedKind, like: &MemoryRecord, now: Time) -> Memory {
    Memory {
        thread: like.memory.thread.clone(),
        mode: like.memory.mode,
        valid_from: like.memory.valid_from,
        source_confidence: like.memory.source_confidence,
        privacy: like.memory.privacy,
        ..derived_memory(id, text, kind, now)
    }
}
