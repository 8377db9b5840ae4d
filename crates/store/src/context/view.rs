//! One unchanging view of an agent's memory.

use super::store_context::{Storage, StoreContext};
use crate::{database::Connection, error::Result, record::MessageRecord, transaction::Tx};
use cairn_domain::Message;
use std::ops::{Deref, DerefMut};

/// A transaction that only reads, with the files beside the database. Most questions it answers are methods of [`Tx`], in the
/// files of `record`; those that need an index are in `search`.
pub struct View<'a> {
    pub(crate) tx: Tx<'a>,
    pub(crate) context: &'a StoreContext,
}

impl<'a> Deref for View<'a> {
    type Target = Tx<'a>;

    fn deref(&self) -> &Tx<'a> {
        &self.tx
    }
}

impl<'a> DerefMut for View<'a> {
    fn deref_mut(&mut self) -> &mut Tx<'a> {
        &mut self.tx
    }
}

impl View<'_> {
    /// Runs `work` on one unchanging view.
    pub(crate) fn read<T>(
        connection: &mut Connection,
        context: &StoreContext,
        mut work: impl FnMut(&mut View<'_>) -> Result<T>,
    ) -> Result<T> {
        connection.read(|connection| work(&mut View { tx: Tx::new(connection, context.agent_id), context }))
    }

    /// Whether the archive still agrees with the database about this message. On a database server the table is the archive,
    /// and the message must still hash to its id.
    pub fn archive_agrees(&self, record: &MessageRecord) -> Result<bool> {
        let Some(files) = self.context.files() else { return Ok(record.message.is_authentic()) };
        let line = files.archive.line_at(&record.place)?;
        Ok(line.is_some_and(|line| {
            serde_json::from_slice::<Message>(&line).is_ok_and(|said| said == record.message)
        }))
    }

    /// The archive file that holds this message's line; on a database server the table, which `cairn archive export` writes as
    /// such files.
    pub fn archive_file(&self, record: &MessageRecord) -> String {
        match &self.context.storage {
            Storage::Folder(files) => files.archive.path(record.place.day).display().to_string(),
            Storage::Server { server, .. } => format!("{server} message, day {}", record.archive_day),
        }
    }
}
