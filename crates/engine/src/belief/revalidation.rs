//! Revalidation: beliefs that are due are looked at again. What came in since was taken in by the step before; what is left
//! is how current they are, and whether more speaks against them than for them.

use super::weigh::scored;
use crate::rhythm::{Context, Decided};
use cairn_cognition::belief::{confidence::is_outweighed, freshness::is_stale};
use cairn_domain::{Belief, BeliefLane, BeliefStatus, ReceiptAction, ReceiptDetail};
use cairn_store::{Batch, Becomes, BeliefChange, BeliefRecord, Believing, Result, View};

/// Who does it, in the ledger.
const ACTOR: &str = "rhythm:revalidation";

pub(crate) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let records = view.due_beliefs(context.now, context.number(), context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let mut changes = Vec::new();
    for record in &records {
        changes.extend(looked_at(view, record, context)?);
    }
    let beliefs = Believing { actor: ACTOR.to_owned(), changes, considered: Vec::new() };
    let batch = Batch { looked_at: records.len() as u32, beliefs, ..Batch::default() };
    Ok(Decided::page(batch, records.last().map(|record| record.number), full))
}

fn looked_at(
    view: &mut View<'_>,
    record: &BeliefRecord,
    context: &Context<'_>,
) -> Result<Option<BeliefChange>> {
    let links = view.links_of(record.number)?;
    let belief = scored(&record.belief, &links, context.now, context.beliefs);
    let (status, action, reason) = if is_outweighed(&belief.parts) && belief.lane == BeliefLane::Candidate {
        let reason = format!(
            "{:.1} against it outweighs {:.1} for it",
            belief.parts.contradiction_weight, belief.parts.support_weight
        );
        (BeliefStatus::Invalidated, ReceiptAction::Invalidate, reason)
    } else if is_stale(belief.freshness) {
        let days = context.beliefs.cadence_days.of(belief.kind);
        let reason = format!(
            "nothing spoke for it since {}, {days} days are its time",
            belief.last_supported_at.minute()
        );
        (BeliefStatus::Stale, ReceiptAction::Stale, reason)
    } else {
        return Ok(None);
    };
    let told = ReceiptDetail {
        was: format!("{}, freshness {:.2}", record.belief.status, record.belief.freshness),
        becomes: format!("{status}, freshness {:.2}", belief.freshness),
        reason,
        ..ReceiptDetail::default()
    };
    let belief = Box::new(Belief { status, ..belief });
    let what = Becomes::Moved { number: record.number, belief, links: Vec::new() };
    Ok(Some(BeliefChange { what, action, told }))
}
