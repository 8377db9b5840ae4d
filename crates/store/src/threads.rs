//! Which thread blocking work runs on, and locks that outlive a panic. Callers of the store only ever await.

use crate::error::{Result, StoreError};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::{block_in_place, spawn_blocking},
};

/// Runs short blocking work on the caller's thread: handing it to another thread and back costs as much as half of an
/// acknowledgement. On a multi-threaded runtime the other threads take over the caller's remaining tasks meanwhile.
pub(crate) fn run_inline<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// Runs long blocking work on a thread of the blocking pool.
pub(crate) async fn run_on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(work)
        .await
        .map_err(|error| if error.is_panic() { StoreError::Panicked } else { StoreError::Closed })?
}

/// Locks a mutex, also after a thread has panicked with it locked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex unless it is locked already.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(locked) => Some(locked),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
