//! Consolidation: what memories have to say that nobody has looked at yet becomes belief. First those that changed since
//! they were looked at, then new ones by their number; each page is decided and written at once, with how far that came.

use crate::{
    belief::{
        config::BeliefConfig,
        decide::{BeliefDecider, skip_receipt},
        gather::{GatheredKeys, KeyGatherer},
    },
    rhythm::{StepContext, StepDecision, watermark},
};
use cairn_domain::{MemoryId, Time};
use cairn_store::{BeliefChange, BeliefChanges, Result, RhythmBatch, View};

/// Who does it, in the ledger.
const ACTOR: &str = "rhythm:beliefs";
/// Memories named in one receipt.
const MAX_NAMED_MEMORIES: usize = 8;

pub(crate) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let most = context.config.batch;
    let reached = view.watermark(watermark::BELIEFS)?.unwrap_or(0);
    let again = view.to_reconsider(most)?;
    let mut batch = RhythmBatch::default();
    let (numbers, more) = if again.is_empty() {
        let numbers: Vec<u32> =
            view.memories_onward(reached as u32, most)?.iter().map(|record| record.number).collect();
        if let Some(last) = numbers.last() {
            batch.watermarks.push((watermark::BELIEFS.to_owned(), i64::from(*last) + 1));
        }
        let full = numbers.len() as u32 == most;
        (numbers, full)
    } else {
        // Those that nobody has looked at yet come with the new ones.
        let numbers = again.iter().copied().filter(|number| i64::from(*number) < reached).collect();
        (numbers, true)
    };
    batch.looked_at = numbers.len() as u32;
    let changes = belief_changes(view, &numbers, context.now, context.beliefs, Skips::Noted)?;
    batch.beliefs = BeliefChanges { actor: ACTOR.to_owned(), changes, considered: again };
    Ok(StepDecision { batch, next: more.then_some(context.place + 1) })
}

/// Whether receipts are written for what is not held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skips {
    /// With the reason for each.
    Noted,
    /// Nothing is noted.
    Silent,
}

/// The changes that some memories make to beliefs.
pub(super) fn belief_changes(
    view: &mut View<'_>,
    numbers: &[u32],
    now: Time,
    config: &BeliefConfig,
    skips: Skips,
) -> Result<Vec<BeliefChange>> {
    let GatheredKeys { groups, silent, unsure } = KeyGatherer::new(view, now).gather(numbers)?;
    let deciding = BeliefDecider { now, config };
    let mut changes: Vec<BeliefChange> = groups.iter().flat_map(|group| deciding.decide(group)).collect();
    if skips == Skips::Silent {
        changes.retain(|change| change.action != cairn_domain::ReceiptAction::Skip);
        return Ok(changes);
    }
    if let (Some(first), Some(last)) = (numbers.first(), numbers.last()) {
        let subject = format!("memories {first}–{last}");
        for (ids, why) in
            [(silent, "say nothing that could be held"), (unsure, "are still to be made sure of")]
        {
            changes.extend(combined_skip(&subject, &ids, why));
        }
    }
    Ok(changes)
}

/// One receipt for all memories that lead to nothing for the same reason.
fn combined_skip(subject: &str, ids: &[MemoryId], why: &str) -> Option<BeliefChange> {
    let named: Vec<String> = ids.iter().take(MAX_NAMED_MEMORIES).map(ToString::to_string).collect();
    let rest = if ids.len() > MAX_NAMED_MEMORIES { " …" } else { "" };
    let reason = format!("{} {why}: {}{rest}", ids.len(), named.join(" "));
    (!ids.is_empty()).then(|| skip_receipt(subject, &reason))
}
