//! Stretches: a conversation that is old and hardly opened is condensed into its weightiest memories. The digest names
//! every message of it, so that every word is one step away.

use super::{LINES, PER_BATCH, line};
use crate::rhythm::step::{Context, Decided};
use cairn_cognition::{promotion::days_between, stretch::is_closed, utility::worth};
use cairn_domain::{Digest, DigestKind, Privacy, Time};
use cairn_store::{After, Batch, MemoryFilter, MemoryRecord, Result, SessionMessage, SessionRecord, View};
use std::collections::BTreeMap;

/// When this was last done.
const WATERMARK: &str = "digests/stretches";
/// It is done once a day; a little less, since schedules wander.
const REST_MS: i64 = 20 * 60 * 60 * 1_000;
/// Sessions that are looked at in all, and in one batch.
const SESSIONS: usize = 20_000;
const LOOKED_AT: usize = 500;
/// A session of fewer messages is as short as its digest would be.
const LEAST: u64 = 8;
/// Messages that one digest names; a longer session has several.
const PART: u32 = 500;
/// Memories of a session that are looked at.
const MEMORIES: u32 = 2_000;

pub(in crate::rhythm) fn decide(view: &mut View<'_>, context: &Context<'_>) -> Result<Decided> {
    let done = view.watermark(WATERMARK)?;
    if context.place == 0 && done.is_some_and(|done| context.now.millis() - done < REST_MS) {
        return Ok(Decided::nothing("less than a day has passed since the last time"));
    }
    let known: BTreeMap<String, String> = view
        .digest_inputs(DigestKind::Stretch)?
        .into_iter()
        .map(|(scope, _, inputs)| (scope, inputs))
        .collect();
    let all = After { number: context.now.millis(), name: String::new() };
    let sessions = view.sessions(Some(&all), SESSIONS)?;
    let mut batch = Batch::default();
    for (at, session) in sessions.iter().enumerate().skip(context.place as usize) {
        if batch.digests.len() >= PER_BATCH || batch.looked_at as usize == LOOKED_AT {
            return Ok(Decided { batch, next: Some(at as i64) });
        }
        batch.looked_at += 1;
        if session.messages >= LEAST {
            condense(view, context.now, session, (&known, &mut batch))?;
        }
    }
    batch.watermarks.push((WATERMARK.to_owned(), context.now.millis()));
    Ok(Decided::last(batch))
}

/// Condenses a session that is closed, part by part.
fn condense(
    view: &mut View<'_>,
    now: Time,
    session: &SessionRecord,
    (known, batch): (&BTreeMap<String, String>, &mut Batch),
) -> Result<()> {
    let filter = MemoryFilter { session: Some(&session.name), all: true };
    let mut memories = view.memories(filter, u32::MAX, MEMORIES)?;
    let opened = memories.iter().filter(|record| record.memory.accesses > 0);
    let last = opened.map(|record| record.memory.accessed_at).max();
    let uses = memories.iter().map(|record| u64::from(record.memory.accesses)).sum();
    let age = days_between(session.last_at, now);
    let idle = last.map_or(age, |last| days_between(last, now));
    if !is_closed(age, idle, uses, memories.len() as u64) {
        return Ok(());
    }
    memories.retain(|it| it.memory.form.is_told() && it.memory.privacy != Privacy::Private);
    let mut from = 0;
    for part in 1.. {
        let messages = view.session_messages(&session.name, from, PART)?;
        let Some(last) = messages.last() else { break };
        from = last.seq + 1;
        let scope = if part == 1 {
            format!("session:{}", session.name)
        } else {
            format!("session:{}#{part}", session.name)
        };
        let digest = digest(view, session, scope, &messages, &memories)?;
        if known.get(&digest.scope) != Some(&digest.inputs) {
            batch.digests.push(digest);
        }
        if messages.len() < PART as usize {
            break;
        }
    }
    Ok(())
}

fn digest(
    view: &mut View<'_>,
    session: &SessionRecord,
    scope: String,
    messages: &[SessionMessage],
    memories: &[MemoryRecord],
) -> Result<Digest> {
    let seqs: Vec<u32> = messages.iter().map(|message| message.seq).collect();
    let here: Vec<u32> = view.memories_on_messages(&seqs)?.into_iter().map(|(_, number)| number).collect();
    let mut told: Vec<&MemoryRecord> = memories.iter().filter(|it| here.contains(&it.number)).collect();
    let weight = |record: &MemoryRecord| worth(0.0, record.memory.utility, record.memory.importance);
    told.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(a.number.cmp(&b.number)));
    told.truncate(LINES);
    told.sort_by_key(|record| (record.memory.valid_from, record.number));
    let title = session.title.as_deref().unwrap_or(&session.name);
    let mut lines: Vec<String> = told.iter().map(|record| line(record, true)).collect();
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
        inputs: super::fingerprint(parts.chain(ends)),
        made_by: "rules".to_owned(),
    })
}
