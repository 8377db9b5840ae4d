//! Where the parts of a memory come from: the message that each statement was read in, who found a relation, how often a memory
//! was rehearsed, and what a language model made of a message.

use super::graph::RelationRecord;
use crate::{Result, StoreError, database::values, transaction::Tx};
use cairn_domain::MessageId;

/// A language model's reading of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefinementRecord {
    /// How it stands: waiting, done, withheld or given up.
    pub state: String,
    /// How often it was tried.
    pub tries: u32,
    /// The result, or why there is none yet.
    pub outcome: String,
}

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

    /// A language model's reading of a message; none if it was never to be asked.
    pub fn refinement(&mut self, message: MessageId) -> Result<Option<RefinementRecord>> {
        let sql = "SELECT state, tries, outcome FROM refinement WHERE agent_id = ?1 AND message_id = ?2";
        self.first(sql, values![self.agent_id, message.bytes().as_slice()], |row| {
            Ok(RefinementRecord { state: row.text(0)?, tries: row.int(1)? as u32, outcome: row.text(2)? })
        })
    }
}
