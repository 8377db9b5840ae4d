//! The newest messages.

use crate::{context::View, database::values, error::Result, record::MessageRecord};
use cairn_domain::Time;

impl View<'_> {
    /// The `k` messages that were said last, by then if `as_of` says so.
    pub fn newest(&mut self, k: usize, as_of: Option<Time>) -> Result<Vec<MessageRecord>> {
        let after = as_of.map(|as_of| Time::from_millis(as_of.millis() + 1));
        let seqs = self.newest_within(None, after, k)?;
        self.messages_at(&seqs)
    }

    /// The seqs of the `k` messages that were said last, at some moment or later and before another.
    pub fn newest_within(&mut self, from: Option<Time>, before: Option<Time>, k: usize) -> Result<Vec<u32>> {
        if let Some(files) = self.context.files() {
            return Ok(files.keywords.caught_up(self)?.newest_within(from, before, k));
        }
        let (from, before) = (from.map_or(i64::MIN, Time::millis), before.map_or(i64::MAX, Time::millis));
        let sql = "SELECT seq FROM message WHERE agent_id = ?1 AND said_at >= ?2 AND said_at < ?3
                   ORDER BY said_at DESC, seq DESC LIMIT ?4";
        let values = values![self.tx.agent_id, from, before, k.try_into().unwrap_or(i64::MAX)];
        self.tx.query(sql, values, |row| Ok(row.int(0)? as u32))
    }
}
