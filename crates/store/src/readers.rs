//! Who reads: a few connections beside the one that writes, shared by all who ask.

use crate::{
    Result, StoreError,
    database::Connection,
    store::{Shared, View},
    worker::{lock, on_another_thread, on_this_thread, view},
};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

/// Connections that read at the same time; further readers wait.
const READERS: usize = 8;

/// The connections that read. Opened when they are first needed, so that a process that only writes never pays.
#[derive(Clone)]
pub(crate) struct Readers {
    shared: Arc<Shared>,
    idle: Arc<Mutex<Vec<Connection>>>,
    free: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, idle: Arc::default(), free: Arc::new(Semaphore::new(READERS)) }
    }

    /// Runs `work` on one unchanging view, on this thread.
    pub(crate) async fn run<T>(&self, work: impl FnMut(&mut View<'_>) -> Result<T>) -> Result<T> {
        let _permit = self.free.acquire().await.map_err(|_| StoreError::Closed)?;
        on_this_thread(|| self.with_connection(|connection, shared| view(connection, shared, work)))
    }

    /// Runs `work` on one unchanging view, on another thread.
    pub(crate) async fn run_long<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut View<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_alone(move |connection, shared| view(connection, shared, work)).await
    }

    /// Runs `work` outside of any transaction, on another thread.
    pub(crate) async fn run_alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection, &Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _permit = self.free.acquire().await.map_err(|_| StoreError::Closed)?;
        let readers = self.clone();
        on_another_thread(move || readers.with_connection(work)).await
    }

    fn with_connection<T>(&self, work: impl FnOnce(&mut Connection, &Shared) -> Result<T>) -> Result<T> {
        let idle = lock(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.shared.connect_to_read()?,
        };
        let done = work(&mut connection, &self.shared);
        // Connections to a server are shared by all agents of a process.
        if self.shared.files().is_some() {
            lock(&self.idle).push(connection);
        }
        done
    }
}
