//! Stretches: a conversation that is old and hardly opened is condensed into its weightiest memories. The digest names
//! every message of it, so that every word is one step away.

use crate::rhythm::{
    digest::lines::{DIGESTS_PER_BATCH, MAX_DIGEST_LINES, dated_line},
    step_context::{StepContext, StepDecision},
    watermark,
};
use cairn_cognition::{stretch::is_closed, utility::weighed_value};
use cairn_domain::{Digest, DigestKind, MILLIS_PER_HOUR, Privacy, Time};
use cairn_store::{
    After, MemoryFilter, MemoryRecord, MemoryScope, Result, RhythmBatch, SessionMessage, SessionRecord, View,
};
use std::collections::BTreeMap;

/// It is done once a day; a little less, since schedules wander.
const MIN_INTERVAL_MS: i64 = 20 * MILLIS_PER_HOUR;
/// Sessions that are looked at in all, and in one batch.
const MAX_SESSIONS: usize = 20_000;
const SESSIONS_PER_BATCH: usize = 500;
/// A session of fewer messages is as short as its digest would be.
const MIN_MESSAGES: u64 = 8;
/// Messages that one digest names; a longer session has several.
const MESSAGES_PER_PART: u32 = 500;
/// Memories of a session that are looked at.
const MAX_MEMORIES: u32 = 2_000;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &StepContext<'_>) -> Result<StepDecision> {
    let done = view.watermark(watermark::STRETCHES)?;
    if context.place == 0 && done.is_some_and(|done| context.now.millis() - done < MIN_INTERVAL_MS) {
        return Ok(StepDecision::nothing("less than a day has passed since the last time"));
    }
    let known: BTreeMap<String, String> = view
        .digest_inputs(DigestKind::Stretch)?
        .into_iter()
        .map(|(scope, _, inputs)| (scope, inputs))
        .collect();
    let all = After { number: context.now.millis(), name: String::new() };
    let sessions = view.sessions(Some(&all), MAX_SESSIONS)?;
    let mut batch = RhythmBatch::default();
    for (at, session) in sessions.iter().enumerate().skip(context.place as usize) {
        if batch.digests.len() >= DIGESTS_PER_BATCH || batch.looked_at as usize == SESSIONS_PER_BATCH {
            return Ok(StepDecision { batch, next: Some(at as i64) });
        }
        batch.looked_at += 1;
        if session.messages >= MIN_MESSAGES {
            condense_session(view, context.now, session, &known, &mut batch)?;
        }
    }
    batch.watermarks.push((watermark::STRETCHES.to_owned(), context.now.millis()));
    Ok(StepDecision::last(batch))
}

/// Condenses a session that is closed, part by part.
fn condense_session(
    view: &mut View<'_>,
    now: Time,
    session: &SessionRecord,
    known: &BTreeMap<String, String>,
    batch: &mut RhythmBatch,
) -> Result<()> {
    let filter =
        MemoryFilter { session: Some(&session.name), scope: MemoryScope::All, ..MemoryFilter::default() };
    let mut memories = view.memories(filter, u32::MAX, MAX_MEMORIES)?;
    let opened = memories.iter().filter(|record| record.memory.accesses > 0);
    let last = opened.map(|record| record.memory.accessed_at).max();
    let uses = memories.iter().map(|record| u64::from(record.memory.accesses)).sum();
    let age = session.last_at.days_until(now);
    let idle = last.map_or(age, |last| last.days_until(now));
    if !is_closed(age, idle, uses, memories.len() as u64) {
        return Ok(());
    }
    memories.retain(|it| it.memory.form.is_told() && it.memory.privacy != Privacy::Private);
    let mut from = 0;
    for part in 1.. {
        let messages = view.session_messages(&session.name, from, MESSAGES_PER_PART)?;
        let Some(last) = messages.last() else { break };
        from = last.seq + 1;
        let scope = if part == 1 {
            format!("session:{}", session.name)
        } else {
            format!("session:{}#{part}", session.name)
        };
        let digest = part_digest(view, session, scope, &messages, &memories)?;
        if known.get(&digest.scope) != Some(&digest.inputs) {
            batch.digests.push(digest);
        }
        if messages.len() < MESSAGES_PER_PART as usize {
            break;
        }
    }
    Ok(())
}

fn part_digest(
    view: &mut View<'_>,
    session: &SessionRecord,
    scope: String,
    messages: &[SessionMessage],
    memories: &[MemoryRecord],
) -> Result<Digest> {
    let seqs: Vec<u32> = messages.iter().map(|message| message.seq).collect();
    let here: Vec<u32> = view.memories_on_messages(&seqs)?.into_iter().map(|(_, number)| number).collect();
    let mut told: Vec<&MemoryRecord> = memories.iter().filter(|it| here.contains(&it.number)).collect();
    let weight = |record: &MemoryRecord| weighed_value(0.0, record.memory.utility, record.memory.importance);
    told.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.number.cmp(&b.number)));
    told.truncate(MAX_DIGEST_LINES);
    told.sort_by_key(|record| (record.memory.valid_from, record.number));
    let title = session.title.as_deref().unwrap_or(&session.name);
    let mut lines: Vec<String> = told.iter().map(|record| dated_line(record)).collect();
    if lines.is_empty() {
        lines.push(format!("- {}: {title}", session.first_at.day()));
    }
    let parts = told.iter().map(|record| (record.number, record.revision));
    let ends = seqs.first().copied().zip(seqs.last().copied());
    Ok(Digest {
        kind: DigestKind::Stretch,
        scope,
        from: messages.first().map_or(session.first_at, |message| message.said_at),
        until: messages.last().map_or(session.last_at, |message| message.said_at),
        text: lines.join("\n"),
        sources: messages.iter().map(|message| message.id.to_string()).collect(),
        inputs: crate::rhythm::digest::lines::inputs_fingerprint(parts.chain(ends)),
        made_by: "rules".to_owned(),
    })
}
