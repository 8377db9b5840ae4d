//! Working memory: what a running session has in mind, nine things at most.

use crate::write::decide::neighborhood::SessionState;
use cairn_cognition::working::{WorkingItem, WorkingMemory};
use cairn_domain::{Memory, Time};
use cairn_store::{Formation, MemoryRecord, WorkingRecord};

/// Lets a session have a new memory in mind, which may push something else out; whether it has.
pub(crate) fn put_in_working_memory(
    formation: &mut Formation,
    name: &str,
    session: &SessionState,
    new: &Memory,
    at: Time,
) -> bool {
    // What an earlier statement of the same message has pushed out stays out.
    let known: Vec<&(WorkingRecord, MemoryRecord)> = match &formation.working {
        Some((_, kept)) => session.working.iter().filter(|(item, _)| kept.contains(item)).collect(),
        None => session.working.iter().collect(),
    };
    let made = formation.made.iter().filter(|made| made.in_mind).map(|made| &made.memory);
    let mut mind = WorkingMemory::default();
    for (item, record) in &known {
        mind.put(working_entry(&record.memory, item.accesses, item.added_at, item.accessed_at));
    }
    for memory in made {
        mind.put(working_entry(memory, 0, at, at));
    }
    mind.put(working_entry(new, 0, at, at));
    let has = |memory: &Memory| mind.entries().iter().any(|entry| entry.id == memory.id.to_string());
    let kept =
        known.into_iter().filter(|(_, record)| has(&record.memory)).map(|(item, _)| item.clone()).collect();
    formation.working = Some((name.to_owned(), kept));
    has(new)
}

/// A memory as something that a session has in mind.
pub(crate) fn working_entry(
    memory: &Memory,
    accesses: u32,
    added_at: Time,
    last_accessed: Time,
) -> WorkingItem {
    WorkingItem {
        id: memory.id.to_string(),
        text: memory.text.clone(),
        importance: memory.importance,
        accesses,
        added_at,
        last_accessed,
    }
}
