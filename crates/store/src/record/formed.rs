//! The outcome of each message, and the working memory of a running session: the small tables of the write path.

use super::message::next_seq;
use crate::{
    MessageRecord, Result,
    database::{values, wide},
    transaction::Tx,
};
use cairn_domain::{Memory, MessageId, SHORT_TERM_LAYER, Time, WORKING_LAYER};

/// A tag on a weak memory, as stored: an important one in the same session may still capture it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagRecord {
    /// The memory.
    pub number: u32,
    /// When it was tagged.
    pub tagged_at: Time,
    /// For how long that holds.
    pub ttl_ms: i64,
}

/// Something that a running session has in mind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkingRecord {
    /// The memory.
    pub number: u32,
    /// How often the session came back to it.
    pub accesses: u32,
    /// Since when.
    pub added_at: Time,
    /// When it last did.
    pub accessed_at: Time,
}

/// Notes what became of a message; false if that is known already.
pub(crate) fn insert_formed(tx: &mut Tx<'_>, message: MessageId, decisions: &str, now: Time) -> Result<bool> {
    let sql = "INSERT INTO formed (agent_id, message_id, formed_at, decisions) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (agent_id, message_id) DO NOTHING";
    Ok(tx.execute(sql, values![tx.agent_id, message.bytes().as_slice(), now.millis(), decisions])? == 1)
}

pub(crate) fn insert_tag(tx: &mut Tx<'_>, session: &str, tag: &TagRecord) -> Result<()> {
    let sql = "INSERT INTO synaptic_tag (agent_id, number, session, tagged_at, ttl_ms, captured)
               VALUES (?1, ?2, ?3, ?4, ?5, 0) ON CONFLICT (agent_id, number) DO NOTHING";
    let values = values![tx.agent_id, i64::from(tag.number), session, tag.tagged_at.millis(), tag.ttl_ms];
    tx.later(sql, values)
}

/// A great moment has captured these.
pub(crate) fn capture_tags(tx: &mut Tx<'_>, numbers: &[u32]) -> Result<()> {
    for number in numbers {
        let sql = "UPDATE synaptic_tag SET captured = 1 WHERE agent_id = ?1 AND number = ?2";
        tx.later(sql, values![tx.agent_id, i64::from(*number)])?;
    }
    Ok(())
}

/// Lets a session have these in mind and nothing else.
pub(crate) fn set_working(tx: &mut Tx<'_>, session: &str, items: &[WorkingRecord]) -> Result<()> {
    let known = working(tx, session)?;
    let forget = "DELETE FROM working_memory WHERE agent_id = ?1 AND session = ?2 AND number = ?3";
    for gone in known.iter().filter(|known| !items.contains(known)) {
        tx.later(forget, values![tx.agent_id, session, i64::from(gone.number)])?;
    }
    let sql = "INSERT INTO working_memory (agent_id, session, number, accesses, added_at, accessed_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for item in items.iter().filter(|item| !known.contains(item)) {
        let (added_at, accessed_at) = (item.added_at.millis(), item.accessed_at.millis());
        let (number, accesses) = (i64::from(item.number), i64::from(item.accesses));
        tx.later(sql, values![tx.agent_id, session, number, accesses, added_at, accessed_at])?;
    }
    Ok(())
}

/// Notes that a session used some of what it has in mind.
pub(crate) fn touch_working(tx: &mut Tx<'_>, session: &str, numbers: &[u32], now: Time) -> Result<()> {
    let sql = "UPDATE working_memory SET accesses = accesses + 1, accessed_at = ?4
               WHERE agent_id = ?1 AND session = ?2 AND number = ?3";
    let row = |number: &u32| values![tx.agent_id, session, i64::from(*number), now.millis()].to_vec();
    let rows: Vec<Vec<_>> = numbers.iter().map(row).collect();
    tx.execute_each(sql, &rows)
}

/// Clears what a session had in mind. What was kept as working memory is an episode from now on, and what is worth keeping
/// has the strength that comes with it.
pub(crate) fn end_session(tx: &mut Tx<'_>, session: &str, kept: &[(u32, Memory)], now: Time) -> Result<()> {
    let episodes = "UPDATE memory SET tier = 'episodic', layer = CASE WHEN layer = ?3 THEN ?4 ELSE layer END
                    WHERE agent_id = ?1 AND tier = 'working' AND number IN (
                    SELECT w.number FROM working_memory AS w WHERE w.agent_id = ?1 AND w.session = ?2)";
    tx.execute(episodes, values![tx.agent_id, session, WORKING_LAYER, SHORT_TERM_LAYER])?;
    let strengthen =
        "UPDATE memory SET storage = ?3, stability = ?4, accesses = accesses + 1, accessed_at = ?5
                      WHERE agent_id = ?1 AND number = ?2";
    for (number, Memory { storage, stability, .. }) in kept {
        tx.execute(strengthen, values![tx.agent_id, i64::from(*number), *storage, *stability, now.millis()])?;
    }
    let sql = "DELETE FROM working_memory WHERE agent_id = ?1 AND session = ?2";
    tx.execute(sql, values![tx.agent_id, session]).map(drop)
}

fn working(tx: &mut Tx<'_>, session: &str) -> Result<Vec<WorkingRecord>> {
    let sql = "SELECT number, accesses, added_at, accessed_at FROM working_memory
               WHERE agent_id = ?1 AND session = ?2 ORDER BY number";
    tx.query(sql, values![tx.agent_id, session], |row| {
        Ok(WorkingRecord {
            number: row.int(0)? as u32,
            accesses: row.int(1)? as u32,
            added_at: Time::from_millis(row.int(2)?),
            accessed_at: Time::from_millis(row.int(3)?),
        })
    })
}

impl Tx<'_> {
    /// The decisions about a message, as JSON; `None` if it has not been formed yet.
    pub fn formed(&mut self, message: MessageId) -> Result<Option<String>> {
        let sql = "SELECT decisions FROM formed WHERE agent_id = ?1 AND message_id = ?2";
        self.first(sql, values![self.agent_id, message.bytes().as_slice()], |row| row.text(0))
    }

    /// The next messages from `seq` on, at most `limit`, with whether each has been formed.
    pub fn to_form(&mut self, seq: u32, limit: u32) -> Result<Vec<(MessageRecord, bool)>> {
        let messages = self.messages_from(seq, limit)?;
        let sql = "SELECT 1 FROM formed WHERE agent_id = ?1 AND message_id = ?2";
        let ids: Vec<[u8; 16]> = messages.iter().map(|record| *record.message.id.bytes()).collect();
        let rows: Vec<Vec<_>> = ids.iter().map(|id| values![self.agent_id, id.as_slice()].to_vec()).collect();
        let formed = self.first_of_each(sql, &rows, |_| Ok(()))?;
        Ok(messages.into_iter().zip(formed.into_iter().map(|formed| formed.is_some())).collect())
    }

    /// How many messages have been formed, and how many there are.
    pub fn formation(&mut self) -> Result<(u32, u32)> {
        let sql = "SELECT COUNT(*) FROM formed WHERE agent_id = ?1";
        let formed = self.first(sql, values![self.agent_id], |row| row.int(0))?.unwrap_or(0);
        Ok((formed as u32, next_seq(self)?))
    }

    /// The weak memories that a great moment in a session could still capture.
    pub fn tags(&mut self, session: &str) -> Result<Vec<TagRecord>> {
        let sql = "SELECT number, tagged_at, ttl_ms FROM synaptic_tag WHERE agent_id = ?1 AND session = ?2
                   AND captured = 0 ORDER BY number DESC LIMIT 200";
        self.query(sql, values![self.agent_id, session], |row| {
            Ok(TagRecord {
                number: row.int(0)? as u32,
                tagged_at: Time::from_millis(row.int(1)?),
                ttl_ms: row.int(2)?,
            })
        })
    }

    /// Of these memories those that a session has in mind which was not quiet since then.
    pub fn in_running_sessions(&mut self, numbers: &[u32], since: Time) -> Result<Vec<u32>> {
        let sql = "SELECT DISTINCT w.number FROM working_memory AS w WHERE w.agent_id = ?1 AND w.number = ANY(?2)
                   AND EXISTS (SELECT 1 FROM working_memory AS o WHERE o.agent_id = ?1 AND o.session = w.session
                   AND o.accessed_at > ?3) ORDER BY w.number";
        let numbers = wide(numbers);
        let values = values![self.agent_id, numbers.as_slice(), since.millis()];
        self.query(sql, values, |row| Ok(row.int(0)? as u32))
    }

    /// The sessions that have something in mind and used none of it since then.
    pub fn quiet_sessions(&mut self, since: Time) -> Result<Vec<String>> {
        let sql = "SELECT session FROM working_memory WHERE agent_id = ?1 GROUP BY session
                   HAVING MAX(accessed_at) <= ?2 ORDER BY session";
        self.query(sql, values![self.agent_id, since.millis()], |row| row.text(0))
    }

    /// The memories that a session has in mind.
    pub fn working(&mut self, session: &str) -> Result<Vec<WorkingRecord>> {
        working(self, session)
    }
}
