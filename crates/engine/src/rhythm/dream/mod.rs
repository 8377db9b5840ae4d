//! Dreaming: twelve steps, each a decision over a page of memories. They decay, then strengthen, then let go, then make
//! something new of what belongs together. Nothing is deleted and no text is lost: what goes to rest is dormant, what
//! becomes part of a theme is replaced by it and stays readable.
//!
//! | step | file |
//! |---|---|
//! | stability fades by category and tier | `fading` |
//! | feelings make new memories last | `emotion` |
//! | what was used together grows together | `replay` |
//! | episodes become knowledge, useless knowledge rests | `promotion` |
//! | utility drifts back to the middle | `utility` |
//! | what is about to be lost is called to mind | `rehearsal` |
//! | plans for a time that is over end | `foresight` |
//! | what contradicts, is useless or too much rests | `forgetting` |
//! | what belongs together is found | `clustering` |
//! | what fades and belongs together becomes a theme | `consolidation` |
//! | of two that say the same one rests | `redundancy` |
//! | what happens again and again becomes a pattern | `abstraction` |

pub(super) mod abstraction;
pub(super) mod clustering;
pub(super) mod consolidation;
pub(super) mod emotion;
pub(super) mod fading;
pub(super) mod foresight;
pub(super) mod forgetting;
pub(super) mod promotion;
pub(super) mod redundancy;
pub(super) mod rehearsal;
pub(super) mod replay;
pub(super) mod utility;

use super::step::{Context, Decided};
use crate::Reasons;
use cairn_cognition::rehearsal::turn;
use cairn_domain::Time;
use cairn_store::{Batch, Effect, End, MemoryRecord, Result, View, What};

/// Steps that go with the passing of time do nothing if so little of it has passed since the last time.
const HARDLY_ANY_TIME_MS: i64 = 60 * 60 * 1_000;

/// Until when a step that goes with time was applied, and whether enough of it has passed to apply it again.
fn since(view: &mut View<'_>, watermark: &str, now: Time) -> Result<(Option<Time>, bool)> {
    let until = view.watermark(watermark)?.map(Time::from_millis);
    let passed = until.is_none_or(|until| now.millis() - until.millis() >= HARDLY_ANY_TIME_MS);
    Ok((until, passed))
}

/// Why a step does nothing this time.
const JUST_DONE: &str = "less than an hour has passed since the last time";

/// One page of active memories; `decide` says what changes about each.
fn page(
    view: &mut View<'_>,
    context: &Context<'_>,
    mut decide: impl FnMut(&MemoryRecord) -> Option<(What, String)>,
) -> Result<Decided> {
    let records = view.active(context.number(), context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let effect = |record: &MemoryRecord| {
        let (what, reason) = decide(record)?;
        Some(Effect { on: End::Known(record.number), what, reason })
    };
    let last = records.last().map(|record| record.number);
    let looked_at = records.len() as u32;
    let effects = records.iter().filter_map(effect).collect();
    Ok(Decided::page(Batch { looked_at, effects, ..Batch::default() }, last, full))
}

/// Whether a memory holds a value of which there is one at a time: such a memory is replaced when that changes, and what
/// was made of it would go on telling the old value.
pub(super) fn holds_a_value(view: &mut View<'_>, number: u32) -> Result<bool> {
    Ok(view.statements(number)?.iter().any(|statement| statement.single))
}

/// How early a memory is rehearsed and replayed.
fn turn_of(view: &mut View<'_>, record: &MemoryRecord) -> Result<f64> {
    let reasons = view.reasons(record.number)?;
    let reasons = reasons.and_then(|reasons| serde_json::from_str::<Reasons>(&reasons).ok());
    let surprise = reasons.map_or(0.5, |reasons| reasons.prediction_error);
    Ok(turn(surprise, record.memory.utility, record.memory.importance))
}
