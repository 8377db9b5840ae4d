//! Where the parts of a memory come from: the message that each statement was read in, who found a relation, and how often a
//! memory was rehearsed.

use super::graph::RelationRecord;
use crate::{Result, StoreError, database::values, transaction::Tx};
use cairn_domain::MessageId;

impl Tx<'_> {
    /// The message that each statement of a memory was read in, in the order of the statements; none for those of a file.
    pub fn statement_sources(&mut self, number: u32) -> Result<Vec<Option<MessageId>>> {
        let sql = "SELECT message_id FROM statement WHERE agent_id = ?1 AND number = ?2 ORDER BY place";
        self.query(sql, values![self.agent_id, i64::from(number)], |row| {
            let Some(bytes) = row.maybe_bytes(0)? else { return Ok(None) };
            let damaged =
                |_| StoreError::damaged(format!("{} bytes of an id", bytes.len()), "statement.message_id");
            Ok(Some(MessageId::from_bytes(bytes.try_into().map_err(damaged)?)))
        })
    }

    /// Who found a relation: the gate, a rule (`heuristic`), a language model or a rhythm.
    pub fn relation_origin(&mut self, relation: &RelationRecord) -> Result<String> {
        let sql = "SELECT made_by FROM relation WHERE agent_id = ?1 AND from_number = ?2 AND to_number = ?3 AND kind = ?4";
        let (from, to) = (i64::from(relation.from), i64::from(relation.to));
        let values = values![self.agent_id, from, to, relation.kind.as_str()];
        Ok(self.first(sql, values, |row| row.text(0))?.unwrap_or_default())
    }

    /// How often a memory was called to mind so as not to be lost.
    pub fn rehearsals(&mut self, number: u32) -> Result<u32> {
        let sql = "SELECT times FROM rehearsal WHERE agent_id = ?1 AND number = ?2";
        let times = self.first(sql, values![self.agent_id, i64::from(number)], |row| row.int(0))?;
        Ok(times.unwrap_or_default() as u32)
    }
}
