//! The connections that read, beside the one that writes, shared by all callers.

use crate::{
    context::{StoreContext, View},
    database::Connection,
    error::{Result, StoreError},
    threads::{lock, run_inline, run_on_blocking_thread},
};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// Connections that read at the same time; further readers wait.
const MAX_READERS: usize = 8;

/// The connections that read. Each is opened when it is first needed, so a process that only writes opens none.
#[derive(Clone)]
pub(crate) struct Readers {
    context: Arc<StoreContext>,
    idle: Arc<Mutex<Vec<Connection>>>,
    free: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(context: Arc<StoreContext>) -> Self {
        Self { context, idle: Arc::default(), free: Arc::new(Semaphore::new(MAX_READERS)) }
    }

    /// Runs short `work` on one unchanging view, on the caller's thread.
    pub(crate) async fn run<T>(&self, work: impl FnMut(&mut View<'_>) -> Result<T>) -> Result<T> {
        let _permit = self.free.acquire().await.map_err(|_| StoreError::Closed)?;
        run_inline(|| self.with_connection(|connection, context| View::read(connection, context, work)))
    }

    /// Runs `work` on one unchanging view, on a blocking thread.
    pub(crate) async fn run_long<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut View<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_outside_transaction(move |connection, context| View::read(connection, context, work)).await
    }

    /// Runs `work` outside of any transaction, on a blocking thread.
    pub(crate) async fn run_outside_transaction<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &StoreContext) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _permit = self.free.acquire().await.map_err(|_| StoreError::Closed)?;
        let readers = self.clone();
        run_on_blocking_thread(move || readers.with_connection(work)).await
    }

    fn with_connection<T>(
        &self,
        work: impl FnOnce(&mut Connection, &StoreContext) -> Result<T>,
    ) -> Result<T> {
        let idle = lock(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.context.connect_to_read()?,
        };
        let done = work(&mut connection, &self.context);
        // Connections to a server are shared by all agents of a process.
        if self.context.files().is_some() {
            lock(&self.idle).push(connection);
        }
        done
    }
}
