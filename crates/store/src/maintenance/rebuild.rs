//! Rebuild: everything that can be derived, made anew from the archive.

use crate::{
    Result, StoreError,
    append::take_in_all_days,
    archive::{archive_seals, day_file_sha256, table::archived_days},
    context::{AgentFiles, RepairNotes, StoreContext},
    database::values,
    handle::Store,
    index::keyword::table,
    protected::Marks,
    record::{bump_epoch, embedders, keep_whole_vectors, renumber_vectors},
    transaction::Tx,
};
use cairn_domain::MessageId;
use std::sync::Arc;

impl Store {
    /// Rebuilds everything that can be derived from the archive.
    pub async fn rebuild(&self) -> Result<Rebuilt> {
        let context = Arc::clone(&self.context);
        self.writer.run(move |tx| rebuild(tx, &context)).await
    }
}

/// The report of a rebuild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// Messages in the archive.
    pub messages: u64,
    /// Archive files read.
    pub files: u64,
    /// Oddities met along the way.
    pub notes: Vec<String>,
}

const LIFT_GUARDS: &str = "DROP TRIGGER message_is_never_changed; DROP TRIGGER message_is_never_taken_away;";
const SET_GUARDS: &str = include_str!("../../migrations/0001_guards.sqlite.sql");

/// In one transaction: the old rows go, the archive is read from its first line. If a word that the database
/// held is not in the archive, nothing is changed.
pub(crate) fn rebuild(tx: &mut Tx<'_>, context: &StoreContext) -> Result<Rebuilt> {
    let Some(files) = context.files() else { return rebuild_on_server(tx) };
    let AgentFiles { archive, keywords, vectors, revisions, words, .. } = files;
    let notes = RepairNotes::default();
    for seal in archive_seals(tx)? {
        if day_file_sha256(archive, seal.day).map(|(_, sha256)| sha256).ok() != Some(seal.sha256) {
            notes.add(format!(
                "{} is not what it was when its day was sealed",
                archive.path(seal.day).display()
            ));
        }
    }
    let before = messages_by_id(tx)?;
    tx.connection.script(LIFT_GUARDS)?;
    for table in ["message", "session", "thread"] {
        tx.execute(&format!("DELETE FROM {table} WHERE agent_id = ?1"), values![tx.agent_id])?;
    }
    tx.connection.script(SET_GUARDS)?;
    bump_epoch(tx)?;
    take_in_all_days(tx, archive, &notes)?;
    let after = messages_by_id(tx)?;
    let lost = lost(tx, &before, &after)?;
    if lost > 0 {
        return Err(StoreError::Damaged {
            problem: format!(
                "the archive lacks {lost} message(s) that the database holds; nothing was changed"
            ),
            hint: "run `cairn doctor --fix` to write them to the archive again, then `cairn rebuild`".into(),
        });
    }
    carry_vectors_over(tx, &before, &after)?;
    // Messages may have other numbers now; what was formed of them knows them by their ids.
    let again = "UPDATE job SET watermark = 0 WHERE agent_id = ?1 AND name = 'form'";
    tx.execute(again, values![tx.agent_id])?;
    keywords.clear();
    vectors.clear();
    revisions.clear();
    words.clear();
    Ok(Rebuilt { messages: after.len() as u64, files: archive.days()?.len() as u64, notes: notes.take() })
}

/// How many messages are gone that nobody has erased.
fn lost(tx: &mut Tx<'_>, before: &[(MessageId, i64)], after: &[(MessageId, i64)]) -> Result<usize> {
    let marks = Marks::read(tx)?;
    let mut lost = 0;
    for (id, _) in before.iter().filter(|(id, _)| seq_in(after, *id).is_none()) {
        let erased = marks.as_ref().map(|marks| marks.has_buried(tx, *id)).transpose()?;
        lost += usize::from(erased != Some(true));
    }
    Ok(lost)
}

/// Where the message table is the archive, what is derived from it is the keyword index, and how far vectors are whole.
fn rebuild_on_server(tx: &mut Tx<'_>) -> Result<Rebuilt> {
    table::rebuild(tx)?;
    for embedder in embedders(tx)? {
        keep_whole_vectors(tx, &embedder.record)?;
    }
    let messages = table::messages(tx)?;
    Ok(Rebuilt { messages, files: archived_days(tx)?.len() as u64, notes: Vec::new() })
}

/// Vectors stay with the words they were made of: a message's id says what it says, its number may have changed. Those
/// behind the first message without vectors are dropped and made again, for vectors are filled strictly in order.
fn carry_vectors_over(
    tx: &mut Tx<'_>,
    before: &[(MessageId, i64)],
    after: &[(MessageId, i64)],
) -> Result<()> {
    let moved: Vec<(i64, i64)> = before
        .iter()
        .filter_map(|(id, seq)| Some((*seq, seq_in(after, *id)?)))
        .filter(|(was, is)| was != is)
        .collect();
    for embedder in embedders(tx)? {
        renumber_vectors(tx, &embedder.record, &moved)?;
        keep_whole_vectors(tx, &embedder.record)?;
    }
    Ok(())
}

/// The id and number of every message, by id.
fn messages_by_id(tx: &mut Tx<'_>) -> Result<Vec<(MessageId, i64)>> {
    let sql = "SELECT message_id, seq FROM message WHERE agent_id = ?1";
    let mut messages = tx.query(sql, values![tx.agent_id], |row| {
        Ok((MessageId::from_bytes(row.byte_array(0, "message.message_id")?), row.int(1)?))
    })?;
    messages.sort_unstable();
    Ok(messages)
}

fn seq_in(messages: &[(MessageId, i64)], id: MessageId) -> Option<i64> {
    let at = messages.binary_search_by_key(&id, |(id, _)| *id).ok()?;
    Some(messages[at].1)
}
