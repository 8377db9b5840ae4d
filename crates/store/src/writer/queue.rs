//! The commit queue: appends that wait, and whoever holds the writer's state commits them in groups.
//!
//! A write never leaves an append behind. Whoever finds the state locked goes away, because whoever holds it looks at the
//! queue again after releasing it.

use super::{
    checkpoint::Checkpointer,
    connection::{PendingAppend, WriterConnection},
    seal::seal_or_note,
    state::WriterState,
};
use crate::{
    context::StoreContext,
    database::Connection,
    error::Result,
    threads::{lock, try_lock},
    transaction::Tx,
};
use std::sync::{Arc, Mutex, MutexGuard};

/// Maximum messages that share one fsync.
const MAX_GROUP_MESSAGES: usize = 4_096;

/// Waiting appends, and the connections that write.
pub(super) struct CommitQueue {
    pub(super) context: Arc<StoreContext>,
    pending: Mutex<Vec<PendingAppend>>,
    pub(super) state: Mutex<WriterState>,
    /// In a folder, the connection that writes, and that formations are decided on: its page cache still holds what was read
    /// and written last, which a write through any other connection would empty. To write on it, hold `state` as well.
    pub(super) main: Mutex<WriterConnection>,
    checkpointer: Checkpointer,
}

impl CommitQueue {
    pub(super) fn new(connection: Connection, context: Arc<StoreContext>) -> Self {
        let connection = context.files().is_some().then_some(connection);
        let main = Mutex::new(WriterConnection { connection, ..WriterConnection::default() });
        let (pending, state, checkpointer) = Default::default();
        Self { context, pending, state, main, checkpointer }
    }

    pub(super) fn push(&self, append: PendingAppend) {
        lock(&self.pending).push(append);
    }

    /// Commits the next group, unless somebody else writes: they will see the queue when they are done. Whether there is more
    /// to do: others wait, or upkeep is due, for which nobody should have to wait.
    pub(super) fn commit_next_group(&self) -> bool {
        let Some(mut state) = self.try_state() else { return false };
        let group = self.take_next_group();
        let upkeep_is_due = match group.last().map(|pending| pending.now) {
            Some(now) => {
                self.with_connection(&mut state.fallback, |connection| {
                    connection.append_group(&self.context, group);
                });
                state.note_group(&self.context, now, || self.checkpointer.is_due(&self.context))
            }
            None => false,
        };
        state.release_server_connection(&self.context);
        drop(state);
        upkeep_is_due || !lock(&self.pending).is_empty()
    }

    /// Commits groups until nobody waits, with upkeep in between and a checkpoint at the end.
    pub(super) fn drain(&self) {
        loop {
            if let Some(mut state) = self.try_state() {
                self.run_upkeep(&mut state);
            }
            if !self.commit_next_group() {
                return self.checkpoint();
            }
        }
    }

    /// Gives `work` the main connection, or the fallback if the main one is being read on: an acknowledgement does not wait for
    /// that.
    pub(super) fn with_connection<T>(
        &self,
        fallback: &mut WriterConnection,
        work: impl FnOnce(&mut WriterConnection) -> T,
    ) -> T {
        match self.context.files().and_then(|_| try_lock(&self.main)) {
            Some(mut main) => work(&mut main),
            None => work(fallback),
        }
    }

    /// Runs `work` in a write transaction on the main connection, without telling its memo: only for writes that the memo knows
    /// nothing about. The caller holds `state`.
    pub(super) fn write_on_main<T>(&self, work: impl FnMut(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        Tx::new(lock(&self.main).get(&self.context)?, self.context.agent_id).write(work)
    }

    /// Whether appends arrived while the state was held, or a checkpoint is due.
    pub(super) fn needs_draining(&self) -> bool {
        !lock(&self.pending).is_empty() || self.checkpointer.is_due(&self.context)
    }

    /// Moves a long write-ahead log into the database file, as far as nobody is in the way.
    pub(super) fn checkpoint(&self) {
        self.checkpointer.run_when_quiet(&self.context);
    }

    /// The writer's state, if nobody writes.
    pub(super) fn try_state(&self) -> Option<MutexGuard<'_, WriterState>> {
        try_lock(&self.state)
    }

    /// Seals finished days once the first message of a new day is in, and lets a server whose tables have grown analyze them. A
    /// failure here loses no word; the next process to write tries again.
    fn run_upkeep(&self, state: &mut WriterState) {
        let context = &self.context;
        let needs_analyze = state.needs_analyze(context);
        if let Some(now) = state.take_sealing_moment() {
            self.with_connection(&mut state.fallback, |connection| {
                if let Ok(connection) = connection.get(context) {
                    seal_or_note(connection, context, now);
                }
            });
        }
        if needs_analyze {
            state.analyze(context);
        }
        state.release_server_connection(context);
    }

    /// The first append that waits and as many after it as may share its fsync.
    fn take_next_group(&self) -> Vec<PendingAppend> {
        let mut pending = lock(&self.pending);
        let mut messages = 0;
        let fits = |append: &PendingAppend| {
            messages += append.messages.len();
            messages <= MAX_GROUP_MESSAGES
        };
        let end = pending.iter().map(fits).take_while(|fits| *fits).count().max(1).min(pending.len());
        pending.drain(..end).collect()
    }
}
