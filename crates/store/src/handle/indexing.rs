//! Embedders, vectors and the files of both indexes.

use super::store::Store;
use crate::{
    context::{AgentFiles, Storage, StoreContext, View},
    database::Connection,
    error::Result,
    index::{keyword, vector},
    record::{self, EmbedderRecord, EmbedderState, NewVector},
    transaction::Tx,
};
use cairn_domain::Time;
use std::sync::{Arc, atomic::Ordering};

/// Vectors added on a database server before it is worth checking for an index.
const INDEX_AFTER_VECTORS: usize = 1_024;

impl Store {
    /// Whether the keyword index has a tail worth writing to a file.
    pub fn keyword_index_needs_flush(&self) -> bool {
        self.context.files().is_some_and(|files| files.keywords.needs_flush())
    }

    /// Catches the keyword index up and writes its tail to a file; the message that its files now reach.
    pub async fn flush_keyword_index(&self) -> Result<u32> {
        let tend = |view: &mut View<'_>| match view.context.files() {
            Some(files) => files.keywords.flush(view),
            None => record::next_seq(view),
        };
        if self.context.files().is_none() {
            self.readers.run_outside_transaction(|connection, _| keyword::table::tend(connection)).await?;
        }
        self.readers.run_long(tend).await
    }

    /// The embedder called `name`, created if it is missing. An agent's first is active at once; a later one, or one that
    /// was retired, is filled before it takes over. A known name with another dimension is refused.
    pub async fn embedder(&self, name: String, dimension: usize, now: Time) -> Result<EmbedderRecord> {
        let known =
            self.read(|view| record::known_embedder(view, &name, dimension)).await?.map(|known| known.record);
        if let Some(known) = known.filter(|known| known.state != EmbedderState::Retired) {
            return Ok(known);
        }
        let ensure = move |tx: &mut Tx<'_>| record::ensure_embedder(tx, &name, dimension, now);
        self.writer.run(ensure).await
    }

    /// Writes the vectors of the messages `from .. to`, each with its parts from 0 on, in one transaction with the move
    /// of the embedder's `reached` from `from` to `to`. False, and nothing is written, if `reached` is not `from` any
    /// more: somebody else did it.
    pub async fn add_vectors(
        &self,
        embedder: u32,
        from: u32,
        to: u32,
        vectors: Vec<NewVector>,
    ) -> Result<bool> {
        let vectors = record::require_whole_vectors(from, to, vectors)?;
        let context = Arc::clone(&self.context);
        let add = move |tx: &mut Tx<'_>| {
            let added = record::add_vectors(tx, embedder, from, to, &vectors)?;
            let count = if added { vectors.len() } else { 0 };
            match &context.storage {
                Storage::Folder(files) => files.vectors.note_added(count),
                Storage::Server { unindexed_vectors, .. } => {
                    unindexed_vectors.fetch_add(count, Ordering::Relaxed);
                }
            }
            Ok(added)
        };
        self.writer.run(add).await
    }

    /// Activates an embedder that reached every message, and retires the active one in the same transaction; false if it has not
    /// reached every message.
    pub async fn activate_embedder(&self, embedder: u32) -> Result<bool> {
        let activate = move |tx: &mut Tx<'_>| record::activate_embedder(tx, embedder);
        self.writer.run(activate).await
    }

    /// Deletes about `limit` vectors of retired embedders; how many. 0 when none is left: then the embedders and their files are
    /// gone too.
    pub async fn drop_retired_vectors(&self, limit: u32) -> Result<u32> {
        let context = Arc::clone(&self.context);
        let drop_some = move |tx: &mut Tx<'_>| {
            let retired = record::embedders(tx)?.into_iter().map(|embedder| embedder.record);
            for embedder in retired.filter(|embedder| embedder.state == EmbedderState::Retired) {
                match context.files() {
                    Some(files) => files.vectors.forget_embedder(embedder.id),
                    None => vector::table::forget_embedder(tx, embedder.id)?,
                }
                let dropped = record::drop_vectors(tx, &embedder, limit)?;
                if dropped > 0 {
                    return Ok(dropped);
                }
            }
            Ok(0)
        };
        self.writer.run(drop_some).await
    }

    /// Whether there are enough new vectors for a file, or on a database server for an index.
    pub fn vector_index_needs_flush(&self) -> bool {
        match &self.context.storage {
            Storage::Folder(files) => files.vectors.needs_flush(),
            Storage::Server { unindexed_vectors, .. } => {
                unindexed_vectors.load(Ordering::Relaxed) >= INDEX_AFTER_VECTORS
            }
        }
    }

    /// Catches the vector index up and writes its tail to a file; the message that its files now reach.
    pub async fn flush_vector_index(&self) -> Result<u32> {
        if let Storage::Server { unindexed_vectors, .. } = &self.context.storage {
            unindexed_vectors.store(0, Ordering::Relaxed);
            let embedders = self.read(|view| view.embedders()).await?;
            let reached =
                embedders.iter().find(|it| it.state == EmbedderState::Active).map_or(0, |it| it.reached);
            let tend = move |connection: &mut Connection, context: &StoreContext| {
                let tx = &mut Tx::new(connection, context.agent_id);
                vector::table::tend(tx, &embedders, &context.notes)
            };
            self.readers.run_outside_transaction(tend).await?;
            return Ok(reached);
        }
        let tend = |view: &mut View<'_>| {
            let Some(AgentFiles { keywords, vectors, .. }) = view.context.files() else { return Ok(0) };
            // The keyword index first: it must hold every message that the vector index finds.
            drop(keywords.caught_up(view)?);
            vectors.flush(view)
        };
        self.readers.run_long(tend).await
    }
}
