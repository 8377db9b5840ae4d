//! The handle of an open store. Callers await; `writer` and `readers` decide on which thread and connection work runs.

use super::readers::Readers;
use crate::{
    append::Appended,
    context::{StoreContext, View},
    error::Result,
    writer::Writer,
};
use cairn_domain::{Message, Time};
use std::sync::Arc;

/// One agent's memory, open. Cheap to clone. What it can do is in the files that use it: `handle` opens it and keeps its
/// indexes, `commit` writes what an engine decided, `maintenance` checks and repairs.
#[derive(Clone)]
pub struct Store {
    pub(crate) context: Arc<StoreContext>,
    pub(crate) writer: Writer,
    pub(crate) readers: Readers,
}

impl Store {
    /// Writes messages. When this returns, they are durable and visible to every process.
    pub async fn append(&self, messages: Vec<Message>, now: Time) -> Result<Vec<Appended>> {
        self.writer.append(messages, now).await
    }

    /// Reads on one unchanging view of the memory.
    pub async fn read<T>(&self, work: impl FnMut(&mut View<'_>) -> Result<T>) -> Result<T> {
        self.readers.run(work).await
    }

    /// Reads on the writer's connection, which still has the newest pages cached: faster than [`Self::read`] for callers that
    /// then commit what they decide on.
    pub async fn read_on_writer<T>(&self, mut work: impl FnMut(&mut View<'_>) -> Result<T>) -> Result<T> {
        match self.writer.read_on_writer(&mut work) {
            Some(done) => done,
            None => self.readers.run(work).await,
        }
    }

    /// Moves a long write-ahead log into the database file: the next process to open it would have to read all of it first.
    pub async fn checkpoint(&self) {
        self.writer.checkpoint().await;
    }

    /// The repairs since this was last called.
    pub fn take_repair_notes(&self) -> Vec<String> {
        self.context.notes.take()
    }
}
