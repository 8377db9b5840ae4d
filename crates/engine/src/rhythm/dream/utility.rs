//! Utility decay: how useful a memory has been counts less with time, back to the middle.

use super::{JUST_DONE, page, since};
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{promotion::days_between, utility::drifted};
use cairn_domain::{Memory, Time};
use cairn_store::{Result, View, What};

/// Until when utility has drifted.
const WATERMARK: &str = "dream/utility decay";
/// A change smaller than this is none.
const LEAST: f64 = 1e-9;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let (until, passed) = since(view, WATERMARK, context.now)?;
    if !passed {
        return Ok(Decided::nothing(JUST_DONE));
    }
    let mut decided = page(view, context, |record| {
        let memory = &record.memory;
        let after = utility_after(memory, until, context.now);
        let moved = (memory.utility - after).abs() > LEAST;
        moved.then(|| (What::Drifts(memory.utility, after), String::new()))
    })?;
    if decided.next.is_none() {
        decided.batch.watermarks.push((WATERMARK.to_owned(), context.now.millis()));
    }
    Ok(decided)
}

/// The utility of a memory tonight.
pub(super) fn utility_tonight(view: &mut View<'_>, now: Time) -> Result<impl Fn(&Memory) -> f64 + use<>> {
    let (until, passed) = since(view, WATERMARK, now)?;
    Ok(move |memory: &Memory| if passed { utility_after(memory, until, now) } else { memory.utility })
}

fn utility_after(memory: &Memory, until: Option<Time>, now: Time) -> f64 {
    let from = until.map_or(memory.utility_at, |until| until.max(memory.utility_at));
    drifted(memory.utility, days_between(from, now))
}
