//! Revalidation: beliefs that are due are looked at again. What came in since was taken in by the step before; what is left
//! is how current they are, and whether more speaks against them than for them.

use crate::{
    belief::weigh::{EvidenceVerdict, evidence_verdict, rescored_belief},
    rhythm::{StepContext, StepDecision},
};
use cairn_domain::{Belief, ConfidenceParts, ReceiptAction, ReceiptDetail};
use cairn_store::{BeliefChange, BeliefChanges, BeliefRecord, BeliefTransition, Result, RhythmBatch, View};

/// Who does it, in the ledger.
const ACTOR: &str = "rhythm:revalidation";

pub(crate) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let records = view.due_beliefs(context.now, context.number(), context.config.batch)?;
    let full = records.len() as u32 == context.config.batch;
    let mut changes = Vec::new();
    for record in &records {
        changes.extend(revalidated(view, record, context)?);
    }
    let beliefs = BeliefChanges { actor: ACTOR.to_owned(), changes, considered: Vec::new() };
    let batch = RhythmBatch { looked_at: records.len() as u32, beliefs, ..RhythmBatch::default() };
    Ok(StepDecision::continue_after(batch, records.last().map(|record| record.number).filter(|_| full)))
}

fn revalidated(
    view: &mut View<'_>,
    record: &BeliefRecord,
    context: &StepContext<'_>,
) -> Result<Option<BeliefChange>> {
    let links = view.links_of(record.number)?;
    let belief = rescored_belief(&record.belief, &links, context.now, context.beliefs);
    let Some(verdict) = evidence_verdict(&belief) else { return Ok(None) };
    let (action, reason) = match verdict {
        EvidenceVerdict::Outweighed => {
            let ConfidenceParts { contradiction_weight, support_weight, .. } = belief.parts;
            let reason = format!("{contradiction_weight:.1} against it outweighs {support_weight:.1} for it");
            (ReceiptAction::Invalidate, reason)
        }
        EvidenceVerdict::Stale => {
            let (last, days) = (belief.last_supported_at, context.beliefs.cadence_days.of(belief.kind));
            let reason = format!("nothing spoke for it since {}, {days} days are its time", last.minute());
            (ReceiptAction::Stale, reason)
        }
    };
    let status = verdict.status();
    let told = ReceiptDetail {
        was: format!("{}, freshness {:.2}", record.belief.status, record.belief.freshness),
        becomes: format!("{status}, freshness {:.2}", belief.freshness),
        reason,
        ..ReceiptDetail::default()
    };
    let belief = Box::new(Belief { status, ..belief });
    let what = BeliefTransition::Moved { number: record.number, belief, links: Vec::new() };
    Ok(Some(BeliefChange { what, action, told }))
}
