//! Review: every memory of a layer that is due is scored by how recent it is, what weight it has and how much it has to do
//! with what the layer is about, and promoted, demoted or left. The motivation is kept with it.

use super::intake::layer_of;
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{
    keywords::terms,
    promotion::{days_between, is_held},
    relation::word_overlap,
    review::{Decision, Standing, next_review_days},
};
use cairn_domain::{DigestKind, LONG_TERM_LAYER, SHORT_TERM_LAYER, Status, Time};
use cairn_store::{Batch, Effect, End, MemoryRecord, Result, ReviewRecord, View, What};

/// What a memory has to do with a layer that has no perspective yet.
const NEUTRAL: f64 = 0.5;
const DAY_MS: f64 = 86_400_000.0;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let Some((layer, config)) = context.layer else { return Ok(Decided::nothing("")) };
    let due = view.due_for_review(layer, context.now, context.number(), context.config.batch)?;
    let full = due.len() as u32 == context.config.batch;
    let about = view.digests(DigestKind::Current, Some(layer), 1)?.pop();
    let about: Option<Vec<(String, Vec<String>)>> = about.map(|record| {
        let lines = record.digest.text.lines().map(words);
        record.digest.sources.clone().into_iter().zip(lines).collect()
    });
    let mut batch = Batch { looked_at: due.len() as u32, ..Batch::default() };
    for (record, before) in &due {
        let memory = &record.memory;
        let relevance = about.as_ref().map_or(NEUTRAL, |about| relevance(record, about));
        let age = days_between(memory.valid_from, context.now);
        let standing = Standing::new(age, config.horizon_days, memory.importance, memory.utility, relevance);
        let (decision, motivation) = standing.decide(memory.status, is_held(memory));
        let status = match decision {
            Decision::Promote => Some(Status::Current),
            Decision::Demote => Some(Status::Deprecated),
            Decision::Keep => None,
        };
        // What is immutable keeps its status; the database would refuse.
        let status = status.filter(|_| !memory.immutable);
        if let Some(status) = status {
            let what = What::Status(memory.status, status);
            batch.effects.push(Effect { on: End::Known(record.number), what, reason: motivation.clone() });
        }
        let moves = moves_on(record, layer);
        if moves {
            let what = What::Layer(layer.to_owned(), LONG_TERM_LAYER.to_owned());
            let reason = "it has become knowledge".to_owned();
            batch.effects.push(Effect { on: End::Known(record.number), what, reason });
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
            next_review_at: Time::from_millis(context.now.millis() + (days * DAY_MS) as i64),
            unchanged,
            score: standing.score(),
            motivation,
        });
    }
    Ok(Decided::page(batch, due.last().map(|(record, _)| record.number), full))
}

/// How much of a memory stands in what else the layer is about.
fn relevance(record: &MemoryRecord, about: &[(String, Vec<String>)]) -> f64 {
    let (own, text) = (record.memory.id.to_string(), words(&record.memory.text));
    let others = about.iter().filter(|(source, _)| *source != own);
    others.map(|(_, line)| word_overlap(&text, line)).fold(0.0, f64::max)
}

/// Whether a memory of the short-term layer has become knowledge.
fn moves_on(record: &MemoryRecord, layer: &str) -> bool {
    layer == SHORT_TERM_LAYER && layer_of(&record.memory) == Some(LONG_TERM_LAYER)
}

/// The terms of a text, each once, sorted.
fn words(text: &str) -> Vec<String> {
    terms(text).counts.into_iter().map(|(term, _)| term).collect()
}
