//! Hot memories: those that come with every question.

use super::memory::{memory_columns, read_memory, select_memory};
use crate::{MemoryRecord, Result, database::values, transaction::Tx};
use cairn_domain::Time;

/// The most memories that are looked at: pinned ones, and those that are much used.
const MAX_HOT_MEMORIES: i64 = 200;

/// The bounds that a memory must reach to come with every question, unless it is pinned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HotThresholds {
    /// How useful, at least.
    pub utility: f64,
    /// How often used, at least.
    pub accesses: u32,
    /// Written down after this.
    pub since: Time,
}

impl Tx<'_> {
    /// Memories that are pinned or reach these thresholds, and neither replaced nor at rest; the most useful first.
    pub fn hot_memories(&mut self, thresholds: &HotThresholds) -> Result<Vec<MemoryRecord>> {
        let pinned = select_memory!(
            "AND m.pinned = 1 AND m.status <> 'superseded' AND m.tier <> 'dormant'
             ORDER BY m.utility DESC, m.number DESC LIMIT ?2"
        );
        // Whatever was written down lately was not used before that: the index over use finds it.
        let used = select_memory!(
            "AND m.accesses > 0 AND m.accessed_at > ?3 AND m.recorded_at > ?3 AND m.pinned = 0 AND m.tier = 'semantic'
             AND m.status <> 'superseded' AND m.utility >= ?4 AND m.accesses >= ?5
             ORDER BY m.utility DESC, m.number DESC LIMIT ?2"
        );
        let mut memories = self.query(pinned, values![self.agent_id, MAX_HOT_MEMORIES], read_memory)?;
        let (since, accesses) = (thresholds.since.millis(), i64::from(thresholds.accesses));
        let values = values![self.agent_id, MAX_HOT_MEMORIES, since, thresholds.utility, accesses];
        memories.extend(self.query(used, values, read_memory)?);
        Ok(memories)
    }

    /// Memories of at least this storage strength, neither replaced nor at rest; the best stored first.
    pub fn well_stored_memories(&mut self, storage: f64) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!(
            "AND m.storage >= ?2 AND m.status <> 'superseded' AND m.tier <> 'dormant'
             ORDER BY m.storage DESC, m.number DESC LIMIT ?3"
        );
        self.query(sql, values![self.agent_id, storage, MAX_HOT_MEMORIES], read_memory)
    }
}
