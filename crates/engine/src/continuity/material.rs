//! Material: what was said last in a session or a thread, and what of it no longer holds.

use crate::{Agent, Result};
use cairn_domain::{HandoffScope, MessageId, Status, WriteSource};
use cairn_store::{MemoryFilter, MemoryRecord, MessageRecord, View};
use std::collections::{HashMap, HashSet};

/// Messages that a handoff is made of, at most: the last ones.
const MAX_MESSAGES: u32 = 120;
/// Memories among which older commitments of a thread are looked for.
const MAX_MEMORIES_SEARCHED: u32 = 300;

/// A memory that has replaced another one.
#[derive(Debug, Clone)]
pub(crate) struct ValueChange {
    pub(crate) later: MemoryRecord,
    pub(crate) earlier: MemoryRecord,
    /// The message that told it, and its words.
    pub(crate) told: Option<(MessageId, String)>,
}

/// Words of messages that no longer hold: what replaced them was said later, or somebody wanted them forgotten.
#[derive(Debug, Default)]
pub(crate) struct OutdatedWords {
    words: HashMap<MessageId, Vec<String>>,
    /// Messages of which nothing holds any more, or somebody wanted something forgotten.
    whole: HashSet<MessageId>,
}

impl OutdatedWords {
    /// Whether these words of a message hold no longer.
    pub(crate) fn contains(&self, message: MessageId, said: &str) -> bool {
        let said = folded(said);
        let over = |words: &String| words.contains(&said) || said.contains(words.as_str());
        self.contains_whole(message) || self.words.get(&message).is_some_and(|words| words.iter().any(over))
    }

    /// Whether nothing of a message holds any more.
    pub(crate) fn contains_whole(&self, message: MessageId) -> bool {
        self.whole.contains(&message)
    }
}

/// A text with single spaces, as far as a line quotes it.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace(['“', '”'], "\"")
}

/// The ground of a handoff.
pub(crate) struct HandoffMaterial {
    /// The last messages, in order.
    pub(crate) messages: Vec<MessageRecord>,
    pub(crate) outdated: OutdatedWords,
    /// Values that these messages changed, the earliest first.
    pub(crate) changes: Vec<ValueChange>,
    /// Memories of the thread that hold and were said before these messages.
    pub(crate) older: Vec<MemoryRecord>,
}

impl Agent {
    /// The ground of a handoff about this. Of a session it is the named one.
    pub(crate) async fn handoff_material(
        &self,
        scope: &HandoffScope,
        session: &str,
    ) -> Result<HandoffMaterial> {
        let material = self.store.read(|view| {
            let mut messages = match scope {
                HandoffScope::Session => view.of_session(session, None, MAX_MESSAGES)?,
                HandoffScope::Thread(thread) => {
                    let seqs = view.seqs_of_thread(thread, MAX_MESSAGES)?;
                    view.messages_at(&seqs)?
                }
            };
            messages.sort_by_key(|record| record.seq);
            let older = match scope {
                HandoffScope::Session => Vec::new(),
                HandoffScope::Thread(thread) => older_memories(view, thread, &messages)?,
            };
            let (outdated, numbers) = outdated(view, &messages)?;
            let changes = changes_by(view, &numbers)?;
            Ok(HandoffMaterial { messages, outdated, changes, older })
        });
        Ok(material.await?)
    }
}

/// The words of these messages that no longer hold, and the memories that rest on them.
pub(crate) fn outdated(
    view: &mut View<'_>,
    messages: &[MessageRecord],
) -> cairn_store::Result<(OutdatedWords, Vec<u32>)> {
    let seqs: Vec<u32> = messages.iter().map(|record| record.seq).collect();
    let pairs = view.memories_on_messages(&seqs)?;
    let mut numbers: Vec<u32> = pairs.iter().map(|(_, number)| *number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let records = view.memories_at(&numbers)?;
    let heirs: Vec<u32> = records.iter().filter_map(|record| record.superseded_by).collect();
    let told: HashSet<u32> =
        view.memories_at(&heirs)?.iter().filter(|heir| is_told(heir)).map(|heir| heir.number).collect();
    let is_over = |record: &&MemoryRecord| {
        let replaced = record.memory.status == Status::Superseded
            && record.superseded_by.is_some_and(|heir| told.contains(&heir));
        replaced || record.memory.is_forgotten()
    };
    let over: HashMap<u32, &MemoryRecord> =
        records.iter().filter(is_over).map(|record| (record.number, record)).collect();
    let mut outdated = OutdatedWords::default();
    for record in messages {
        let mut resting = pairs.iter().filter(|(seq, _)| *seq == record.seq).peekable();
        if resting.peek().is_some() && resting.all(|(_, number)| over.contains_key(number)) {
            outdated.whole.insert(record.message.id);
        }
    }
    for (number, evidence) in view.evidence_of_each(&over.keys().copied().collect::<Vec<_>>())? {
        let Ok(message) = evidence.source.parse::<MessageId>() else { continue };
        if over.get(&number).is_some_and(|record| record.memory.is_forgotten()) {
            outdated.whole.insert(message);
        }
        outdated.words.entry(message).or_default().push(folded(&evidence.excerpt));
    }
    Ok((outdated, numbers))
}

/// A memory that somebody told replaces another one; a theme only stands for it.
fn is_told(record: &MemoryRecord) -> bool {
    record.memory.write_source != WriteSource::Dream
}

/// The values that these memories changed.
pub(crate) fn changes_by(view: &mut View<'_>, numbers: &[u32]) -> cairn_store::Result<Vec<ValueChange>> {
    let pairs = view.replaced_by(numbers)?;
    let mut ends: Vec<u32> = pairs.iter().flat_map(|(later, earlier)| [*later, *earlier]).collect();
    ends.sort_unstable();
    ends.dedup();
    let records: HashMap<u32, MemoryRecord> =
        view.memories_at(&ends)?.into_iter().map(|record| (record.number, record)).collect();
    let laters: Vec<u32> = pairs.iter().map(|(later, _)| *later).collect();
    let mut told: HashMap<u32, (MessageId, String)> = HashMap::new();
    for (number, evidence) in view.evidence_of_each(&laters)? {
        if let Ok(message) = evidence.source.parse() {
            told.insert(number, (message, evidence.excerpt));
        }
    }
    let change = |(later, earlier): (u32, u32)| {
        let told = told.get(&later).cloned();
        Some(ValueChange {
            later: records.get(&later)?.clone(),
            earlier: records.get(&earlier)?.clone(),
            told,
        })
    };
    let holds = |change: &ValueChange| {
        let stands = |record: &MemoryRecord| !record.memory.is_forgotten();
        is_told(&change.later)
            && change.later.memory.status != Status::Superseded
            && change.earlier.memory.status == Status::Superseded
            && stands(&change.later)
            && stands(&change.earlier)
    };
    let mut changes: Vec<ValueChange> = pairs.into_iter().filter_map(change).filter(holds).collect();
    changes.sort_by_key(|change| (change.later.memory.valid_from, change.later.number));
    Ok(changes)
}

/// The memories of a thread that hold and rest on none of its last messages.
fn older_memories(
    view: &mut View<'_>,
    thread: &str,
    messages: &[MessageRecord],
) -> cairn_store::Result<Vec<MemoryRecord>> {
    let Some(first) = messages.first().filter(|_| messages.len() as u32 == MAX_MESSAGES) else {
        return Ok(Vec::new());
    };
    let filter = MemoryFilter::default();
    let mut memories = view.memories(filter, u32::MAX, MAX_MEMORIES_SEARCHED)?;
    memories.retain(|record| {
        let memory = &record.memory;
        memory.thread.as_deref() == Some(thread)
            && memory.valid_from < first.message.at
            && !memory.is_forgotten()
    });
    memories.reverse();
    Ok(memories)
}
