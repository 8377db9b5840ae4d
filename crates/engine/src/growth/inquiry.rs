//! Inquiries are opened for what did not fit: a correction that replaced something, two memories that cannot both hold. The same
//! matter is opened once; that it came up again is counted.

use crate::{
    growth::proposal::ProposalEvidence,
    rhythm::{StepContext, StepDecision},
    stored_json::to_stored_json,
};
use cairn_cognition::{
    contemplation::{inquiry_question, is_same_topic, topic},
    excerpt::{excerpt, on_one_line},
};
use cairn_domain::{
    Category, InquiryId, InquiryProgress, InquirySource, MILLIS_PER_DAY, Privacy, RelationKind, Time,
};
use cairn_store::{Batch, GrowthBatch, InquiryRecord, MemoryRecord, Result, View};

/// Up to which memory candidates were looked for. The name is stored, so it never changes.
const INQUIRIES: &str = "growth/inquiries";
/// Inquiries among which the same matter is looked for.
const MAX_KNOWN_INQUIRIES: u32 = 200;
/// An inquiry that ended this long ago is opened anew.
const SETTLED_FOR_MS: i64 = 7 * MILLIS_PER_DAY;
/// Inquiries opened in one batch at most.
const MAX_OPENED: usize = 20;
/// Maximum characters that are quoted.
const MAX_QUOTED_CHARS: usize = 160;

/// Something that did not fit.
pub(super) struct InquiryCandidate {
    pub(super) source: InquirySource,
    /// As it was held.
    pub(super) before: ProposalEvidence,
    /// As it was said then.
    pub(super) after: ProposalEvidence,
}

/// Opens inquiries for the next memories that do not fit what was known.
pub(crate) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    if !context.growth.inquiries {
        return Ok(StepDecision::nothing("growth.inquiries is off"));
    }
    let from = view.watermark(INQUIRIES)?.unwrap_or(0) as u32;
    let records = view.memories_onward(from, context.config.batch)?;
    let Some(last) = records.last().map(|record| record.number) else {
        return Ok(StepDecision::nothing(""));
    };
    let mut batch = Batch { looked_at: records.len() as u32, ..Batch::default() };
    batch.watermarks.push((INQUIRIES.to_owned(), i64::from(last) + 1));
    let mut known = view.inquiries(MAX_KNOWN_INQUIRIES)?;
    let mut growth = GrowthBatch::default();
    for record in &records {
        for candidate in candidates_of(view, record)? {
            let opened = opened_inquiry(&candidate, context.now)?;
            let open = |one: &&InquiryRecord| {
                let ended = one.progress.due_at.is_none()
                    && context.now.millis() - one.seen_at.millis() > SETTLED_FOR_MS;
                !ended && one.source == opened.source && is_same_topic(&one.topic, &opened.topic)
            };
            match known.iter().find(open) {
                Some(same) => growth.seen.push(same.id),
                None if growth.opened.len() < MAX_OPENED => {
                    known.push(opened.clone());
                    growth.opened.push(opened);
                }
                None => {}
            }
        }
    }
    // What was opened in this batch was counted when it was opened.
    let opened: Vec<InquiryId> = growth.opened.iter().map(|one| one.id).collect();
    growth.seen.retain(|id| !opened.contains(id));
    batch.growth = growth;
    let more = records.len() as u32 == context.config.batch;
    Ok(StepDecision { batch, next: more.then_some(context.place + 1) })
}

/// The memories that a memory does not fit: those it set right, and those it contradicts.
fn candidates_of(view: &mut View<'_>, record: &MemoryRecord) -> Result<Vec<InquiryCandidate>> {
    if !record.memory.form.is_told() || record.memory.privacy == Privacy::Private {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for relation in view.relations(record.number)?.into_iter().filter(|it| it.from == record.number) {
        let source = match relation.kind {
            RelationKind::Supersedes if record.memory.category == Category::Correction => {
                InquirySource::Correction
            }
            RelationKind::Contradicts => InquirySource::Contradiction,
            _ => continue,
        };
        let Some(before) = view.memories_at(&[relation.to])?.pop() else { continue };
        found.push(InquiryCandidate { source, before: quoted(&before), after: quoted(record) });
    }
    Ok(found)
}

fn quoted(record: &MemoryRecord) -> ProposalEvidence {
    let quoted = excerpt(&on_one_line(&record.memory.text), MAX_QUOTED_CHARS, |_| 1.0);
    ProposalEvidence { reference: record.memory.id.to_string(), quoted }
}

fn opened_inquiry(candidate: &InquiryCandidate, now: Time) -> Result<InquiryRecord> {
    let InquiryCandidate { source, before, after } = candidate;
    let question = inquiry_question(*source, &before.quoted, &after.quoted);
    let topic = topic(&format!("{} {}", before.quoted, after.quoted));
    Ok(InquiryRecord {
        id: InquiryId::of(*source, &after.reference, &before.reference),
        source: *source,
        topic,
        question,
        evidence: to_stored_json("the evidence", &[before, after])?,
        opened_at: now,
        seen: 1,
        seen_at: now,
        progress: InquiryProgress::opened(now),
    })
}
