//! Review: every memory of a layer that is due is scored by how recent it is, what weight it has and how much it has to do
//! with what the layer is about, and promoted, demoted or left. The motivation is kept with it.

use crate::rhythm::{
    layer::intake::layer_of_tier,
    step_context::{StepContext, StepDecision},
};
use cairn_cognition::{
    keywords::unique_terms,
    relation::word_overlap,
    review::{LayerStanding, ReviewDecision, next_review_days},
};
use cairn_domain::{
    DigestKind, LONG_TERM_LAYER, MILLIS_PER_DAY, SHORT_TERM_LAYER, Status, Tier, Time, WORKING_LAYER,
};
use cairn_store::{
    MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, Result, ReviewRecord, RhythmBatch, View,
};

/// Relevance of a memory to a layer that has no perspective yet.
const NEUTRAL_RELEVANCE: f64 = 0.5;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let Some((layer, config)) = context.layer else { return Ok(StepDecision::nothing("")) };
    let due = view.due_for_review(layer, context.now, context.number(), context.config.batch)?;
    let full = due.len() as u32 == context.config.batch;
    let about = view.digests(DigestKind::Current, Some(layer), 1)?.pop();
    let about: Option<Vec<(String, Vec<String>)>> = about.map(|record| {
        let lines = record.digest.text.lines().map(unique_terms);
        record.digest.sources.clone().into_iter().zip(lines).collect()
    });
    let mut batch = RhythmBatch { looked_at: due.len() as u32, ..RhythmBatch::default() };
    for (record, before) in &due {
        let memory = &record.memory;
        let relevance = about.as_ref().map_or(NEUTRAL_RELEVANCE, |about| relevance(record, about));
        let age = memory.valid_from.days_until(context.now);
        let standing =
            LayerStanding::new(age, config.horizon_days, memory.importance, memory.utility, relevance);
        let (decision, motivation) = standing.decide(memory);
        let status = match decision {
            ReviewDecision::Promote => Some(Status::Current),
            ReviewDecision::Demote => Some(Status::Deprecated),
            ReviewDecision::Keep => None,
        };
        // What is immutable keeps its status; the database would refuse.
        let status = status.filter(|_| !memory.immutable);
        if let Some(status) = status {
            let what = MemoryChange::Status(memory.status, status);
            batch.effects.push(MemoryEffect {
                on: MemoryEnd::Known(record.number),
                what,
                reason: motivation.clone(),
            });
        }
        let next_layer = layer_after(memory.tier, layer);
        let moves = next_layer.is_some();
        if let Some((next, why)) = next_layer {
            let what = MemoryChange::Layer(layer.to_owned(), next.to_owned());
            batch.effects.push(MemoryEffect {
                on: MemoryEnd::Known(record.number),
                what,
                reason: why.to_owned(),
            });
        }
        let unchanged = match before {
            Some(before) if status.is_none() && !moves && before.layer == layer => before.unchanged + 1,
            _ => 0,
        };
        let days = next_review_days(config.decay_rate, unchanged);
        batch.reviews.push(ReviewRecord {
            number: record.number,
            layer: layer.to_owned(),
            evaluated_at: context.now,
            next_review_at: Time::from_millis(context.now.millis() + (days * MILLIS_PER_DAY as f64) as i64),
            unchanged,
            score: standing.score(),
            motivation,
        });
    }
    Ok(StepDecision::continue_after(batch, due.last().map(|(record, _)| record.number).filter(|_| full)))
}

/// How much of a memory stands in what else the layer is about.
fn relevance(record: &MemoryRecord, about: &[(String, Vec<String>)]) -> f64 {
    let (own, text) = (record.memory.id.to_string(), unique_terms(&record.memory.text));
    let others = about.iter().filter(|(source, _)| *source != own);
    others.map(|(_, line)| word_overlap(&text, line)).fold(0.0, f64::max)
}

/// The layer that a memory goes on to, and why; layers that take categories keep what they have.
fn layer_after(tier: Tier, layer: &str) -> Option<(&'static str, &'static str)> {
    match (layer, layer_of_tier(tier)?) {
        (SHORT_TERM_LAYER | WORKING_LAYER, LONG_TERM_LAYER) => {
            Some((LONG_TERM_LAYER, "it has become knowledge"))
        }
        (WORKING_LAYER, SHORT_TERM_LAYER) => Some((SHORT_TERM_LAYER, "no session has it in mind any more")),
        _ => None,
    }
}
