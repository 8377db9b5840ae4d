//! The newest messages.

use crate::{context::View, database::values, error::Result, record::MessageRecord};
use cairn_domain::{MILLIS_PER_DAY, Time};

/// How many messages were said on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayRecord {
    /// The midnight (UTC) at which it begins.
    pub begins_at: Time,
    /// Messages said on it.
    pub messages: u64,
}

impl View<'_> {
    /// Days on which something was said at some moment or later and before another, the latest first. Days are UTC.
    pub fn days(&mut self, from: Option<Time>, before: Option<Time>, limit: u32) -> Result<Vec<DayRecord>> {
        // What is left of a day is taken off, so that days before 1970 begin at midnight, too.
        let sql = "SELECT said_at - ((said_at % ?5) + ?5) % ?5 AS day, COUNT(*) FROM message
                   WHERE agent_id = ?1 AND said_at >= ?2 AND said_at < ?3
                   GROUP BY 1 ORDER BY 1 DESC LIMIT ?4";
        let (from, before) = (from.map_or(i64::MIN, Time::millis), before.map_or(i64::MAX, Time::millis));
        let values = values![self.tx.agent_id, from, before, i64::from(limit), MILLIS_PER_DAY];
        self.tx.query(sql, values, |row| {
            Ok(DayRecord { begins_at: Time::from_millis(row.int(0)?), messages: row.int(1)? as u64 })
        })
    }

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
