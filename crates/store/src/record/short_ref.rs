//! Short refs: the records whose ids begin alike.

use crate::{Result, database::values, transaction::Tx};
use cairn_domain::{AttachmentId, BeliefId, DigestId, ExchangeId, MemoryId, MessageId, Ref, ShortRef};

impl Tx<'_> {
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
