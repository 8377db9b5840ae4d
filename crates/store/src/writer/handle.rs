//! The writer as callers await it.

use super::{checkpoint::Checkpointer, connection::PendingAppend, queue::CommitQueue, state::WriterState};
use crate::{
    append::Appended,
    context::{StoreContext, View},
    database::{CommitDurability, Connection},
    error::{Result, StoreError},
    threads::{lock, run_inline},
    transaction::Tx,
};
use cairn_domain::{Message, Time};
use std::{sync::Arc, time::Duration};
use tokio::{sync::oneshot, task::spawn_blocking};

/// The one writer of a store in this process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Writer(Arc<CommitQueue>);

impl Writer {
    pub(crate) fn new(connection: Connection, context: Arc<StoreContext>) -> Self {
        Self(Arc::new(CommitQueue::new(connection, context)))
    }

    /// Appends messages, together with all others that wait.
    pub(crate) async fn append(&self, messages: Vec<Message>, now: Time) -> Result<Vec<Appended>> {
        let (reply, answer) = oneshot::channel();
        self.0.push(PendingAppend { messages, now, reply });
        if run_inline(|| self.0.commit_next_group()) {
            self.drain_in_background();
        }
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs `work` in a write transaction of its own.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_on_connection(move |connection, context| {
            Tx::new(connection, context.agent_id).write(&mut work)
        })
        .await
    }

    /// Like [`Self::run`], for a write that may be left out: none, and nothing is written, if nobody can write at the moment.
    pub(crate) async fn run_within<T: Send + 'static>(
        &self,
        patience: Duration,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Option<T>> {
        self.run_on_connection(move |connection, context| {
            Tx::new(connection, context.agent_id).write_within(patience, &mut work)
        })
        .await
    }

    /// Like [`Self::run`], for writes that the archive does not carry: they survive a power cut once this returns.
    pub(crate) async fn run_durably<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_on_connection(move |connection, context| {
            connection.set_durability(CommitDurability::Full)?;
            let done = Tx::new(connection, context.agent_id).write(&mut work);
            connection.set_durability(CommitDurability::ArchiveBacked)?;
            done
        })
        .await
    }

    /// Like [`Self::run`], for short work that touches no message and no memory, such as taking a lease.
    pub(crate) async fn claim<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut claim = move |connection: &mut Connection, context: &StoreContext| {
            Tx::new(connection, context.agent_id).claim(&mut work)
        };
        if self.0.context.files().is_none() {
            return self.run_on_connection(claim).await;
        }
        self.run_short(move |queue, state| {
            queue.with_connection(&mut state.fallback, |connection| {
                claim(connection.get(&queue.context)?, &queue.context)
            })
        })
        .await
    }

    /// Like [`Self::claim`], for what may be left out: none, and nothing is done, if nobody can write at the moment.
    pub(crate) async fn claim_within<T: Send + 'static>(
        &self,
        patience: Duration,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<Option<T>> {
        if self.0.context.files().is_none() {
            return self.claim(work).await.map(Some);
        }
        self.run_short(move |queue, state| {
            queue.with_connection(&mut state.fallback, |connection| {
                let agent_id = queue.context.agent_id;
                Tx::new(connection.get(&queue.context)?, agent_id).write_within(patience, &mut work)
            })
        })
        .await
    }

    /// Empties a long write-ahead log, as far as nobody is in the way, and waits until that is done.
    pub(crate) async fn checkpoint(&self) {
        if Checkpointer::is_log_long(&self.0.context) {
            let queue = Arc::clone(&self.0);
            let _ = spawn_blocking(move || queue.checkpoint()).await;
        }
    }

    /// Reads, on this thread and on the writer's connection, what [`Self::write_after_read`] will be decided on. `None` on a
    /// server, where any connection is as good.
    pub(crate) fn read_on_writer<T>(
        &self,
        work: impl FnMut(&mut View<'_>) -> Result<T>,
    ) -> Option<Result<T>> {
        let CommitQueue { context, main, .. } = &*self.0;
        context.files()?;
        Some(run_inline(|| View::read(lock(main).get(context)?, context, work)))
    }

    /// Like [`Self::run`], on the connection that [`Self::read_on_writer`] reads on.
    pub(crate) async fn write_after_read<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if self.0.context.files().is_none() {
            return self.run(work).await;
        }
        self.run_short(move |queue, _state| queue.write_on_main(&mut work)).await
    }

    /// Runs `work` on a connection of the writer, outside of any transaction, on a blocking thread.
    async fn run_on_connection<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &StoreContext) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_on_blocking_thread(move |queue| {
            let mut state = lock(&queue.state);
            let done = queue.with_connection(&mut state.fallback, |connection| {
                connection.memo.forget();
                work(connection.get(&queue.context)?, &queue.context)
            });
            state.release_server_connection(&queue.context);
            done
        })
        .await
    }

    /// Runs short work with the writer's state, in a folder: on this thread, since waking another takes longer, unless somebody
    /// else writes.
    async fn run_short<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&CommitQueue, &mut WriterState) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let queue = &self.0;
        let done = run_inline(|| queue.try_state().map(|mut state| work(queue, &mut state)));
        if let Some(done) = done {
            if queue.needs_draining() {
                self.drain_in_background();
            }
            return done;
        }
        self.run_on_blocking_thread(move |queue| work(queue, &mut lock(&queue.state))).await
    }

    /// Runs work that holds the writer's state on a blocking thread. Nobody waits for the upkeep after it.
    async fn run_on_blocking_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&CommitQueue) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (queue, (reply, answer)) = (Arc::clone(&self.0), oneshot::channel());
        spawn_blocking(move || {
            let _ = reply.send(work(&queue));
            // Appends that arrived meanwhile rely on whoever releases the state.
            queue.drain();
        });
        answer.await.map_err(|_| StoreError::Closed)?
    }

    fn drain_in_background(&self) {
        let queue = Arc::clone(&self.0);
        spawn_blocking(move || queue.drain());
    }
}
