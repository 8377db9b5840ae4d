//! Memories that were given in an answer are strengthened a little, in proportion to how far they had faded. A memory
//! that was only searched is not.

use crate::{
    agent::Agent,
    error::Result,
    limits::MAX_STRENGTHENED_MEMORIES,
    read::{Brief, Hit, Recall},
};
use cairn_cognition::{
    hebbian::{recalled_pairs, strengthened_by_recall},
    retention::RetentionCurve,
    strength::Strength,
};
use cairn_domain::{Memory, MemoryId, Time};
use cairn_store::MemoryRecord;

impl Agent {
    /// Takes note that an answer was really given: the memories in it that hold are strengthened and counted as shown, and
    /// those that the session has in mind were used in it.
    pub(crate) async fn strengthen_answer(&self, recall: &Recall, session: Option<&str>) -> Result<()> {
        self.strengthen_memories(shown(recall, self.now()), session).await
    }

    /// Takes note that a brief was really put before a model: the same for the memories that stand in it.
    pub(crate) async fn strengthen_brief(&self, brief: &Brief, session: Option<&str>) -> Result<()> {
        let memories = brief.refs.iter().filter_map(|reference| reference.parse::<MemoryId>().ok());
        let (ids, now): (Vec<MemoryId>, Time) =
            (memories.take(MAX_STRENGTHENED_MEMORIES).collect(), self.now());
        let records = self.store.read(|view| {
            let records = ids.iter().map(|id| view.memory(*id)).collect::<cairn_store::Result<Vec<_>>>()?;
            Ok(records.into_iter().flatten().collect::<Vec<MemoryRecord>>())
        });
        let records = records.await?;
        let holding = records.iter().filter(|record| record.memory.holds(now));
        self.strengthen_memories(holding.collect(), session).await
    }

    async fn strengthen_memories(&self, records: Vec<&MemoryRecord>, session: Option<&str>) -> Result<()> {
        let now = self.now();
        let given: Vec<(u32, Memory)> =
            records.into_iter().map(|record| (record.number, recalled(&record.memory, now))).collect();
        if given.is_empty() {
            return Ok(());
        }
        let numbers: Vec<u32> = given.iter().map(|(number, _)| *number).collect();
        if let Some(session) = session {
            self.store.touch_working(session.to_owned(), numbers.clone(), now).await?;
        }
        Ok(self.store.give(given, recalled_pairs(&numbers), now).await?)
    }
}

/// A memory that came to mind.
pub(super) fn recalled(memory: &Memory, now: Time) -> Memory {
    let Memory { storage, stability, accesses, accessed_at, .. } = *memory;
    let before = Strength { storage, stability, accesses, last_access: accessed_at };
    let Strength { storage, stability, .. } = strengthened_by_recall(before, now, RetentionCurve::default());
    Memory { storage, stability, ..memory.clone() }
}

/// The memories of an answer that hold, each once.
fn shown(recall: &Recall, now: Time) -> Vec<&MemoryRecord> {
    let mut shown: Vec<&MemoryRecord> = Vec::new();
    for record in recall.hits.iter().flat_map(Hit::own_memories) {
        if record.memory.holds(now) && shown.iter().all(|known| known.number != record.number) {
            shown.push(record);
        }
    }
    shown.truncate(MAX_STRENGTHENED_MEMORIES);
    shown
}
