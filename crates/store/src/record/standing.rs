//! What comes with every question, and whether a session has been answered yet.

use super::memory::{read_memory, select_memory};
use crate::{MemoryRecord, Result, View, database::values};
use cairn_domain::Time;

/// The most memories that are looked at: pinned ones, and those that are much used.
const MOST: i64 = 200;

/// What a memory must be to come with every question, unless it is pinned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warm {
    /// How useful, at least.
    pub utility: f64,
    /// How often used, at least.
    pub accesses: u32,
    /// Written down after this.
    pub since: Time,
}

impl View<'_> {
    /// Memories that are pinned or warm, and neither replaced nor at rest; the most useful first.
    pub fn warm_memories(&mut self, warm: &Warm) -> Result<Vec<MemoryRecord>> {
        let pinned = select_memory!(
            "AND m.pinned = 1 AND m.status <> 'superseded' AND m.tier <> 'dormant'
             ORDER BY m.utility DESC, m.number DESC LIMIT ?2"
        );
        // Whatever was written down lately was not used before that: the index over use finds it.
        let used = select_memory!(
            "AND m.accessed_at > ?3 AND m.recorded_at > ?3 AND m.pinned = 0 AND m.tier = 'semantic'
             AND m.status <> 'superseded' AND m.utility >= ?4 AND m.accesses >= ?5
             ORDER BY m.utility DESC, m.number DESC LIMIT ?2"
        );
        let mut memories = self.connection.query(pinned, values![self.agent_id, MOST], read_memory)?;
        let (since, accesses) = (warm.since.millis(), i64::from(warm.accesses));
        let values = values![self.agent_id, MOST, since, warm.utility, accesses];
        memories.extend(self.connection.query(used, values, read_memory)?);
        Ok(memories)
    }

    /// Whether anybody but the user has spoken in a session.
    pub fn is_answered(&mut self, session: &str) -> Result<bool> {
        let sql = "SELECT 1 FROM message AS m JOIN session AS s
                   ON s.agent_id = m.agent_id AND s.session_id = m.session_id
                   WHERE m.agent_id = ?1 AND s.agent_id = ?1 AND s.name = ?2 AND m.role <> 'user' LIMIT 1";
        Ok(self.connection.first(sql, values![self.agent_id, session], |_| Ok(()))?.is_some())
    }
}
