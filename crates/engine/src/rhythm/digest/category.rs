//! Digests of categories with at least ten active memories, each with one memory of knowledge that points to it. Both
//! are updated in place, never duplicated, and at most once a minute.

use crate::rhythm::{
    derived_memory::{DerivedKind, InitialWeight, derived_memory, derived_record, mean_importance},
    digest::lines::{MAX_DIGEST_LINES, inputs_fingerprint, undated_line},
    step_context::{StepContext, StepDecision},
};
use cairn_cognition::{
    promotion::is_held,
    quoted_list::{quoted_line, quoted_list},
    utility::weighed_value,
};
use cairn_domain::{
    Category, Digest, DigestKind, Evidence, Form, MemoryId, Privacy, Stance, Status, Tier, Time,
};
use cairn_store::{
    MemoryAttachments, MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, Outline, Result, RhythmBatch,
    View,
};

/// Fewer memories make no summary.
const MIN_MEMORIES: usize = 10;
/// A category is not summarised again within this time.
const COOLDOWN_MS: i64 = 60_000;
/// How stable a summary is at first; it is brought up to date.
const STABILITY_DAYS: f64 = 60.0;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let Some(category) = Category::ALL.get(context.place as usize).copied() else {
        return Ok(StepDecision::nothing(""));
    };
    let next = Some(context.place + 1).filter(|next| (*next as usize) < Category::ALL.len());
    let mut outlines = view.outlines()?;
    outlines.retain(|one| {
        let active = matches!(one.status, Status::New | Status::Current) && one.tier != Tier::Dormant;
        one.category == category && one.told && active && one.privacy != Privacy::Private
    });
    let mut batch = RhythmBatch { looked_at: outlines.len() as u32, ..RhythmBatch::default() };
    if outlines.len() < MIN_MEMORIES {
        return Ok(StepDecision { batch, next });
    }
    let weight = |one: &Outline| weighed_value(0.0, one.utility, one.importance);
    outlines.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.number.cmp(&b.number)));
    outlines.truncate(MAX_DIGEST_LINES);
    let inputs = inputs_fingerprint(outlines.iter().map(|one| (one.number, one.revision)));
    let known = view.digests(DigestKind::Category, Some(category.as_str()), 1)?.pop();
    let settled = known.is_some_and(|known| {
        known.digest.inputs == inputs || context.now.millis() - known.made_at.millis() < COOLDOWN_MS
    });
    if settled {
        return Ok(StepDecision { batch, next });
    }
    let numbers: Vec<u32> = outlines.iter().map(|one| one.number).collect();
    let records = view.memories_at(&numbers)?;
    let lines: Vec<String> = records.iter().map(undated_line).collect();
    let digest = Digest {
        kind: DigestKind::Category,
        scope: category.as_str().to_owned(),
        from: Time::from_millis(0),
        until: context.now,
        text: lines.join("\n"),
        sources: records.iter().map(|record| record.memory.id.to_string()).collect(),
        inputs,
        made_by: "rules".to_owned(),
    };
    update_summary_memory(view, &mut batch, &digest, &records, context.now)?;
    batch.digests.push(digest);
    Ok(StepDecision { batch, next })
}

/// Lets the memory that points to the digest say what it says.
fn update_summary_memory(
    view: &mut View<'_>,
    batch: &mut RhythmBatch,
    digest: &Digest,
    records: &[MemoryRecord],
    now: Time,
) -> Result<()> {
    let Some(category) = records.first().map(|record| record.memory.category) else { return Ok(()) };
    let id = MemoryId::of(&format!("summary:{category}"), 0);
    let line = |record: &MemoryRecord| quoted_line(&record.memory.text, &record.memory.id.to_string());
    let lines: Vec<String> = records.iter().map(line).collect();
    let text = quoted_list(&format!("The most important memories of category {category}"), &lines);
    let reason = format!("what the most important memories of category {category} say: {}", digest.id());
    let pointer = Evidence {
        stance: Stance::Context,
        ..Evidence::support(digest.id().to_string(), "digest", &text, now)
    };
    let bound = MemoryAttachments { evidence: vec![pointer], ..MemoryAttachments::default() };
    match view.memory(id)? {
        None => {
            let weight =
                InitialWeight { importance: mean_importance(records), stability_days: STABILITY_DAYS };
            let kind = DerivedKind { form: Form::Summary, category, weight };
            let memory = derived_memory(id, text, kind, now);
            batch.made.push(derived_record(memory, bound, reason));
        }
        Some(known) if known.memory.text != text && !is_held(&known.memory) => {
            let what = MemoryChange::Says { was: known.memory.text, text, bound: Box::new(bound) };
            batch.effects.push(MemoryEffect { on: MemoryEnd::Known(known.number), what, reason });
        }
        Some(_) => {}
    }
    Ok(())
}
