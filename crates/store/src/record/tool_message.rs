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

macro_rules! select_tool_messages {
    ($rest:literal) => {
        concat!(
            "SELECT m.message_id, m.session_id, m.exchange_seq, t.name, m.speaker, m.said_at,
                    CASE WHEN length(m.text) > 2000
                         THEN substr(m.text, 1, 1500) || '\n' || substr(m.text, length(m.text) - 499)
                         ELSE m.text END,
                    m.metadata, m.mode, s.name
             FROM message AS m LEFT JOIN thread AS t ON t.agent_id = ?1 AND t.thread_id = m.thread_id
             LEFT JOIN session AS s ON s.agent_id = ?1 AND s.session_id = m.session_id
             WHERE m.agent_id = ?1 AND m.role = ?3 ",
            $rest,
            " ORDER BY m.seq DESC LIMIT ?2"
        )
    };
}

impl Tx<'_> {
    /// The newest messages of tools, of one thread or of all, in the order of recording.
    pub fn tool_messages(&mut self, thread: Option<&str>, limit: u32) -> Result<Vec<ToolMessageRecord>> {
        self.short_messages(Role::Tool, thread, limit)
    }

    /// The newest messages of users, as short as those of tools.
    pub fn user_messages(&mut self, thread: Option<&str>, limit: u32) -> Result<Vec<ToolMessageRecord>> {
        self.short_messages(Role::User, thread, limit)
    }

    fn short_messages(
        &mut self,
        role: Role,
        thread: Option<&str>,
        limit: u32,
    ) -> Result<Vec<ToolMessageRecord>> {
        let (limit, role) = (i64::from(limit), role.as_str());
        let mut messages = match thread {
            Some(name) => {
                let sql = select_tool_messages!(
                    "AND m.thread_id = (SELECT thread_id FROM thread WHERE agent_id = ?1 AND name = ?4)"
                );
                self.query(sql, values![self.agent_id, limit, role, name], read_tool_message)?
            }
            None => {
                let values = values![self.agent_id, limit, role];
                self.query(select_tool_messages!(""), values, read_tool_message)?
            }
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
