//! Messages of tools, in short: as much of each as tells what was done and whether it worked.

use super::columns::ColumnReader;
use crate::{
    Result,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{MessageId, Time};

/// The mark of a result in which the host says that the tool failed.
const ERROR_MARK: &str = "\"is_error\":true";

/// A message of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolMessageRecord {
    /// Its id.
    pub id: MessageId,
    /// The number of its session.
    pub session: i64,
    /// The number of its exchange, which is that of the message that opened it.
    pub exchange: u32,
    /// The lasting project.
    pub thread: Option<String>,
    /// The tool.
    pub speaker: String,
    /// When it was said.
    pub at: Time,
    /// Its words; of more than 2,000 characters the first 1,500 and the last 500, on lines of their own.
    pub text: String,
    /// Whether the host says that the tool failed.
    pub is_error: bool,
}

/// Which messages of tools.
#[derive(Debug, Clone, Copy)]
pub struct ToolMessageQuery<'a> {
    /// Of one thread; of all if none is named.
    pub thread: Option<&'a str>,
    /// So many, the newest.
    pub newest: u32,
    /// Among so many messages, the newest.
    pub among: u32,
}

macro_rules! select_tool_messages {
    ($of_thread:literal, $of_thread_inside:literal) => {
        concat!(
            "SELECT m.message_id, m.session_id, m.exchange_seq, t.name, m.speaker, m.said_at,
                    CASE WHEN length(m.text) > 2000
                         THEN substr(m.text, 1, 1500) || '\n' || substr(m.text, length(m.text) - 499)
                         ELSE m.text END,
                    m.metadata
             FROM message AS m LEFT JOIN thread AS t ON t.agent_id = ?1 AND t.thread_id = m.thread_id
             WHERE m.agent_id = ?1 AND m.role = 'tool' AND m.seq >= (
                 SELECT coalesce(min(newest.seq), 0) FROM (
                     SELECT n.seq FROM message AS n WHERE n.agent_id = ?1 ",
            $of_thread_inside,
            " ORDER BY n.seq DESC LIMIT ?3) AS newest) ",
            $of_thread,
            " ORDER BY m.seq DESC LIMIT ?2"
        )
    };
}

impl Tx<'_> {
    /// Messages of tools, in the order of recording.
    pub fn tool_messages(&mut self, query: ToolMessageQuery<'_>) -> Result<Vec<ToolMessageRecord>> {
        let (newest, among) = (i64::from(query.newest), i64::from(query.among));
        let mut messages = match query.thread {
            Some(name) => {
                let sql = select_tool_messages!(
                    "AND m.thread_id = (SELECT thread_id FROM thread WHERE agent_id = ?1 AND name = ?4)",
                    "AND n.thread_id = (SELECT thread_id FROM thread WHERE agent_id = ?1 AND name = ?4)"
                );
                self.query(sql, values![self.agent_id, newest, among, name], read_tool_message)?
            }
            None => {
                let sql = select_tool_messages!("", "");
                self.query(sql, values![self.agent_id, newest, among], read_tool_message)?
            }
        };
        messages.reverse();
        Ok(messages)
    }
}

fn read_tool_message(row: &Row<'_>) -> Result<ToolMessageRecord> {
    let columns = &mut ColumnReader::new(row);
    Ok(ToolMessageRecord {
        id: columns.id()?,
        session: columns.number()?,
        exchange: columns.number()?,
        thread: columns.maybe_text()?,
        speaker: columns.text()?,
        at: columns.time()?,
        text: columns.text()?,
        is_error: columns.maybe_text()?.is_some_and(|metadata| metadata.contains(ERROR_MARK)),
    })
}
