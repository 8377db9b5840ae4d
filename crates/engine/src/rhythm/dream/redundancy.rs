//! Redundancy: of two memories that lie within a cosine of 0.9 and say the same, the less useful goes to rest. Being alike
//! is not enough: "always" and "never" are nearly identical. Each memory is held against the others once, when it is new or
//! says something new.

use super::{JUST_DONE, since};
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{
    contradiction::{Saying, contradiction, same_proposition},
    forgetting::may_go_dormant,
    promotion::{days_between, is_held},
    statement::statements,
    utility::worth,
};
use cairn_domain::{Memory, Status, Tier};
use cairn_store::{Batch, Effect, End, MemoryRecord, Result, View, What};

/// Up to which revision memories were held against the others.
const WATERMARK: &str = "dream/redundancy";
/// When that was last done.
const DONE_AT: &str = "dream/redundancy done at";
/// From here on two memories may be redundant.
const ALIKE: f64 = 0.9;
/// How many of the nearest are looked at.
const NEAREST: usize = 6;
/// Memories held against the others in one transaction: each costs a search.
const BATCH: u32 = 100;
/// Whom a first person in a memory would mean.
const SPEAKER: &str = "user";

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let done = |decided: Decided| {
        let mut decided = decided;
        if decided.next.is_none() {
            decided.batch.watermarks.push((DONE_AT.to_owned(), context.now.millis()));
        }
        decided
    };
    if !since(view, DONE_AT, context.now)?.1 {
        return Ok(Decided::nothing(JUST_DONE));
    }
    if context.place >= i64::from(context.config.most_compared) {
        let note = format!("{} were compared; the rest in another night", context.place);
        return Ok(done(Decided::nothing(note)));
    }
    let from = view.watermark(WATERMARK)?.unwrap_or(0) as u32;
    let reached = view.embedded_revisions()?;
    let to = reached.min(from.saturating_add(BATCH));
    if from >= to {
        return Ok(done(Decided::nothing(if reached == 0 { "no memory has a vector" } else { "" })));
    }
    let mut batch = Batch { looked_at: to - from, ..Batch::default() };
    for (number, vector) in view.memory_vectors(from, to)? {
        let Some(record) = view.memories_at(&[number])?.pop().filter(|record| stands(&record.memory)) else {
            continue;
        };
        let near = view.nearest_memories(&vector, NEAREST)?.into_iter();
        let near: Vec<(u32, f64)> = near
            .map(|(other, cosine)| (other, f64::from(cosine)))
            .filter(|(other, cosine)| *other != number && *cosine > ALIKE)
            .collect();
        for (other, cosine) in near {
            let Some(other) = view.memories_at(&[other])?.pop().filter(|other| stands(&other.memory)) else {
                continue;
            };
            let gone = |record: &MemoryRecord| {
                batch.effects.iter().any(|effect| effect.on == End::Known(record.number))
            };
            if gone(&record) || gone(&other) || !says_the_same(&record.memory, &other.memory) {
                continue;
            }
            if let Some(effect) = let_go(&record, &other, cosine, context) {
                batch.effects.push(effect);
            }
        }
    }
    batch.watermarks.push((WATERMARK.to_owned(), i64::from(to)));
    Ok(done(Decided { batch, next: (to < reached).then_some(context.place + i64::from(BATCH)) }))
}

fn stands(memory: &Memory) -> bool {
    matches!(memory.status, Status::New | Status::Current) && memory.tier != Tier::Dormant
}

fn says_the_same(one: &Memory, other: &Memory) -> bool {
    if one.mode != other.mode || one.form != other.form {
        return false;
    }
    let (ours, theirs) = (statements(&one.text, SPEAKER), statements(&other.text, SPEAKER));
    let one = Saying { text: &one.text, statements: &ours };
    let other = Saying { text: &other.text, statements: &theirs };
    same_proposition(&one, &other) && contradiction(&one, &other).is_none()
}

/// The less useful of two goes, if anything lets it; of two alike the newer.
fn let_go(one: &MemoryRecord, other: &MemoryRecord, cosine: f64, context: &Context<'_>) -> Option<Effect> {
    let worth = |record: &MemoryRecord| worth(0.0, record.memory.utility, record.memory.importance);
    let by_worth = worth(one).total_cmp(&worth(other)).then(other.number.cmp(&one.number));
    let (goes, stays) = if by_worth.is_lt() { (one, other) } else { (other, one) };
    let memory = &goes.memory;
    let may =
        !is_held(memory) && may_go_dormant(memory.category, days_between(memory.valid_from, context.now));
    may.then(|| Effect {
        on: End::Known(goes.number),
        what: What::Tier(memory.tier, Tier::Dormant),
        reason: format!("rule 4: {} says the same (cosine {cosine:.2}) and is worth more", stays.memory.id),
    })
}
