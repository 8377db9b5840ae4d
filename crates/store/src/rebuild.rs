//! Rebuild: everything that can be derived, made anew from the archive.

use crate::{
    Result, StoreError,
    archive::{seals, sha256_of, table::days, take_all_in},
    database::{Connection, values},
    keyword::table,
    protected::Marks,
    record::{bump_epoch, embedders, keep_whole_vectors, renumber_vectors},
    store::{Files, Notes, Shared},
};
use cairn_domain::MessageId;

/// What a rebuild found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// Messages in the archive.
    pub messages: u64,
    /// Archive files read.
    pub files: u64,
    /// What was odd along the way.
    pub notes: Vec<String>,
}

const LIFT_GUARDS: &str = "DROP TRIGGER message_is_never_changed; DROP TRIGGER message_is_never_taken_away;";
const SET_GUARDS: &str = include_str!("../migrations/0001_guards.sqlite.sql");

/// In one transaction: the old rows go, the archive is read from its first line. If a word that the database
/// held is not in the archive, nothing is changed.
pub(crate) fn rebuild(connection: &mut Connection, shared: &Shared) -> Result<Rebuilt> {
    let Some(files) = shared.files() else { return rebuild_on_server(connection, shared.agent_id) };
    let (agent_id, Files { archive, keywords, vectors, revisions, words, .. }) = (&shared.agent_id, files);
    let notes = Notes::default();
    for seal in seals(connection, *agent_id)? {
        if sha256_of(archive, seal.day).map(|(_, sha256)| sha256).ok() != Some(seal.sha256) {
            notes.add(format!(
                "{} is not what it was when its day was sealed",
                archive.path(seal.day).display()
            ));
        }
    }
    let before = messages_by_id(connection, *agent_id)?;
    connection.script(LIFT_GUARDS)?;
    for table in ["message", "session", "thread"] {
        connection.execute(&format!("DELETE FROM {table} WHERE agent_id = ?1"), values![*agent_id])?;
    }
    connection.script(SET_GUARDS)?;
    bump_epoch(connection, *agent_id)?;
    take_all_in(connection, *agent_id, archive, &notes)?;
    let after = messages_by_id(connection, *agent_id)?;
    let lost = lost(connection, *agent_id, &before, &after)?;
    if lost > 0 {
        return Err(StoreError::Damaged {
            problem: format!(
                "the archive lacks {lost} message(s) that the database holds; nothing was changed"
            ),
            hint: "run `cairn doctor --fix` to write them to the archive again, then `cairn rebuild`".into(),
        });
    }
    carry_vectors_over(connection, *agent_id, &before, &after)?;
    // Messages may have other numbers now; what was formed of them knows them by their ids.
    let again = "UPDATE job SET watermark = 0 WHERE agent_id = ?1 AND name = 'form'";
    connection.execute(again, values![*agent_id])?;
    keywords.forget();
    vectors.forget();
    revisions.forget();
    words.forget();
    Ok(Rebuilt { messages: after.len() as u64, files: archive.days()?.len() as u64, notes: notes.take() })
}

/// How many messages are gone that nobody has erased.
fn lost(
    connection: &mut Connection,
    agent_id: i64,
    before: &[(MessageId, i64)],
    after: &[(MessageId, i64)],
) -> Result<usize> {
    let marks = Marks::read(connection, agent_id)?;
    let mut lost = 0;
    for (id, _) in before.iter().filter(|(id, _)| seq_in(after, *id).is_none()) {
        let erased = marks.as_ref().map(|marks| marks.has_buried(connection, agent_id, *id)).transpose()?;
        lost += usize::from(erased != Some(true));
    }
    Ok(lost)
}

/// Where the message table is the archive, what is derived from it is the keyword index, and how far vectors are whole.
fn rebuild_on_server(connection: &mut Connection, agent_id: i64) -> Result<Rebuilt> {
    table::rebuild(connection, agent_id)?;
    for embedder in embedders(connection, agent_id)? {
        keep_whole_vectors(connection, agent_id, &embedder.record)?;
    }
    let messages = table::messages(connection, agent_id)?;
    Ok(Rebuilt { messages, files: days(connection, agent_id)?.len() as u64, notes: Vec::new() })
}

/// Vectors stay with the words they were made of: a message's id says what it says, its number may have changed. Those
/// behind the first message without vectors are dropped and made again, for vectors are filled strictly in order.
fn carry_vectors_over(
    connection: &mut Connection,
    agent_id: i64,
    before: &[(MessageId, i64)],
    after: &[(MessageId, i64)],
) -> Result<()> {
    let moved: Vec<(i64, i64)> = before
        .iter()
        .filter_map(|(id, seq)| Some((*seq, seq_in(after, *id)?)))
        .filter(|(was, is)| was != is)
        .collect();
    for embedder in embedders(connection, agent_id)? {
        renumber_vectors(connection, agent_id, &embedder.record, &moved)?;
        keep_whole_vectors(connection, agent_id, &embedder.record)?;
    }
    Ok(())
}

/// The id and number of every message, by id.
fn messages_by_id(connection: &mut Connection, agent_id: i64) -> Result<Vec<(MessageId, i64)>> {
    let sql = "SELECT message_id, seq FROM message WHERE agent_id = ?1";
    let mut messages = connection.query(sql, values![agent_id], |row| {
        let bytes = row.bytes(0)?.try_into().unwrap_or_default();
        Ok((MessageId::from_bytes(bytes), row.int(1)?))
    })?;
    messages.sort_unstable();
    Ok(messages)
}

fn seq_in(messages: &[(MessageId, i64)], id: MessageId) -> Option<i64> {
    let at = messages.binary_search_by_key(&id, |(id, _)| *id).ok()?;
    Some(messages[at].1)
}
