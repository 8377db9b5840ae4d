//! Handoffs, and what was said last in a thread.

use super::columns::{ColumnReader, StoredRecord, columns, insert_statement};
use crate::{
    Result, Store,
    database::{Row, Value, values},
    transaction::Tx,
};
use cairn_domain::{HandoffReason, HandoffScope, Time};
use std::sync::LazyLock;

/// A handoff as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffRecord {
    /// The session or thread it is about.
    pub scope: HandoffScope,
    /// The session that was last at work.
    pub session: String,
    /// When it was written.
    pub written_at: Time,
    /// Why.
    pub reason: HandoffReason,
    /// Exchanges of the session then.
    pub exchanges: u32,
    /// Compactions since the thread was last begun anew.
    pub compactions: u32,
    /// When a later session began with it.
    pub consumed_at: Option<Time>,
    /// The Markdown; empty if what it quoted was erased.
    pub text: String,
    /// Its lines in the words of a language model; empty if those were refused, none while nobody has asked one.
    pub prose: Option<String>,
}

columns! {
    handoff_columns: HandoffRecord, "handoff" as "handoff" {
        session: text "session",
        written_at: time "written_at",
        reason: word "reason",
        exchanges: number "exchanges",
        compactions: number "compactions",
        consumed_at: maybe_time "consumed_at",
        text: text "text",
        prose: maybe_text "prose",
    } besides { scope: HandoffScope::Session, }
}

static INSERT_HANDOFF: LazyLock<String> =
    LazyLock::new(|| insert_statement("handoff", &["scope"], HandoffRecord::COLUMNS));

impl Store {
    /// Writes handoffs, each over the one before it about the same; all of them or none.
    pub async fn put_handoffs(&self, handoffs: Vec<HandoffRecord>) -> Result<()> {
        let work = move |tx: &mut Tx<'_>| {
            for handoff in &handoffs {
                let key = handoff.scope.key();
                let over = "DELETE FROM handoff WHERE agent_id = ?1 AND scope = ?2";
                tx.execute(over, values![tx.agent_id, key.as_str()])?;
                let mut values = values![tx.agent_id, key.as_str()].to_vec();
                values.extend(handoff.column_values());
                tx.execute(&INSERT_HANDOFF, &values)?;
            }
            Ok(())
        };
        self.writer.run(work).await
    }

    /// Keeps what a language model made of the handoff that was written then, if it is still that one.
    pub async fn word_handoff(&self, scope: HandoffScope, written_at: Time, prose: String) -> Result<()> {
        let sql = "UPDATE handoff SET prose = ?4 WHERE agent_id = ?1 AND scope = ?2 AND written_at = ?3";
        let key = scope.key();
        let work = move |tx: &mut Tx<'_>| {
            tx.execute(sql, values![tx.agent_id, key.as_str(), written_at.millis(), prose.as_str()]).map(drop)
        };
        self.writer.run(work).await
    }

    /// Marks a handoff as consumed; whether this is who consumed it.
    pub async fn consume_handoff(&self, scope: HandoffScope, now: Time) -> Result<bool> {
        let sql =
            "UPDATE handoff SET consumed_at = ?3 WHERE agent_id = ?1 AND scope = ?2 AND consumed_at IS NULL";
        let key = scope.key();
        let work =
            move |tx: &mut Tx<'_>| Ok(tx.execute(sql, values![tx.agent_id, key.as_str(), now.millis()])? > 0);
        self.writer.run(work).await
    }
}

impl Tx<'_> {
    /// The handoff about this.
    pub fn handoff(&mut self, scope: &HandoffScope) -> Result<Option<HandoffRecord>> {
        let sql =
            concat!("SELECT ", handoff_columns!(), ", scope FROM handoff WHERE agent_id = ?1 AND scope = ?2");
        self.first(sql, values![self.agent_id, scope.key().as_str()], read_handoff)
    }

    /// At most `limit` handoffs, the last written first.
    pub fn handoffs(&mut self, limit: u32) -> Result<Vec<HandoffRecord>> {
        let sql = concat!(
            "SELECT ",
            handoff_columns!(),
            ", scope FROM handoff WHERE agent_id = ?1 ORDER BY written_at DESC, scope LIMIT ?2"
        );
        self.query(sql, values![self.agent_id, i64::from(limit)], read_handoff)
    }

    /// Places of at most `limit` messages of the thread called `name`, the last recorded first.
    pub fn seqs_of_thread(&mut self, name: &str, limit: u32) -> Result<Vec<u32>> {
        let sql = "SELECT seq FROM message WHERE agent_id = ?1 AND thread_id =
                   (SELECT thread_id FROM thread WHERE agent_id = ?1 AND name = ?2) ORDER BY seq DESC LIMIT ?3";
        self.query(sql, values![self.agent_id, name, i64::from(limit)], |row| Ok(row.int(0)? as u32))
    }

    /// Memories that these replaced: the number of the later one, and of the earlier.
    pub fn replaced_by(&mut self, numbers: &[u32]) -> Result<Vec<(u32, u32)>> {
        let sql = "SELECT from_number, to_number FROM relation WHERE agent_id = ?1 AND from_number = ?2
                   AND kind = 'supersedes' ORDER BY to_number";
        let rows: Vec<Vec<Value<'_>>> =
            numbers.iter().map(|number| values![self.agent_id, i64::from(*number)].to_vec()).collect();
        let found = self.query_each(sql, &rows, |row| Ok((row.int(0)? as u32, row.int(1)? as u32)))?;
        Ok(found.into_iter().flatten().collect())
    }
}

/// After words were erased: no handoff quotes them any more, and none tells of a session of which nothing is left.
pub(crate) fn clear_handoffs(tx: &mut Tx<'_>) -> Result<()> {
    tx.execute("UPDATE handoff SET text = '', prose = NULL WHERE agent_id = ?1", values![tx.agent_id])?;
    let known =
        "DELETE FROM handoff WHERE agent_id = ?1 AND NOT EXISTS (SELECT 1 FROM session AS s JOIN message AS m
                 ON m.agent_id = s.agent_id AND m.session_id = s.session_id
                 WHERE s.agent_id = ?1 AND m.agent_id = ?1 AND s.name = handoff.session)";
    tx.execute(known, values![tx.agent_id]).map(drop)
}

fn read_handoff(row: &Row<'_>) -> Result<HandoffRecord> {
    let columns = &mut ColumnReader::new(row);
    let record = HandoffRecord::read_columns(columns)?;
    Ok(HandoffRecord { scope: HandoffScope::of_key(&columns.text()?), ..record })
}
