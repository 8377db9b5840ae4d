//! Messages of tools and what users said, in short: as much of each as tells what was done and whether it worked.

use super::columns::ColumnReader;
use crate::{
    Result, StoreError,
    database::{Row, values},
    transaction::Tx,
};
use cairn_domain::{MessageId, Metadata, Mode, Role, Time};

/// The mark of a result in which the host says that the tool failed.
const ERROR_MARK: &str = "\"is_error\":true";

/// A message of a tool, or of a user beside it.
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
    /// The tool, or the user.
    pub speaker: String,
    /// When it was said.
    pub at: Time,
    /// Its words; of more than 2,000 characters the first 1,500 and the last 500, on lines of their own.
    pub text: String,
    /// Whether the host says that the tool failed.
    pub is_error: bool,
    /// The posture it was said in.
    pub mode: Mode,
    /// The name of its session.
    pub session_name: String,
    /// The model at work, if the host says so.
    pub model: Option<String>,
}

/// The messages of tools, or of users beside them, that are read.
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
                    m.metadata, m.mode, s.name
             FROM message AS m LEFT JOIN thread AS t ON t.agent_id = ?1 AND t.thread_id = m.thread_id
             LEFT JOIN session AS s ON s.agent_id = ?1 AND s.session_id = m.session_id
             WHERE m.agent_id = ?1 AND m.role = ?4 AND m.seq >= (
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
        self.short_messages(Role::Tool, query)
    }

    /// Messages of users, as short as those of tools.
    pub fn user_messages(&mut self, query: ToolMessageQuery<'_>) -> Result<Vec<ToolMessageRecord>> {
        self.short_messages(Role::User, query)
    }

    fn short_messages(&mut self, role: Role, query: ToolMessageQuery<'_>) -> Result<Vec<ToolMessageRecord>> {
        let (newest, among, role) = (i64::from(query.newest), i64::from(query.among), role.as_str());
        let mut messages = if let Some(name) = query.thread {
            let sql = select_tool_messages!(
                "AND m.thread_id = (SELECT thread_id FROM thread WHERE agent_id = ?1 AND name = ?5)",
                "AND n.thread_id = (SELECT thread_id FROM thread WHERE agent_id = ?1 AND name = ?5)"
            );
            self.query(sql, values![self.agent_id, newest, among, role, name], read_tool_message)?
        } else {
            let sql = select_tool_messages!("", "");
            self.query(sql, values![self.agent_id, newest, among, role], read_tool_message)?
        };
        messages.reverse();
        Ok(messages)
    }
}

fn read_tool_message(row: &Row<'_>) -> Result<ToolMessageRecord> {
    let columns = &mut ColumnReader::new(row);
    let (id, session, exchange) = (columns.id()?, columns.number()?, columns.number()?);
    let (thread, speaker, at) = (columns.maybe_text()?, columns.text()?, columns.time()?);
    let (text, metadata) = (columns.text()?, columns.maybe_text()?.unwrap_or_default());
    Ok(ToolMessageRecord {
        id,
        session,
        exchange,
        thread,
        speaker,
        at,
        text,
        is_error: metadata.contains(ERROR_MARK),
        mode: columns.word()?,
        session_name: columns.text()?,
        model: model_of(&metadata)?,
    })
}

/// The model that the fields of a message name.
fn model_of(metadata: &str) -> Result<Option<String>> {
    if !metadata.contains("\"model\"") {
        return Ok(None);
    }
    let fields: Metadata =
        serde_json::from_str(metadata).map_err(|error| StoreError::damaged(error, "message.metadata"))?;
    Ok(fields.get("model").and_then(serde_json::Value::as_str).map(str::to_owned))
}
