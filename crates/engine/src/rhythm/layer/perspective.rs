//! Perspectives: three digests a layer. What it looks back on is what no longer holds or is older than its horizon, what it
//! holds now is the weightiest that is active, what it looks forward to are plans that are still to come. A new version is
//! written when what is chosen has changed.

use crate::rhythm::{
    digest::lines::{MAX_DIGEST_LINES, dated_line, inputs_fingerprint},
    step_context::{StepContext, StepDecision},
};
use cairn_cognition::utility::weighed_value;
use cairn_domain::{Digest, DigestKind, Privacy, Tier, Time};
use cairn_store::{MemoryRecord, Result, RhythmBatch, View};

/// Memories read at a time.
const PAGE_MEMORIES: u32 = 1_000;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let Some((layer, config)) = context.layer else { return Ok(StepDecision::nothing("")) };
    let kinds = [DigestKind::Retrospective, DigestKind::Current, DigestKind::Future];
    let mut chosen: [Vec<MemoryRecord>; 3] = Default::default();
    let (mut number, mut looked_at) = (0, 0);
    loop {
        let records = view.memories_onward(number, PAGE_MEMORIES)?;
        let Some(last) = records.last() else { break };
        (number, looked_at) = (last.number + 1, looked_at + records.len() as u32);
        for record in records {
            let belongs = record.memory.layer == layer && record.memory.privacy != Privacy::Private;
            if belongs {
                chosen[perspective_index(&record, context.now, config.horizon_days)].push(record);
            }
        }
        for (at, records) in chosen.iter_mut().enumerate() {
            sort_by_weight(records, at);
            records.truncate(MAX_DIGEST_LINES);
        }
    }
    let mut batch = RhythmBatch { looked_at, ..RhythmBatch::default() };
    for (kind, records) in kinds.into_iter().zip(&chosen) {
        let inputs = inputs_fingerprint(records.iter().map(|record| (record.number, record.revision)));
        let known = view.digests(kind, Some(layer), 1)?.pop();
        let nothing_yet = known.is_none() && records.is_empty();
        if nothing_yet || known.is_some_and(|known| known.digest.inputs == inputs) {
            continue;
        }
        let lines: Vec<String> = records.iter().map(dated_line).collect();
        batch.digests.push(Digest {
            kind,
            scope: layer.to_owned(),
            from: Time::from_millis(0),
            until: context.now,
            text: lines.join("\n"),
            sources: records.iter().map(|record| record.memory.id.to_string()).collect(),
            inputs,
            made_by: "rules".to_owned(),
        });
    }
    Ok(StepDecision::last(batch))
}

/// To which of the three a memory belongs.
fn perspective_index(record: &MemoryRecord, now: Time, horizon_days: f64) -> usize {
    let memory = &record.memory;
    let active = memory.is_active();
    if active && memory.valid_until.is_some_and(|until| until > now) {
        return 2;
    }
    let recent = memory.valid_from.days_until(now) <= horizon_days;
    usize::from(active && (recent || memory.tier == Tier::Semantic))
}

/// The weightiest memories first; in the future perspective, those that expire next.
fn sort_by_weight(records: &mut [MemoryRecord], at: usize) {
    if at == 2 {
        records.sort_by_key(|record| (record.memory.valid_until, record.number));
        return;
    }
    let weight = |record: &MemoryRecord| weighed_value(0.0, record.memory.utility, record.memory.importance);
    records.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(b.number.cmp(&a.number)));
}
