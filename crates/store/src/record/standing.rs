//! Memories that come with every question, and whether a session has been answered yet.

use super::memory::{memory_columns, read_memory, select_memory};
use crate::{MemoryRecord, Result, database::values, transaction::Tx};
use cairn_domain::{AttachmentId, BeliefId, DigestId, ExchangeId, MemoryId, MessageId, Ref, ShortRef, Time};

/// The most memories that are looked at: pinned ones, and those that are much used.
const MOST: i64 = 200;

/// The bounds that a memory must reach to come with every question, unless it is pinned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Warm {
    /// How useful, at least.
    pub utility: f64,
    /// How often used, at least.
    pub accesses: u32,
    /// Written down after this.
    pub since: Time,
}

impl Tx<'_> {
    /// Memories that are pinned or warm, and neither replaced nor at rest; the most useful first.
    pub fn warm_memories(&mut self, warm: &Warm) -> Result<Vec<MemoryRecord>> {
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
        let mut memories = self.query(pinned, values![self.agent_id, MOST], read_memory)?;
        let (since, accesses) = (warm.since.millis(), i64::from(warm.accesses));
        let values = values![self.agent_id, MOST, since, warm.utility, accesses];
        memories.extend(self.query(used, values, read_memory)?);
        Ok(memories)
    }

    /// Memories of at least this storage strength, neither replaced nor at rest; the best stored first.
    pub fn well_stored_memories(&mut self, storage: f64) -> Result<Vec<MemoryRecord>> {
        let sql = select_memory!(
            "AND m.storage >= ?2 AND m.status <> 'superseded' AND m.tier <> 'dormant'
             ORDER BY m.storage DESC, m.number DESC LIMIT ?3"
        );
        self.query(sql, values![self.agent_id, storage, MOST], read_memory)
    }

    /// The first few refs of records from the one to the other.
    pub fn refs_between(&mut self, ShortRef { from, to }: ShortRef) -> Result<Vec<Ref>> {
        let messages =
            "SELECT message_id FROM message WHERE agent_id = ?1 AND message_id >= ?2 AND message_id <= ?3
                        ORDER BY message_id LIMIT 3";
        let memories =
            "SELECT memory_id FROM memory WHERE agent_id = ?1 AND memory_id >= ?2 AND memory_id <= ?3
                        ORDER BY memory_id LIMIT 3";
        let beliefs =
            "SELECT belief_id FROM belief WHERE agent_id = ?1 AND belief_id >= ?2 AND belief_id <= ?3
                       ORDER BY belief_id LIMIT 3";
        let digests =
            "SELECT DISTINCT digest_id FROM digest WHERE agent_id = ?1 AND digest_id >= ?2 AND digest_id <= ?3
                       ORDER BY digest_id LIMIT 3";
        let attachments = "SELECT attachment_id FROM attachment WHERE agent_id = ?1 AND attachment_id >= ?2
                           AND attachment_id <= ?3 ORDER BY attachment_id LIMIT 3";
        let (sql, made): (_, fn([u8; 16]) -> Ref) = match from {
            Ref::Message(_) => (messages, |id| Ref::Message(MessageId::from_bytes(id))),
            // An exchange is named after the message that opens it.
            Ref::Exchange(_) => (messages, |id| Ref::Exchange(ExchangeId::from_bytes(id))),
            Ref::Memory(_) => (memories, |id| Ref::Memory(MemoryId::from_bytes(id))),
            Ref::Belief(_) => (beliefs, |id| Ref::Belief(BeliefId::from_bytes(id))),
            Ref::Digest(_) => (digests, |id| Ref::Digest(DigestId::from_bytes(id))),
            Ref::Attachment(_) => (attachments, |id| Ref::Attachment(AttachmentId::from_bytes(id))),
        };
        let values = values![self.agent_id, bytes(&from), bytes(&to)];
        self.query(sql, values, |row| Ok(made(row.byte_array(0, "an id")?)))
    }

    /// Whether anybody but the user has spoken in a session.
    pub fn is_answered(&mut self, session: &str) -> Result<bool> {
        let sql = "SELECT 1 FROM message AS m JOIN session AS s
                   ON s.agent_id = m.agent_id AND s.session_id = m.session_id
                   WHERE m.agent_id = ?1 AND s.agent_id = ?1 AND s.name = ?2 AND m.role <> 'user' LIMIT 1";
        Ok(self.first(sql, values![self.agent_id, session], |_| Ok(()))?.is_some())
    }
}

/// An id as it is stored.
fn bytes(reference: &Ref) -> &[u8] {
    match reference {
        Ref::Message(id) => id.bytes(),
        Ref::Exchange(id) => id.bytes(),
        Ref::Memory(id) => id.bytes(),
        Ref::Belief(id) => id.bytes(),
        Ref::Digest(id) => id.bytes(),
        Ref::Attachment(id) => id.bytes(),
    }
}
