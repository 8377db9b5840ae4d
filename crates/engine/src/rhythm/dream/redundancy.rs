//! Redundancy: of two memories that say the same the less useful goes to rest: those in the same words, and those that lie
//! within a cosine of 0.9 and make the same statement. Being alike is not enough: "always" and "never" are nearly
//! identical. Each memory is held against those near it once, when it is new or says something new.

use crate::rhythm::{
    step_context::{StepContext, StepDecision},
    watermark::{self, TOO_SOON, applied},
};
use cairn_cognition::{
    contradiction::{Saying, contradiction, same_proposition},
    forgetting::may_go_dormant,
    promotion::is_held,
    statement::statements,
    utility::weighed_value,
};
use cairn_domain::{Memory, Tier};
use cairn_store::{MemoryChange, MemoryEffect, MemoryEnd, MemoryRecord, Result, RhythmBatch, View};
use std::collections::HashMap;

/// From here on two memories may be redundant.
const REDUNDANT_SIMILARITY: f64 = 0.9;
/// How many of the nearest are looked at.
const MAX_NEAREST: usize = 6;
/// Memories held against the others in one transaction: each costs a search.
const COMPARED_PER_BATCH: u32 = 100;
/// Memories read at a time.
const PAGE_MEMORIES: u32 = 1_000;
/// Places from here on are those of what was compared by vectors.
const FIRST_VECTOR_PLACE: i64 = 1 << 40;
/// Whom a first person in a memory would mean.
const MEMORY_SPEAKER: &str = "user";

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    if !applied(view, watermark::REDUNDANCY_DONE_AT, context.now)?.is_due {
        return Ok(StepDecision::nothing(TOO_SOON));
    }
    let mut decided = match context.place - FIRST_VECTOR_PLACE {
        ..0 => rest_exact_duplicates(view, context)?,
        compared => rest_near_duplicates(view, context, compared)?,
    };
    if decided.next.is_none() {
        decided.batch.watermarks.push((watermark::REDUNDANCY_DONE_AT.to_owned(), context.now.millis()));
    }
    Ok(decided)
}

/// Lets one page of exact duplicates go dormant. This needs no vectors.
fn rest_exact_duplicates(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let most = context.config.batch as usize;
    let mut known: HashMap<[u8; 32], u32> = HashMap::new();
    let mut batch = RhythmBatch::default();
    let mut number = 0;
    'all: loop {
        let records = view.active(number, PAGE_MEMORIES)?;
        let Some(last) = records.last() else { break };
        (number, batch.looked_at) = (last.number + 1, batch.looked_at + records.len() as u32);
        for record in records {
            let first = known.entry(text_fingerprint(&record.memory)).or_insert(record.number);
            let Some(other) = view.memories_at(&[*first])?.pop().filter(|it| it.number != record.number)
            else {
                continue;
            };
            let (goes, stays) = less_useful_first(&record, &other);
            if is_held(&goes.memory) {
                continue;
            }
            *first = stays.number;
            batch.effects.push(goes_dormant(goes, stays, "in the same words"));
            if batch.effects.len() == most {
                break 'all;
            }
        }
    }
    let next = if batch.effects.len() == most { context.place + 1 } else { FIRST_VECTOR_PLACE };
    Ok(StepDecision { batch, next: Some(next) })
}

/// A hash that ignores case, spacing and the final punctuation mark.
fn text_fingerprint(memory: &Memory) -> [u8; 32] {
    let words: Vec<String> = memory.text.split_whitespace().map(str::to_lowercase).collect();
    let text = words.join(" ");
    let text = text.trim_end_matches(['.', '!', '…']);
    let thread = memory.thread.as_deref().unwrap_or_default();
    *blake3::hash(format!("{}\n{}\n{thread}\n{text}", memory.mode, memory.form).as_bytes()).as_bytes()
}

/// Lets near duplicates go dormant, for one page of memories that are new or were revised.
fn rest_near_duplicates(
    view: &mut View<'_>,
    context: &StepContext<'_>,
    compared: i64,
) -> Result<StepDecision> {
    if compared >= i64::from(context.config.most_compared) {
        return Ok(StepDecision::nothing(format!("{compared} were compared; the rest in another night")));
    }
    let from = view.watermark(watermark::REDUNDANCY)?.unwrap_or(0) as u32;
    let reached = view.embedded_revisions()?;
    let to = reached.min(from.saturating_add(COMPARED_PER_BATCH));
    if from >= to {
        return Ok(StepDecision::nothing(if reached == 0 { "no memory has a vector" } else { "" }));
    }
    let mut batch = RhythmBatch { looked_at: to - from, ..RhythmBatch::default() };
    for (number, vector) in view.memory_vectors(from, to)? {
        let Some(record) = view.memories_at(&[number])?.pop().filter(|it| it.memory.is_active()) else {
            continue;
        };
        for (other, cosine) in view.nearest_memories(&vector, MAX_NEAREST)? {
            if other == number || f64::from(cosine) <= REDUNDANT_SIMILARITY {
                continue;
            }
            let Some(other) = view.memories_at(&[other])?.pop().filter(|it| it.memory.is_active()) else {
                continue;
            };
            let gone = |record: &MemoryRecord| {
                batch.effects.iter().any(|effect| effect.on == MemoryEnd::Known(record.number))
            };
            if gone(&record) || gone(&other) || !says_the_same(&record.memory, &other.memory) {
                continue;
            }
            let (goes, stays) = less_useful_first(&record, &other);
            let age = goes.memory.valid_from.days_until(context.now);
            if !is_held(&goes.memory) && may_go_dormant(goes.memory.category, age) {
                batch.effects.push(goes_dormant(goes, stays, &format!("at cosine {cosine:.2}")));
            }
        }
    }
    batch.watermarks.push((watermark::REDUNDANCY.to_owned(), i64::from(to)));
    let next = (to < reached).then_some(context.place + i64::from(COMPARED_PER_BATCH));
    Ok(StepDecision { batch, next })
}

fn says_the_same(one: &Memory, other: &Memory) -> bool {
    if one.mode != other.mode || one.form != other.form {
        return false;
    }
    let (ours, theirs) = (statements(&one.text, MEMORY_SPEAKER), statements(&other.text, MEMORY_SPEAKER));
    let one = Saying { text: &one.text, statements: &ours };
    let other = Saying { text: &other.text, statements: &theirs };
    same_proposition(&one, &other) && contradiction(&one, &other).is_none()
}

/// Of two, the one whose word counts less, then the less useful, then the newer; and the other.
fn less_useful_first<'a>(
    one: &'a MemoryRecord,
    other: &'a MemoryRecord,
) -> (&'a MemoryRecord, &'a MemoryRecord) {
    let word = |record: &MemoryRecord| record.memory.data_source.whose_word();
    let worth = |record: &MemoryRecord| weighed_value(0.0, record.memory.utility, record.memory.importance);
    let order = word(one).cmp(&word(other)).then_with(|| worth(one).total_cmp(&worth(other)));
    let order = order.then(other.number.cmp(&one.number));
    if order.is_lt() { (one, other) } else { (other, one) }
}

fn goes_dormant(goes: &MemoryRecord, stays: &MemoryRecord, how: &str) -> MemoryEffect {
    let what = MemoryChange::Tier(goes.memory.tier, Tier::Dormant);
    let reason = format!("rule 4: {} says the same, {how}, and is worth no less", stays.memory.id);
    MemoryEffect { on: MemoryEnd::Known(goes.number), what, reason }
}
