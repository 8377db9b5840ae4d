//! Sessions and threads.

use crate::{Result, database::values, transaction::Tx};
use cairn_domain::{MessageId, Time};

/// A session and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Its name.
    pub name: String,
    /// A title taken from its first real sentence; none until there is one.
    pub title: Option<String>,
    /// The thread of its newest message.
    pub thread: Option<String>,
    /// The mode of its newest message.
    pub mode: String,
    /// How many messages it has.
    pub messages: u64,
    /// When its first message was said.
    pub first_at: Time,
    /// When its newest message was said.
    pub last_at: Time,
    /// Its newest message's place in the order of recording.
    pub last_seq: u32,
}

/// A message of a session, by its place and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionMessage {
    /// Its place in the order of recording.
    pub seq: u32,
    /// Its name.
    pub id: MessageId,
    /// When it was said.
    pub said_at: Time,
}

/// A thread and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadRecord {
    /// Its name.
    pub name: String,
    /// How many messages it has.
    pub messages: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// When its first message was said.
    pub first_at: Time,
    /// When its newest message was said.
    pub last_at: Time,
}

/// The last of an earlier part of a list: its number, by which the list is ordered from the highest on, and its name
/// among those with the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    /// The number.
    pub number: i64,
    /// The name.
    pub name: String,
}

impl After {
    /// A number and a name that come before all others, if there was no earlier part.
    pub(crate) fn or_first(after: Option<&Self>) -> (i64, &str) {
        after.map_or((i64::MAX, ""), |after| (after.number, &after.name))
    }
}

/// Whether a session has a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionTitle {
    Missing,
    Given,
}

/// The number of the session called `name`, if it is there, and whether it has a title.
pub(crate) fn known_session(tx: &mut Tx<'_>, name: &str) -> Result<Option<(i64, SessionTitle)>> {
    let select = "SELECT session_id, title IS NOT NULL FROM session WHERE agent_id = ?1 AND name = ?2";
    tx.first(select, values![tx.agent_id, name], |row| {
        let title = if row.bool(1)? { SessionTitle::Given } else { SessionTitle::Missing };
        Ok((row.int(0)?, title))
    })
}

/// Makes the session called `name`; its number.
pub(crate) fn insert_session(tx: &mut Tx<'_>, name: &str) -> Result<i64> {
    let next = "SELECT COALESCE(MAX(session_id), 0) + 1 FROM session WHERE agent_id = ?1";
    let session_id = tx.first(next, values![tx.agent_id], |row| row.int(0))?.unwrap_or(1);
    let insert = "INSERT INTO session (agent_id, session_id, name) VALUES (?1, ?2, ?3)";
    tx.execute(insert, values![tx.agent_id, session_id, name])?;
    Ok(session_id)
}

/// The number of the thread called `name`, made if it is missing.
pub(crate) fn thread_id(tx: &mut Tx<'_>, name: &str) -> Result<i64> {
    let select = "SELECT thread_id FROM thread WHERE agent_id = ?1 AND name = ?2";
    if let Some(found) = tx.first(select, values![tx.agent_id, name], |row| row.int(0))? {
        return Ok(found);
    }
    let next = "SELECT COALESCE(MAX(thread_id), 0) + 1 FROM thread WHERE agent_id = ?1";
    let thread_id = tx.first(next, values![tx.agent_id], |row| row.int(0))?.unwrap_or(1);
    let insert = "INSERT INTO thread (agent_id, thread_id, name) VALUES (?1, ?2, ?3)";
    tx.execute(insert, values![tx.agent_id, thread_id, name])?;
    Ok(thread_id)
}

/// Names a session.
pub(crate) fn set_title(tx: &mut Tx<'_>, session_id: i64, title: &str) -> Result<()> {
    let sql = "UPDATE session SET title = ?3 WHERE agent_id = ?1 AND session_id = ?2";
    tx.execute(sql, values![tx.agent_id, session_id, title])?;
    Ok(())
}

impl Tx<'_> {
    /// The number of the session called `name`.
    pub fn session_id(&mut self, name: &str) -> Result<Option<u32>> {
        let sql = "SELECT session_id FROM session WHERE agent_id = ?1 AND name = ?2";
        Ok(self.first(sql, values![self.agent_id, name], |row| row.int(0))?.map(|id| id as u32))
    }

    /// The number of the thread called `name`.
    pub fn thread_id(&mut self, name: &str) -> Result<Option<u32>> {
        let sql = "SELECT thread_id FROM thread WHERE agent_id = ?1 AND name = ?2";
        Ok(self.first(sql, values![self.agent_id, name], |row| row.int(0))?.map(|id| id as u32))
    }

    /// At most `limit` sessions after `after`, the one spoken in last first.
    pub fn sessions(&mut self, after: Option<&After>, limit: usize) -> Result<Vec<SessionRecord>> {
        let sql =
            "SELECT s.name, s.title, t.name, newest.mode, extent.messages, oldest.said_at, newest.said_at, extent.last_seq
                   FROM (SELECT session_id, COUNT(*) AS messages, MIN(seq) AS first_seq, MAX(seq) AS last_seq
                         FROM message WHERE agent_id = ?1 GROUP BY session_id) AS extent
                   JOIN session AS s ON s.agent_id = ?1 AND s.session_id = extent.session_id
                   JOIN message AS oldest ON oldest.agent_id = ?1 AND oldest.seq = extent.first_seq
                   JOIN message AS newest ON newest.agent_id = ?1 AND newest.seq = extent.last_seq
                   LEFT JOIN thread AS t ON t.agent_id = ?1 AND t.thread_id = newest.thread_id
                   WHERE newest.said_at < ?3 OR (newest.said_at = ?3 AND extent.last_seq < ?4)
                   ORDER BY newest.said_at DESC, extent.last_seq DESC LIMIT ?2";
        let (number, name) = After::or_first(after);
        let before: i64 = name.parse().unwrap_or(i64::MAX);
        self.query(sql, values![self.agent_id, limit as i64, number, before], |row| {
            Ok(SessionRecord {
                name: row.text(0)?,
                title: row.maybe_text(1)?,
                thread: row.maybe_text(2)?,
                mode: row.text(3)?,
                messages: row.int(4)? as u64,
                first_at: Time::from_millis(row.int(5)?),
                last_at: Time::from_millis(row.int(6)?),
                last_seq: row.int(7)? as u32,
            })
        })
    }

    /// The messages of a session from `seq` on, at most `limit`, in the order of recording.
    pub fn session_messages(&mut self, name: &str, seq: u32, limit: u32) -> Result<Vec<SessionMessage>> {
        let sql =
            "SELECT m.seq, m.message_id, m.said_at FROM message AS m WHERE m.agent_id = ?1 AND m.session_id =
                   (SELECT session_id FROM session WHERE agent_id = ?1 AND name = ?2) AND m.seq >= ?3
                   ORDER BY m.seq LIMIT ?4";
        let values = values![self.agent_id, name, i64::from(seq), i64::from(limit)];
        self.query(sql, values, |row| {
            Ok(SessionMessage {
                seq: row.int(0)? as u32,
                id: MessageId::from_bytes(row.byte_array(1, "message.message_id")?),
                said_at: Time::from_millis(row.int(2)?),
            })
        })
    }

    /// At most `limit` threads after `after`, the one spoken in last first.
    pub fn threads(&mut self, after: Option<&After>, limit: usize) -> Result<Vec<ThreadRecord>> {
        let sql =
            "SELECT t.name, COUNT(*), COUNT(DISTINCT m.session_id), MIN(m.said_at), MAX(m.said_at) AS last_at
                   FROM message AS m JOIN thread AS t ON t.agent_id = m.agent_id AND t.thread_id = m.thread_id
                   WHERE m.agent_id = ?1 GROUP BY t.thread_id, t.name
                   HAVING MAX(m.said_at) < ?3 OR (MAX(m.said_at) = ?3 AND t.name > ?4)
                   ORDER BY last_at DESC, t.name LIMIT ?2";
        let (number, name) = After::or_first(after);
        self.query(sql, values![self.agent_id, limit as i64, number, name], |row| {
            Ok(ThreadRecord {
                name: row.text(0)?,
                messages: row.int(1)? as u64,
                sessions: row.int(2)? as u64,
                first_at: Time::from_millis(row.int(3)?),
                last_at: Time::from_millis(row.int(4)?),
            })
        })
    }

    /// Whether anybody but the user has spoken in a session.
    pub fn is_answered(&mut self, session: &str) -> Result<bool> {
        let sql = "SELECT 1 FROM message AS m JOIN session AS s
                   ON s.agent_id = m.agent_id AND s.session_id = m.session_id
                   WHERE m.agent_id = ?1 AND s.agent_id = ?1 AND s.name = ?2 AND m.role <> 'user' LIMIT 1";
        Ok(self.first(sql, values![self.agent_id, session], |_| Ok(()))?.is_some())
    }
}
